/**
 * Leases and due runs: for liveness only; compare-and-set decides what may be written. The server's clock counts: only
 * the length of the lease comes from the caller's clock. Due runs are found through partial indexes, so that waiting
 * runs cost nothing, however many there are.
 */
import { WITHOUT_LEASE } from '../../../core/engine/engine-type.ts'
import { TAKING_UP } from '../../../core/engine/last-words.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import { number, runRow, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

const SERVER_NOW = 'floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint'
const ACQUIRE = `UPDATE keelson.runs SET lease_owner = $2, lease_until = coalesce($3::bigint, ${SERVER_NOW}) + $4::bigint,
    deaths = CASE WHEN lease_owner IS NULL THEN 0 WHEN lease_owner = $2 THEN deaths ELSE deaths + 1 END,
    doing = CASE WHEN lease_owner = $2 THEN doing END,
    taken_epoch = CASE WHEN lease_owner = $2 THEN taken_epoch ELSE epoch END,
    died_doing = CASE WHEN lease_owner = $2 THEN died_doing
      WHEN lease_owner IS NULL OR (doing IS NULL AND taken_epoch IS DISTINCT FROM epoch) THEN NULL
      ELSE coalesce(died_doing || chr(10), '') || coalesce(doing, '${TAKING_UP}') END
  WHERE run_key = $1
    AND (lease_owner IS NULL OR lease_owner IN ($2, $5) OR lease_until <= coalesce($3::bigint, ${SERVER_NOW}))
  RETURNING *`
const NOTE_DOING = 'UPDATE keelson.runs SET doing = $3 WHERE run_key = $1 AND lease_owner = $2'
const RELEASE = `UPDATE keelson.runs SET lease_owner = NULL, lease_until = NULL
  WHERE run_key = $1 AND lease_owner = $2`

const LIVE = `quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')`
const NOW = `coalesce($1::bigint, ${SERVER_NOW})`
const NOT_OUTSIDE = `engine_type NOT IN (${WITHOUT_LEASE.map((engine) => `'${engine}'`).join(', ')})`
const OURS = `${LIVE} AND ${NOT_OUTSIDE}`
const FREE = `(lease_owner IS NULL OR lease_owner = $2 OR lease_until <= ${NOW})`
/** A silent inbox row came with an offer, which does not touch the row of its run; of several the first one counts. */
const FIRST_SILENT = `i.silent AND i.consumed_seq IS NULL AND NOT EXISTS (SELECT 1 FROM keelson.run_inbox j
      WHERE j.run_key = i.run_key AND j.inbox_pos < i.inbox_pos AND j.silent AND j.consumed_seq IS NULL)`
/** The earliest due of each part. Work in flight without a lease, or with an expired one, has lost its driver. */
export const DUE = `(SELECT *, next_wake_at AS due_since FROM keelson.runs
    WHERE next_wake_at IS NOT NULL AND next_wake_at <= ${NOW} AND ${OURS} AND ${FREE}
    ORDER BY next_wake_at, run_key LIMIT $3)
  UNION ALL (SELECT *, inbox_since AS due_since FROM keelson.runs
    WHERE inbox_since IS NOT NULL AND ${OURS} AND ${FREE} ORDER BY inbox_since, run_key LIMIT $3)
  UNION ALL (SELECT *, lease_until AS due_since FROM keelson.runs
    WHERE owed AND ${OURS} AND lease_until <= ${NOW} ORDER BY lease_until, run_key LIMIT $3)
  UNION ALL (SELECT *, updated_at AS due_since FROM keelson.runs
    WHERE owed AND ${OURS} AND lease_until IS NULL ORDER BY updated_at, run_key LIMIT $3)
  UNION ALL (SELECT r.*, i.inserted_at AS due_since FROM keelson.run_inbox i
    JOIN keelson.runs r ON r.run_key = i.run_key AND ${OURS} AND ${FREE}
    WHERE ${FIRST_SILENT}
    ORDER BY i.inserted_at, i.run_key LIMIT $3)`
