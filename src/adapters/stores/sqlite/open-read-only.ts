/**
 * A database that can only be read: in a folder or on a disk without write access, or of another user. A reader of a
 * write-ahead log needs a file beside the database. Where it cannot create one, a database without a log is opened as
 * unchanging, and one with a log is copied together with it, so that no committed data is missed.
 */
import { STORE_FILE } from '../../../core/state-folder.ts'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { inspect, isOlder, migrate, requireCurrent } from './migrate.ts'
import { cannotOpen } from './failure.ts'

export interface ReadOnlyDatabase {
  readonly db: DatabaseSync
  /** Removes temporary copies; called after the database was closed. */
  readonly dispose: () => void
}

export function openReadOnly(path: string, busyMs: number): ReadOnlyDatabase {
  try {
    const db = opened(path, busyMs)
    if (!isOlder(db)) return { db, dispose: () => undefined }
    db.close()
  } catch (error) {
    if (!cannotOpen(error)) throw error
    if (!LOGS.some((log) => isFilled(path + log))) return openUnchanging(path, busyMs)
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

/** What lies beside a database and belongs to it: the write-ahead log, or what a writer that died would have taken back. */
const LOGS = ['-wal', '-journal'] as const

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Every writer has a log beside the file; without a log nobody writes. */
function openUnchanging(path: string, busyMs: number): ReadOnlyDatabase {
  const url = pathToFileURL(path)
  url.search = '?immutable=1'
  const db = opened(url, busyMs)
  if (!isOlder(db)) return { db, dispose: () => undefined }
  db.close()
  return openCopy(path, busyMs)
}

/** A copy can also be migrated when its schema is older. */
function openCopy(path: string, busyMs: number): ReadOnlyDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-read-'))
  const dispose = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, STORE_FILE)
    for (const suffix of ['', ...LOGS.filter((log) => isFilled(path + log))]) {
      copyFileSync(path + suffix, copy + suffix)
      // A copy would otherwise have the permissions of its source.
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
