/** The folder of the state, checked before anything in it is used, and the folder of its signing keys. */
import { join } from 'node:path'
import { closeToOthers, refuseStateLinks } from '../adapters/files/guard-state.ts'
import type { OpenOptions } from './open-options.ts'

/** Links are refused before anything is read or written; a reader changes no permissions. */
export function guardedFolder({ directory = '.keelson', readOnly = false }: OpenOptions): string {
  if (directory === ':memory:') return directory
  refuseStateLinks(directory)
  if (readOnly !== true) closeToOthers(directory)
  return directory
}

/** Undefined where runs are stored on a server and no shared keys of its processes were named (P-35). */
export function keysFolderOf(directory: string, { keysDirectory, store }: OpenOptions): string | undefined {
  return keysDirectory ?? (store === undefined ? join(directory, 'keys') : undefined)
}
