/**
 * State is private to its owner and is not reached through links. Checked once, when a folder is opened: links in it
 * are refused, and files that an older version or a careless user left readable for others are closed.
 */
import { chmodSync, lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { linkAt } from '../../core/state-link.ts'
import { isStateFolder, isStateName, isWhollyState } from '../../core/state-folder.ts'

const OTHERS = 0o077
const OWNERS = 0o700

/** Refuses a link in place of the folder, and any link among its own files, one folder deep. */
export function refuseStateLinks(directory: string): void {
  if (entryAt(directory)?.isSymbolicLink() === true) linkAt(directory)
  for (const entry of stateEntries(directory)) {
    const path = join(directory, entry.name)
    if (entry.isSymbolicLink()) linkAt(path)
    const inside = isStateFolder(entry.name) && entry.isDirectory() ? entriesIn(path) : []
    for (const one of inside) if (one.isSymbolicLink()) linkAt(join(path, one.name))
  }
}

/** Removes the permissions of other users. A folder that also holds other things keeps its own: its maker knows why. */
export function closeToOthers(directory: string): void {
  if (process.platform === 'win32') return
  const names = entriesIn(directory).map(({ name }) => name)
  if (isWhollyState(basename(resolve(directory)), names)) closeOne(directory)
  for (const { name } of stateEntries(directory)) {
    const path = join(directory, name)
    closeOne(path)
    if (isStateFolder(name)) for (const one of entriesIn(path)) closeOne(join(path, one.name))
  }
}

/** We can only change our own files; `keelson doctor` reports the rest. */
function closeOne(path: string): void {
  const entry = entryAt(path)
  if (entry === undefined || entry.isSymbolicLink() || (entry.mode & OTHERS) === 0) return
  if (entry.uid !== process.getuid?.()) return
  try {
    chmodSync(path, entry.mode & OWNERS)
  } catch (thrown) {
    // Some disks have no permissions, and a file may be gone by now.
    if (!['EPERM', 'ENOTSUP', 'EROFS', 'ENOENT'].includes((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown
  }
}

function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function stateEntries(directory: string): readonly Dirent[] {
  return entriesIn(directory).filter(({ name }) => isStateName(name))
}

/** A missing or unreadable folder is handled by the code that needs it. */
function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return []
    throw thrown
  }
}
