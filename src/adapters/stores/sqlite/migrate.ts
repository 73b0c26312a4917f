/**
 * Numbered SQL files, forward only. The number of the last one applied is the file's user_version; all missing ones are
 * applied in one transaction, so two processes that start at once do it once, and a crash leaves nothing half done.
 */
import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { fail } from '../../../core/problems/problem.ts'

export const MIGRATIONS = [
  '0001-runs-and-events.sql',
  '0002-append-only.sql',
  '0003-inbox-context-blobs.sql',
  '0004-plans-snapshots-claims.sql',
  '0005-grants.sql',
  '0006-feed.sql',
  '0007-archive-counts.sql',
  '0008-refused-waits.sql',
  '0009-engine-refs.sql',
  '0010-letters-to-ended.sql',
  '0011-archived-to.sql',
  '0012-deaths.sql',
] as const

/** "Keel": tells our files from other programs' databases. */
const APPLICATION_ID = 0x4b65656c

/** Refuses a database that is not ours or is newer than this version; changes nothing. */
export function inspect(db: DatabaseSync, path: string): void {
  const version = numberOf(db, 'user_version')
  const owner = numberOf(db, 'application_id')
  const tables = db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count']
  if (owner !== APPLICATION_ID && (owner !== 0 || version !== 0 || tables !== 0))
    fail('STORE_CORRUPT', `The database ${path} belongs to another program.`)
  if (version > MIGRATIONS.length)
    fail(
      'STORE_SCHEMA_NEWER',
      `The database ${path} has schema ${version}; this version of Keelson knows ${MIGRATIONS.length}.`,
    )
}

export function isOlder(db: DatabaseSync): boolean {
  return numberOf(db, 'user_version') < MIGRATIONS.length
}

/** A reader cannot bring an older file up to date. */
export function requireCurrent(db: DatabaseSync, path: string): void {
  const version = numberOf(db, 'user_version')
  if (version < MIGRATIONS.length)
    fail(
      'STORE_READ_ONLY',
      `The database ${path} has schema ${version}, older than ${MIGRATIONS.length}: open it for writing once.`,
    )
}

export function migrate(db: DatabaseSync, path: string): void {
  if (numberOf(db, 'user_version') === MIGRATIONS.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    // Again, now that nobody else can write: another process may have been quicker, or newer.
    inspect(db, path)
    const missing = MIGRATIONS.slice(numberOf(db, 'user_version'))
    for (const name of missing) db.exec(readFileSync(new URL(`./sql/${name}`, import.meta.url), 'utf8'))
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

function numberOf(db: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0)
}
