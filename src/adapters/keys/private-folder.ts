/** The folder of the keys: private to its owner, created with its parents. */
import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * One folder at a time: below /proc a created folder is still missing, and Node's own recursive mkdir never returns.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  if (exists(path)) return
  const above = dirname(path)
  if (above !== path) await makePrivateFolder(above)
  await mkdir(path, 0o700).catch((thrown: unknown) => {
    if (!exists(path)) throw thrown
  })
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