const LEASED = `${OURS} AND lease_until > ${NOW}`
export const LEASED_RUNS = `(SELECT *, lease_until AS due_since FROM keelson.runs
    WHERE owed AND ${LEASED} ORDER BY lease_until, run_key LIMIT $2)
  UNION ALL (SELECT *, lease_until AS due_since FROM keelson.runs
    WHERE next_wake_at IS NOT NULL AND next_wake_at <= ${NOW} AND ${LEASED} ORDER BY lease_until, run_key LIMIT $2)
  UNION ALL (SELECT *, lease_until AS due_since FROM keelson.runs
    WHERE inbox_since IS NOT NULL AND ${LEASED} ORDER BY lease_until, run_key LIMIT $2)
  UNION ALL (SELECT *, lease_until AS due_since FROM keelson.runs
    WHERE run_key = ANY (ARRAY(SELECT run_key FROM keelson.run_inbox WHERE silent AND consumed_seq IS NULL)) AND ${LEASED}
    ORDER BY lease_until, run_key LIMIT $2)`
const THEIRS = `${LIVE} AND engine_type = $3`
const UNTIL = `${NOW} - $2::bigint`
export const STALLED = `(SELECT *, next_wake_at AS due_since FROM keelson.runs
    WHERE next_wake_at IS NOT NULL AND next_wake_at <= ${UNTIL} AND ${THEIRS}
    ORDER BY next_wake_at, run_key LIMIT $4)
  UNION ALL (SELECT *, inbox_since AS due_since FROM keelson.runs
    WHERE inbox_since IS NOT NULL AND inbox_since <= ${UNTIL} AND ${THEIRS}
    ORDER BY inbox_since, run_key LIMIT $4)
  UNION ALL (SELECT r.*, i.inserted_at AS due_since FROM keelson.run_inbox i
    JOIN keelson.runs r ON r.run_key = i.run_key AND ${THEIRS}
    WHERE ${FIRST_SILENT} AND i.inserted_at <= ${UNTIL}
    ORDER BY i.inserted_at, i.run_key LIMIT $4)`

const ENDED_BY_INBOX = `SELECT * FROM keelson.runs WHERE inbox_since IS NOT NULL AND inbox_since <= $1
  AND quarantine IS NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED') AND ${NOT_OUTSIDE}
  ORDER BY inbox_since, run_key LIMIT $2`

export interface LeaseAsked {
  readonly runKey: RunKey
  readonly owner: string
  readonly now: number
  readonly until: number
  readonly gone: string | undefined
}

export async function acquireLease(
  session: Session,
  { runKey, owner, now, until, gone = owner }: LeaseAsked,
  clock: Clock | undefined,
): Promise<RunRow | undefined> {
  const from = clock === undefined ? undefined : now
  const [row] = await session.query(ACQUIRE, [runKey, owner, from, until - now, gone])
  return row === undefined ? undefined : runRow(row)
}

export async function releaseLease(session: Session, runKey: RunKey, owner: string): Promise<void> {
  await session.query(RELEASE, [runKey, owner])
}

export async function noteDoing(
  session: Session,
  runKey: RunKey,
  owner: string,
  doing: string | undefined,
): Promise<void> {
  await session.query(NOTE_DOING, [runKey, owner, doing])
}

export async function dueRuns(
  session: Session,
  now: number,
  owner: string,
  limit: number,
  clock: Clock | undefined,
): Promise<readonly RunRow[]> {
  return earliest(await session.query(DUE, [clock === undefined ? undefined : now, owner, limit]), limit)
}

export async function leasedRuns(
  session: Session,
  now: number,
  limit: number,
  clock: Clock | undefined,
): Promise<readonly RunRow[]> {
  return earliest(await session.query(LEASED_RUNS, [clock === undefined ? undefined : now, limit]), limit)
}

/** By the caller's clock: a few seconds do not matter here. */
export async function endedWithInboxRows(session: Session, until: number, limit: number): Promise<readonly RunRow[]> {
  return (await session.query(ENDED_BY_INBOX, [until, limit])).map(runRow)
}

export async function stalledRuns(
  session: Session,
  engineType: string,
  at: { readonly now: number; readonly forMs: number },
  limit: number,
  clock: Clock | undefined,
): Promise<readonly RunRow[]> {
  const values = [clock === undefined ? undefined : at.now, at.forMs, engineType, limit]
  return earliest(await session.query(STALLED, values), limit)
}

/** Ordered by the instant since which they are due, then by key; each run once. */
function earliest(found: readonly Columns[], limit: number): readonly RunRow[] {
  const since = (row: Columns): number => number(row, 'due_since')
  const rows = found.toSorted((a, b) => since(a) - since(b) || number(a, 'run_key') - number(b, 'run_key'))
  const first = new Map<number, Columns>()
  for (const row of rows) if (!first.has(number(row, 'run_key'))) first.set(number(row, 'run_key'), row)
  return [...first.values()].slice(0, limit).map(runRow)
}
