/**
 * What a pool has and whether a claim fits it (docs/adr/0002-grants.md, "Counting" and "What fits"): units in use,
 * quotas by window, breakers. Every function works within the caller's transaction.
 */
import type { GrantRefusal, GrantRelease } from '../../../ports/grants.ts'
import type { Connection } from './connect.ts'
import { number, type Columns } from './run-row.ts'

const POOL = 'SELECT * FROM pools WHERE pool = ?'
/** Units reserved for others, and the number of others: a half-open breaker lets one attempt through. */
export const OFFERED = `SELECT coalesce(sum(amount), 0) AS units, count(*) AS slots FROM grant_waits
  WHERE pool = ? AND offered_until > ? AND place <> ?`
/** A run that was set aside or has ended would never take an offer. */
export const SERVABLE = `EXISTS (SELECT 1 FROM runs r WHERE r.run_key = w.run_key AND r.quarantine IS NULL
  AND r.status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED'))`
/** Once units are reserved for a waiter, no more is kept for it. */
export const STARVING = `SELECT 1 FROM grant_waits w INDEXED BY grant_waits_starving
  WHERE pool = ? AND bypassed >= 10 AND place < ?
  AND (offered_until IS NULL OR offered_until <= ?) AND ${SERVABLE} LIMIT 1`
const TAKE = 'UPDATE pools SET used = ?, window_number = ?, probe = coalesce(?, probe) WHERE pool = ?'
/** Only time frees a quota. */
const FREE = `UPDATE pools SET used = iif(window_ms IS NULL, max(0, used - ?), used), probe = nullif(probe, ?)
  WHERE pool = ?`
const CLOSE = 'UPDATE pools SET failures = 0, open_until = NULL, probe = NULL WHERE pool = ? AND failures > 0'
const FAILED = `UPDATE pools SET failures = failures + 1, open_until = CASE
    WHEN open_until <= ?1 OR failures + 1 >= breaker_failures THEN ?1 + breaker_open_ms ELSE open_until END
  WHERE pool = ?2 AND breaker_failures IS NOT NULL`

/** A claimant: its place in the queue, or one behind all others, and whether units are reserved for it. */
export interface Asker {
  readonly place: number
  readonly offered: boolean
}

type Obstacle = Omit<GrantRefusal, 'slot'>

/** Impossible claims first, then the first pool by name that lacks units; undefined when everything fits. */
export function obstacle(
  connection: Connection,
  wants: Readonly<Record<string, number>>,
  asker: Asker,
  now: number,
): Obstacle | undefined {
  const pools = Object.keys(wants)
    .sort()
    .map((pool) => ({ pool, amount: wants[pool] ?? 0, row: connection.sql(POOL).get(pool) }))
  for (const { pool, amount, row } of pools)
    if (row === undefined || amount > number(row, 'capacity')) return { pool, impossible: true }
  for (const { pool, amount, row = {} } of pools) {
    const found = obstacleIn(connection, pool, amount, row, asker, now)
    if (found !== undefined) return found
  }
  return undefined
}

function obstacleIn(
  connection: Connection,
  pool: string,
  amount: number,
  row: Columns,
  asker: Asker,
  now: number,
): Obstacle | undefined {
  const offered = connection.sql(OFFERED).get(pool, now, asker.place) ?? {}
  if (row['breaker_failures'] !== null && number(row, 'open_until') > now)
    return { pool, retryAt: number(row, 'open_until') }
  if (isHalfOpen(row, now) && (row['probe'] !== null || number(offered, 'slots') > 0)) return { pool }
  const full = usedNow(row, now) + number(offered, 'units') + amount > number(row, 'capacity')
  const kept = !asker.offered && connection.sql(STARVING).get(pool, asker.place, now) !== undefined
  if (!full && !kept) return undefined
  const windowMs = number(row, 'window_ms')
  return windowMs === 0 ? { pool } : { pool, retryAt: (windowOf(row, now) + 1) * windowMs }
}

/** After the open time of the breaker, before a release tells its new state: one attempt at a time. */
function isHalfOpen(row: Columns, now: number): boolean {
  return row['breaker_failures'] !== null && row['open_until'] !== null && number(row, 'open_until') <= now
}

/** For a quota, the units taken in the window of `now`. */
export function usedNow(row: Columns, now: number): number {
  return number(row, 'window_number') === windowOf(row, now) ? number(row, 'used') : 0
}

function windowOf(row: Columns, now: number): number {
  return row['window_ms'] === null ? 0 : Math.floor(now / number(row, 'window_ms'))
}

/** Units that are neither held nor offered. */
export function freeUnits(connection: Connection, pool: string, now: number): number {
  const row = connection.sql(POOL).get(pool)
  if (row === undefined) return 0
  const offered = connection.sql(OFFERED).get(pool, now, -1) ?? {}
  return number(row, 'capacity') - usedNow(row, now) - number(offered, 'units')
}

/** Units of one pool that one attempt takes or frees. */
export interface Units {
  readonly pool: string
  readonly amount: number
  /** Names run, slot and attempt. */
  readonly holder: string
}

export function takeUnits(connection: Connection, { pool, amount, holder }: Units, now: number): void {
  const row = connection.sql(POOL).get(pool) ?? {}
  const probe = isHalfOpen(row, now) ? holder : null
  connection.sql(TAKE).run(usedNow(row, now) + amount, windowOf(row, now), probe, pool)
}

export function giveBack(connection: Connection, units: Units, result: GrantRelease['result'], now: number): void {
  const { pool, amount, holder } = units
  connection.sql(FREE).run(amount, holder, pool)
  if (result === 'ok') connection.sql(CLOSE).run(pool)
  if (result === 'failed') connection.sql(FAILED).run(now, pool)
}
