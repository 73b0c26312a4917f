/**
 * Leases and due runs: liveness only; what may be written is decided by compare and set. Due runs are found through three
 * partial indexes, so that runs which wait cost nothing, however many there are.
 */
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import { number, runRow, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

const ACQUIRE = `UPDATE keelson.runs SET lease_owner = $2, lease_until = $4
  WHERE run_key = $1 AND (lease_owner IS NULL OR lease_owner = $2 OR lease_until <= $3) RETURNING *`
const RELEASE = `UPDATE keelson.runs SET lease_owner = NULL, lease_until = NULL
  WHERE run_key = $1 AND lease_owner = $2`

const LIVE = `quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')`
const FREE = '(lease_owner IS NULL OR lease_owner = $2 OR lease_until <= $1)'
/** In each part the earliest due. Work in flight under a lease that ran out, or under none, lost its driver. */
export const DUE = `(SELECT *, next_wake_at AS due_since FROM keelson.runs
    WHERE next_wake_at IS NOT NULL AND next_wake_at <= $1 AND ${LIVE} AND ${FREE}
    ORDER BY next_wake_at, run_key LIMIT $3)
  UNION ALL (SELECT *, inbox_since AS due_since FROM keelson.runs
    WHERE inbox_since IS NOT NULL AND ${LIVE} AND ${FREE} ORDER BY inbox_since, run_key LIMIT $3)
  UNION ALL (SELECT *, lease_until AS due_since FROM keelson.runs
    WHERE owed AND ${LIVE} AND lease_until <= $1 ORDER BY lease_until, run_key LIMIT $3)
  UNION ALL (SELECT *, updated_at AS due_since FROM keelson.runs
    WHERE owed AND ${LIVE} AND lease_until IS NULL ORDER BY updated_at, run_key LIMIT $3)`

export async function acquireLease(
  session: Session,
  runKey: RunKey,
  owner: string,
  now: number,
  until: number,
): Promise<RunRow | undefined> {
  const [row] = await session.query(ACQUIRE, [runKey, owner, now, until])
  return row === undefined ? undefined : runRow(row)
}

export async function releaseLease(session: Session, runKey: RunKey, owner: string): Promise<void> {
  await session.query(RELEASE, [runKey, owner])
}

/** In order of the instant since which they are due, then of their keys. */
export async function dueRuns(session: Session, now: number, owner: string, limit: number): Promise<readonly RunRow[]> {
  const rows = [...(await session.query(DUE, [now, owner, limit]))]
  const since = (row: Columns): number => number(row, 'due_since')
  rows.sort((a, b) => since(a) - since(b) || number(a, 'run_key') - number(b, 'run_key'))
  const first = new Map<number, Columns>()
  for (const row of rows) if (!first.has(number(row, 'run_key'))) first.set(number(row, 'run_key'), row)
  return [...first.values()].slice(0, limit).map(runRow)
}
