/**
 * Archival of whole ended runs, and the jump of epochs after a restore. The log's own triggers allow the removal of
 * events only for a ticket that is the head of an ended run (0002-append-only.sql); everything else of the run is
 * removed in the same transaction.
 */
import type { ArchiveAnswer } from '../../../ports/archive.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { forgetRun } from './feed.ts'
import { freeRun } from './grants.ts'
import { bytes, runRow, text } from './run-row.ts'
import { ENDED_STATUS, LIVE_STATUS } from './status.ts'
import { forgetWork } from './work.ts'

export const ARCHIVABLE = `SELECT * FROM runs WHERE ended_at IS NOT NULL AND ended_at < ? AND archived_at IS NULL
  AND ${ENDED_STATUS} ORDER BY ended_at, run_key LIMIT ?`
const RUN = `SELECT tenant_id, head_hash, archived_at, ${ENDED_STATUS} AS ended FROM runs WHERE run_key = ?`
/** A ticket may exist already if somebody inserted one by hand; its events were removed with it. */
const TICKET = 'INSERT INTO archive_tickets (run_key, head_hash) VALUES (?, ?) ON CONFLICT (run_key) DO NOTHING'
const MARK = 'UPDATE runs SET archived_at = ?, archived_to = ?, inbox_since = NULL WHERE run_key = ?'
const REST = ['run_inbox', 'run_context', 'run_blobs', 'run_snapshots', 'step_claims', 'event_waits', 'run_labels'].map(
  (table) => `DELETE FROM ${table} WHERE run_key = ?`,
)
const RAISE = `UPDATE runs SET epoch = epoch + 1, lease_owner = NULL, leased_until = NULL
  WHERE ${LIVE_STATUS}`

export async function archivableRuns(
  connection: Connection,
  endedBefore: number,
  limit: number,
): Promise<readonly RunRow[]> {
  return (await connection.read(() => connection.sql(ARCHIVABLE).all(endedBefore, limit))).map(runRow)
}

export async function archiveRun(
  connection: Connection,
  runKey: RunKey,
  ticket: Uint8Array,
  place: string | undefined,
  clock: Clock,
): Promise<ArchiveAnswer> {
  return connection.write(() => {
    const run = connection.sql(RUN).get(runKey)
    if (run === undefined) return 'no-run'
    if (run['ended'] !== 1) return 'not-terminal'
    if (Buffer.compare(bytes(run, 'head_hash'), ticket) !== 0) return 'head-moved'
    if (run['archived_at'] !== null) return 'archived'
    connection.sql(TICKET).run(runKey, ticket)
    for (const table of REST) connection.sql(table).run(runKey)
    forgetRun(connection, runKey)
    forgetWork(connection, runKey)
    const now = clock.now()
    freeRun(connection, { runKey, tenantId: text(run, 'tenant_id') }, now)
    connection.sql(MARK).run(now, place ?? null, runKey)
    return 'archived'
  })
}

export async function raiseEpochs(connection: Connection): Promise<number> {
  const { changes } = await connection.write(() => connection.sql(RAISE).run())
  return Number(changes)
}
