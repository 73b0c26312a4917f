/**
 * A folder and the way to it, step by step: Node's own recursive mkdir never returns where a folder is missing however often
 * it is made, as below /proc.
 */
import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  if (isFolder(folder)) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), mode)
  await mkdir(folder, mode).catch((error: unknown) => {
    // Another process may have been quicker.
    if (!isFolder(folder)) throw error
  })
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
