/**
 * A folder and the way to it, step by step: Node's own recursive mkdir never returns where a folder is missing however often
 * it is made, as below /proc.
 */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export function makeFolder(folder: string): void {
  const isThere = (): boolean => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (isThere()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (thrown) {
    // Another process may have been quicker.
    if (!isThere()) throw thrown
  }
}
