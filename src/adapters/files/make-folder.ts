/**
 * A folder and its parents, one at a time: Node's own recursive mkdir never returns where a created folder is still
 * missing, as below /proc.
 */
import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

export async function makeFolder(folder: string, mode = 0o700): Promise<void> {
  if (isFolder(folder)) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), mode)
  await mkdir(folder, mode).catch((error: unknown) => {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error
  })
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
