/**
 * A folder and its parents, one at a time: Node's own recursive mkdir never returns where a created folder is still
 * missing, as below /proc.
 */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export function makeFolder(folder: string, mode = 0o777): void {
  const isThere = (): boolean => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (isThere()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode)
  try {
    mkdirSync(folder, mode)
  } catch (thrown) {
    // Another process may have been faster.
    if (!isThere()) throw thrown
  }
}
