/**
 * What a state folder contains, by name. The folder may belong to the user and hold other things: those are not
 * touched.
 */
const FOLDERS: ReadonlySet<string> = new Set([
  'archive',
  'artifacts',
  'audit',
  'intents',
  'keys',
  'receipts',
  'secrets',
  'sources',
])
/** The store, where it is a file. */
export const STORE_FILE = 'keelson.db'

/** A database with what SQLite lays beside it, one that is being restored, and those kept from before. */
const DATABASE_FILE = /^(?:keelson|temporal)\.db(?:$|[-.])/
export const DEFAULT_FOLDER = '.keelson'

export function isStateFolder(name: string): boolean {
  return FOLDERS.has(name)
}

export function isStateName(name: string): boolean {
  return FOLDERS.has(name) || DATABASE_FILE.test(name)
}

/** Made only for state: by its name, or because it holds nothing else. */
export function isWhollyState(folderName: string, names: readonly string[]): boolean {
  return folderName === DEFAULT_FOLDER || (names.length > 0 && names.every(isStateName))
}
