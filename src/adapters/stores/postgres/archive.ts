/**
 * Archival of whole ended runs, and the jump of epochs after a restore (STO-15). The database itself removes a run's
 * log, under a ticket that only the archiving role may write; the row of the run is left.
 */
import type { ArchiveAnswer } from '../../../ports/archive.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import { number, runRow, text } from './run-row.ts'
import type { Session } from './session.ts'

const ENDED = `status IN ('COMPLETED', 'FAILED', 'CANCELLED')`
export const ARCHIVABLE = `SELECT * FROM keelson.runs WHERE archived_at IS NULL AND ${ENDED} AND ended_at < $1
  ORDER BY ended_at, run_key LIMIT $2`
const ARCHIVE = 'SELECT keelson.cut_archive_ticket($1, $2, $3, $4) AS answer'
/** Locked in the order of commits, so that no commit deadlocks with it. */
const RAISE = `WITH open AS MATERIALIZED (
    SELECT run_key FROM keelson.runs WHERE NOT ${ENDED} ORDER BY run_key FOR NO KEY UPDATE
  ), raised AS (
    UPDATE keelson.runs r SET epoch = r.epoch + 1, lease_owner = NULL, lease_until = NULL
    FROM open WHERE r.run_key = open.run_key RETURNING 1
  )
  SELECT count(*) AS runs FROM raised`

export async function archivableRuns(session: Session, endedBefore: number, limit: number): Promise<readonly RunRow[]> {
  return (await session.query(ARCHIVABLE, [endedBefore, limit])).map(runRow)
}

export async function archiveRun(
  session: Session,
  runKey: RunKey,
  ticket: Uint8Array,
  place: string | undefined,
  clock: Clock | undefined,
): Promise<ArchiveAnswer> {
  const [row = {}] = await session.query(ARCHIVE, [runKey, Buffer.from(ticket), clock?.now(), place])
  return text(row, 'answer') as ArchiveAnswer
}

export async function raiseEpochs(session: Session): Promise<number> {
  const [row = {}] = await session.query(RAISE)
  return number(row, 'runs')
}
