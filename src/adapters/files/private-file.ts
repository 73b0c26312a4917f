/** Files of the state folder: private to their owner, and never opened through a link. */
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { refuseLink } from '../../core/state-link.ts'

/** Absent on Windows, where few users may create links. */
const NO_LINK = constants.O_NOFOLLOW ?? 0
const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants

export function openToAdd(path: string): Promise<FileHandle> {
  return opened(path, O_RDWR | O_APPEND | O_CREAT)
}

export function openToRead(path: string): Promise<FileHandle> {
  return opened(path, O_RDONLY)
}

async function opened(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags | NO_LINK, 0o600)
  } catch (thrown) {
    refuseLink(thrown, path)
    throw thrown
  }
}
