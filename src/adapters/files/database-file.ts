/**
 * A database file as a whole: copied durably, moved aside, moved into place. SQLite keeps up to two more files beside
 * it; it would take an old log beside a new database for the right one, so these files always move together.
 */
import { constants, existsSync, statSync } from 'node:fs'
import { copyFile, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { syncFolder } from './sync-folder.ts'

const BESIDE = ['-wal', '-shm'] as const

/** Replaces what an earlier, interrupted copy left. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to))
  await dropDatabase(to)
  await copyFile(from, to, constants.COPYFILE_EXCL)
  const file = await open(to, 'r+')
  try {
    // A copy would otherwise have the permissions of its source.
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Returns false when there was nothing to move. The database moves first: without its log it is only old, and a log
 * without a database is recognised and moved aside the next time.
 */
export async function moveDatabase(from: string, to: string): Promise<boolean> {
  const had = ['', ...BESIDE].filter((suffix) => existsSync(from + suffix))
  for (const suffix of had) await rename(from + suffix, to + suffix)
  await syncFolder(dirname(to))
  return had.length > 0
}

export function hasDatabase(path: string): boolean {
  return existsSync(path)
}

/** With a log beside it, the file alone is not the whole database. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

export async function dropDatabase(path: string): Promise<void> {
  for (const suffix of ['', ...BESIDE]) await rm(path + suffix, { force: true })
}
