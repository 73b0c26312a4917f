/**
 * A database that can only be read: in a folder or on a disk that cannot be written, or of another user. A reader of a
 * write-ahead log wants a file beside the database; where it cannot have one, a database without a log is opened as one
 * that does not change, and one with a log is copied with it, so that nothing that was committed is passed over.
 */
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { inspect, isOlder, migrate, requireCurrent } from './migrate.ts'
import { cannotOpen } from './failure.ts'

export interface ReadOnlyDatabase {
  readonly db: DatabaseSync
  /** Removes what was made for it; after it was closed. */
  readonly dispose: () => void
}

export function openReadOnly(path: string, busyMs: number): ReadOnlyDatabase {
  try {
    const db = opened(path, busyMs)
    if (!isOlder(db)) return { db, dispose: () => undefined }
    db.close()
  } catch (error) {
    if (!cannotOpen(error)) throw error
    if (!hasLog(path)) return openUnchanging(path, busyMs)
  }
  return openCopy(path, busyMs)
}

function opened(file: string | URL, busyMs: number, readOnly = true): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly })
  try {
    db.exec(`PRAGMA busy_timeout = ${busyMs}`)
    inspect(db, String(file))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Whoever writes it has a log beside it; without one nobody does. */
function openUnchanging(path: string, busyMs: number): ReadOnlyDatabase {
  const url = pathToFileURL(path)
  url.search = '?immutable=1'
  const db = opened(url, busyMs)
  if (!isOlder(db)) return { db, dispose: () => undefined }
  db.close()
  return openCopy(path, busyMs)
}

/** A copy can also be brought up to date where the schema is an older one. */
function openCopy(path: string, busyMs: number): ReadOnlyDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-read-'))
  const dispose = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'keelson.db')
    for (const suffix of hasLog(path) ? ['', '-wal'] : ['']) {
      copyFileSync(path + suffix, copy + suffix)
      // A copy is made with the rights of what it was made of.
      chmodSync(copy + suffix, 0o600)
    }
    const db = opened(copy, busyMs, false)
    migrate(db, path)
    requireCurrent(db, path)
    return { db, dispose }
  } catch (error) {
    dispose()
    throw error
  }
}
