/**
 * Numbered SQL files, forward only. The number of the last applied one is the file's user_version; all missing ones are
 * applied in one transaction, so several processes that start at once apply them once, and a crash leaves nothing half
 * done.
 */
import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { fail } from '../../../core/problems/problem.ts'
import { copyLog } from './copy-log.ts'

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
  '0013-plans-of-tenants.sql',
  '0014-agents.sql',
  '0015-run-ids-of-tenants.sql',
  '0016-doing.sql',
  '0017-events.sql',
  '0018-labels.sql',
  '0019-appends.sql',
  '0020-plan-source.sql',
  '0021-server.sql',
  '0022-admission.sql',
  '0023-schedules.sql',
  '0024-work.sql',
  '0025-fleet.sql',
  '0026-who-and-since.sql',
  '0027-views.sql',
  '0028-erased-addresses.sql',
  '0029-ended-claims.sql',
  '0030-conditions-without-lists.sql',
] as const

/** Where SQL alone cannot say how: the log is copied between what comes before this line and what comes after it. */
const COPY_LOG = '-- here copy-log.ts copies the log\n'

/** "Keel": distinguishes our files from other programs' databases. */
const APPLICATION_ID = 0x4b65656c

/**
 * Refuses a database that is not ours or is newer than this version; changes nothing. Its questions are asked of one moment:
 * between two of them another process might make the database, and it would seem to be half ours.
 */
export function inspect(db: DatabaseSync, path: string): void {
  if (db.isTransaction) return judge(db, path)
  db.exec('BEGIN')
  try {
    judge(db, path)
  } finally {
    db.exec('ROLLBACK')
  }
}

function judge(db: DatabaseSync, path: string): void {
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

/** A reader cannot migrate an older file. */
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
    // Checked again now that nobody else can write: another process may have been faster, or newer.
    inspect(db, path)
    apply(db, MIGRATIONS.slice(numberOf(db, 'user_version')))
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

/** The correct schema of a version, in an empty database: files are compared with it. */
export function migrateTo(db: DatabaseSync, version: number): void {
  apply(db, MIGRATIONS.slice(0, version))
}

function apply(db: DatabaseSync, names: readonly string[]): void {
  for (const name of names) {
    const [before = '', after] = readFileSync(new URL(`./sql/${name}`, import.meta.url), 'utf8').split(COPY_LOG)
    db.exec(before)
    if (after === undefined) continue
    copyLog(db)
    db.exec(after)
  }
}

function numberOf(db: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0)
}
