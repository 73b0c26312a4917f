/**
 * Numbered SQL files, forward only, in our own schema. All missing ones are applied in one transaction under an
 * advisory lock, so several processes that start at once apply them once, and a crash leaves nothing half done. A
 * database that is up to date is only read: the role of a runner need not be able to change the schema.
 */
import { readFileSync } from 'node:fs'
import { fail } from '../../../core/problems/problem.ts'
import { quoted, renewRights } from './roles.ts'
import { number, text } from './run-row.ts'
import type { Session, Sessions, Transaction } from './session.ts'

export const MIGRATIONS = [
  '0001-runs-and-events.sql',
  '0002-append-only.sql',
  '0003-inbox-context-blobs.sql',
  '0004-plans-snapshots-claims.sql',
  '0005-commit.sql',
  '0006-letters.sql',
  '0007-counts.sql',
  '0008-feed.sql',
  '0009-grants.sql',
  '0010-grant-queue.sql',
  '0011-archive.sql',
  '0012-commit.sql',
  '0013-refused-waits.sql',
  '0014-engine-refs.sql',
  '0015-letters-to-ended.sql',
  '0016-archived-to.sql',
  '0017-deaths.sql',
  '0018-plans-of-tenants.sql',
  '0019-roles.sql',
  '0020-run-ids-of-tenants.sql',
  '0021-doing.sql',
  '0022-events.sql',
  '0023-turns-without-reads.sql',
  '0024-plain-commits.sql',
  '0025-labels.sql',
  '0026-plan-source.sql',
  '0027-server.sql',
  '0028-admission.sql',
  '0029-schedules.sql',
  '0030-work.sql',
  '0031-fleet.sql',
  '0032-who-and-since.sql',
  '0033-views.sql',
  '0034-erased-addresses.sql',
  '0035-ended-claims.sql',
] as const

/** "Keel": advisory locks are numbers that all programs of a database share. */
const LOCK = 0x4b65656c
/** Reads the catalog's rows: look-ups by name use a cache that may not yet know what was made a moment ago. */
const FOUND = `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'keelson') AS schema,
  EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'keelson' AND tablename = 'migrations') AS migrations`
const OWNER = `SELECT pg_get_userbyid(n.nspowner)::text AS owner,
  pg_get_userbyid(n.nspowner) <> current_user AND pg_has_role(n.nspowner, 'MEMBER') AS member
  FROM pg_namespace n WHERE n.nspname = 'keelson'`
const VERSION = 'SELECT coalesce(max(version), 0) AS version FROM keelson.migrations'
const TABLE = `CREATE TABLE keelson.migrations (version integer PRIMARY KEY, name text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now())`

export async function migrate(connection: Sessions, mustExist = false): Promise<void> {
  const found = await versionOf(connection, connection.database)
  if (found === MIGRATIONS.length) return
  if (found === undefined && mustExist)
    fail('STORE_NOT_FOUND', `The database ${connection.database} has no runs: no Keelson has used it yet.`)
  await connection.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    // Checked again now that nobody else migrates: another process may have been faster, or newer.
    const version = await versionOf(transaction, connection.database)
    if (version === undefined) {
      await transaction.query('CREATE SCHEMA keelson')
      await transaction.query(TABLE)
    }
    await becomeOwner(transaction)
    for (const [index, name] of MIGRATIONS.entries()) {
      if (index < (version ?? 0)) continue
      await transaction.script(readFileSync(new URL(`./sql/${name}`, import.meta.url), 'utf8'))
      await transaction.query('INSERT INTO keelson.migrations (version, name) VALUES ($1, $2)', [index + 1, name])
    }
    await renewRights(transaction)
  })
}

/** New objects get the owner of the existing ones, whichever member of the owner's role creates them. */
async function becomeOwner(transaction: Transaction): Promise<void> {
  const [row] = await transaction.query(OWNER)
  if (row?.['member'] === true) await transaction.script(`SET LOCAL ROLE ${quoted(text(row, 'owner'))}`)
}

/** Undefined where nothing of Keelson exists. */
async function versionOf(session: Session, database: string): Promise<number | undefined> {
  const [found] = await session.query(FOUND)
  if (found?.['schema'] !== true) return undefined
  if (found['migrations'] !== true)
    return fail('STORE_CORRUPT', `The database ${database} has a schema keelson that belongs to another program.`)
  const [row] = await session.query(VERSION)
  const version = number(row ?? {}, 'version')
  if (version <= MIGRATIONS.length) return version
  return fail(
    'STORE_SCHEMA_NEWER',
    `The database ${database} has schema ${version}; this version of Keelson knows ${MIGRATIONS.length}.`,
  )
}
