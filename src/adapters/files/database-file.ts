/**
 * A database file as a whole: copied durably, put aside, put in place. SQLite keeps up to two more files beside it; an old
 * log beside a new database would be taken for its own, so they always go with it.
 */
import { existsSync, statSync } from 'node:fs'
import { copyFile, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { syncFolder } from './sync-folder.ts'

const BESIDE = ['-wal', '-shm'] as const

/** Replaces what an earlier, broken-off copy left. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to))
  await dropDatabase(to)
  await copyFile(from, to)
  const file = await open(to, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** False when there was nothing. The database first: without its log it is only old, and a log without it is recognised and put aside the next time. */
export async function moveDatabase(from: string, to: string): Promise<boolean> {
  const had = ['', ...BESIDE].filter((suffix) => existsSync(from + suffix))
  for (const suffix of had) await rename(from + suffix, to + suffix)
  await syncFolder(dirname(to))
  return had.length > 0
}

export function hasDatabase(path: string): boolean {
  return existsSync(path)
}

/** Has it a log beside it? Then the file alone is not the whole database. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

export async function dropDatabase(path: string): Promise<void> {
  for (const suffix of ['', ...BESIDE]) await rm(path + suffix, { force: true })
}
