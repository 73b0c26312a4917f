/**
 * Leases and due runs: for liveness only; compare-and-set decides what may be written. Due runs are found through three
 * partial indexes, so that waiting runs cost nothing, however many there are.
 */
import { WITHOUT_LEASE } from '../../../core/engine/engine-type.ts'
import { TAKING_UP } from '../../../core/engine/last-words.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { number, runRow, type Columns } from './run-row.ts'
import { ENDED_STATUS, LIVE_STATUS } from './status.ts'

const ACQUIRE = `UPDATE runs SET lease_owner = $owner, leased_until = $until,
    deaths = CASE WHEN lease_owner IS NULL THEN 0 WHEN lease_owner = $owner THEN deaths ELSE deaths + 1 END,
    doing = CASE WHEN lease_owner = $owner THEN doing END,
    taken_epoch = CASE WHEN lease_owner = $owner THEN taken_epoch ELSE epoch END,
    died_doing = CASE WHEN lease_owner = $owner THEN died_doing
      WHEN lease_owner IS NULL OR (doing IS NULL AND taken_epoch IS NOT epoch) THEN NULL
      ELSE coalesce(died_doing || char(10), '') || coalesce(doing, '${TAKING_UP}') END
  WHERE run_key = $key AND (lease_owner IS NULL OR lease_owner IN ($owner, $gone) OR leased_until <= $now) RETURNING *`
const NOTE_DOING = 'UPDATE runs SET doing = ? WHERE run_key = ? AND lease_owner = ?'
const RELEASE = 'UPDATE runs SET lease_owner = NULL, leased_until = NULL WHERE run_key = ? AND lease_owner = ?'

const LIVE = `quarantine IS NULL AND ${LIVE_STATUS}`
const NOT_OUTSIDE = `engine_type NOT IN (${WITHOUT_LEASE.map((engine) => `'${engine}'`).join(', ')})`
const OURS = `${LIVE} AND ${NOT_OUTSIDE}`
const DRIVABLE = `${OURS}
  AND (lease_owner IS NULL OR lease_owner = ? OR leased_until <= ?)`
export const DUE_BY_TIME = `SELECT *, next_wake_at AS due_since FROM runs
  WHERE next_wake_at IS NOT NULL AND next_wake_at <= ? AND ${DRIVABLE} ORDER BY next_wake_at, run_key LIMIT ?`
export const DUE_BY_INBOX = `SELECT *, inbox_since AS due_since FROM runs
  WHERE inbox_since IS NOT NULL AND ${DRIVABLE} ORDER BY inbox_since, run_key LIMIT ?`
/** Work in flight without a lease, or with an expired one: the driver is gone. */
export const DUE_BY_OWED = `SELECT *, coalesce(leased_until, updated_at) AS due_since FROM runs
  WHERE owed = 1 AND ${OURS}
  AND (leased_until IS NULL OR leased_until <= ?) ORDER BY due_since, run_key LIMIT ?`
const LEASED = `${OURS} AND leased_until > ?`
export const LEASED_BY_OWED = `SELECT *, leased_until AS due_since FROM runs
  WHERE owed = 1 AND ${LEASED} ORDER BY leased_until, run_key LIMIT ?`
export const LEASED_BY_TIME = `SELECT *, leased_until AS due_since FROM runs
  WHERE next_wake_at IS NOT NULL AND next_wake_at <= ? AND ${LEASED} ORDER BY next_wake_at, run_key LIMIT ?`
export const LEASED_BY_INBOX = `SELECT *, leased_until AS due_since FROM runs
  WHERE inbox_since IS NOT NULL AND ${LEASED} ORDER BY inbox_since, run_key LIMIT ?`
export const STALLED_BY_TIME = `SELECT *, next_wake_at AS due_since FROM runs WHERE next_wake_at IS NOT NULL
  AND next_wake_at <= ? AND ${LIVE} AND engine_type = ? ORDER BY next_wake_at, run_key LIMIT ?`
export const STALLED_BY_INBOX = `SELECT *, inbox_since AS due_since FROM runs WHERE inbox_since IS NOT NULL
  AND inbox_since <= ? AND ${LIVE} AND engine_type = ? ORDER BY inbox_since, run_key LIMIT ?`

export const ENDED_BY_INBOX = `SELECT *, inbox_since AS due_since FROM runs WHERE inbox_since IS NOT NULL
  AND inbox_since <= ? AND quarantine IS NULL AND ${ENDED_STATUS}
  AND ${NOT_OUTSIDE} ORDER BY inbox_since, run_key LIMIT ?`

export async function acquireLease(
  connection: Connection,
  runKey: RunKey,
  owner: string,
  now: number,
  until: number,
  gone: string = owner,
): Promise<RunRow | undefined> {
  const values = { $owner: owner, $until: until, $key: runKey, $gone: gone, $now: now }
  const row = await connection.write(() => connection.sql(ACQUIRE).get(values))
  return row === undefined ? undefined : runRow(row)
}

export async function releaseLease(connection: Connection, runKey: RunKey, owner: string): Promise<void> {
  await connection.write(() => connection.sql(RELEASE).run(runKey, owner))
}

export async function noteDoing(
  connection: Connection,
  runKey: RunKey,
  owner: string,
  doing: string | undefined,
): Promise<void> {
  await connection.write(() => connection.sql(NOTE_DOING).run(doing ?? null, runKey, owner))
}

export async function dueRuns(
  connection: Connection,
  now: number,
  owner: string,
  limit: number,
): Promise<readonly RunRow[]> {
  const [byTime, byInbox, byOwed] = await connection.read(() => [
    connection.sql(DUE_BY_TIME).all(now, owner, now, limit),
    connection.sql(DUE_BY_INBOX).all(owner, now, limit),
    connection.sql(DUE_BY_OWED).all(now, limit),
  ])
  return earliest([...(byTime ?? []), ...(byInbox ?? []), ...(byOwed ?? [])], limit)
}

export async function leasedRuns(connection: Connection, now: number, limit: number): Promise<readonly RunRow[]> {
  const parts = await connection.read(() => [
    connection.sql(LEASED_BY_OWED).all(now, limit),
    connection.sql(LEASED_BY_TIME).all(now, now, limit),
    connection.sql(LEASED_BY_INBOX).all(now, limit),
  ])
  return earliest(parts.flat(), limit)
}

export async function endedWithInboxRows(
  connection: Connection,
  until: number,
  limit: number,
): Promise<readonly RunRow[]> {
  return connection.read(() => connection.sql(ENDED_BY_INBOX).all(until, limit).map(runRow))
}

/** Runs stalled since `until` or before. */
export async function stalledRuns(
  connection: Connection,
  engineType: string,
  until: number,
  limit: number,
): Promise<readonly RunRow[]> {
  const parts = [STALLED_BY_TIME, STALLED_BY_INBOX]
  const rows = await connection.read(() => parts.flatMap((sql) => connection.sql(sql).all(until, engineType, limit)))
  return earliest(rows, limit)
}

/** Ordered by the instant since which they are due, then by key; each run once. */
function earliest(found: readonly Columns[], limit: number): readonly RunRow[] {
  const since = (row: Columns): number => number(row, 'due_since')
  const rows = found.toSorted((a, b) => since(a) - since(b) || number(a, 'run_key') - number(b, 'run_key'))
  const first = new Map<number, Columns>()
  for (const row of rows) if (!first.has(number(row, 'run_key'))) first.set(number(row, 'run_key'), row)
  return [...first.values()].slice(0, limit).map(runRow)
}
