/**
 * Grants (P-18, P-19, docs/adr/0002-grants.md): pools, and what runs hold and wait for. Claims, releases and waits are
 * part of the commit; the database does the counting, under the locks of the affected pools.
 */
import type { Clock } from '../../../ports/clock.ts'
import type { PoolDefinition, PoolState, PoolUse, PoolUser, RunGrants } from '../../../ports/grants.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import { claimOf, NOW, waitOf, WAITS } from './grant-queue.ts'
import { number, text, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

const INSERT = `INSERT INTO keelson.pools (pool, capacity, window_ms, breaker_failures, breaker_open_ms)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (pool)`
const DECLARE = `${INSERT} DO NOTHING`
const PUT = `${INSERT} DO UPDATE SET capacity = excluded.capacity, window_ms = excluded.window_ms,
  breaker_failures = excluded.breaker_failures, breaker_open_ms = excluded.breaker_open_ms`
const POOLS = `SELECT p.*, CASE WHEN p.window_ms IS NULL THEN p.used
    WHEN p.taken_window = ${NOW} / p.window_ms THEN p.taken ELSE 0 END AS units,
  p.breaker_failures IS NOT NULL AND coalesce(p.open_until > ${NOW}, false) AS is_open,
  (SELECT count(*) FROM keelson.grant_wait_pools w WHERE w.pool = p.pool) AS waiting
  FROM keelson.pools p`
const ALL_POOLS = `${POOLS} ORDER BY p.pool`
const SOME_POOLS = `${POOLS} WHERE p.pool = ANY ($2) ORDER BY p.pool`
const HOLDERS = `SELECT r.tenant_id, r.run_id, h.slot, h.amount, h.since FROM keelson.grants h JOIN keelson.runs r ON r.run_key = h.run_key
  WHERE h.pool = $1 ORDER BY h.run_key, h.slot COLLATE "C", h.attempt LIMIT $2`
const WAITERS = `SELECT r.tenant_id, r.run_id, w.slot, p.amount, w.since FROM keelson.grant_wait_pools p
  JOIN keelson.grant_waits w ON w.place = p.place JOIN keelson.runs r ON r.run_key = w.run_key
  WHERE p.pool = $1 ORDER BY w.priority, w.place LIMIT $2`
/** One statement, so that a slot is never seen between the queue and its grant. */
const GRANTS = `SELECT slot COLLATE "C" AS slot, attempt, jsonb_object_agg(pool, amount) AS wants, true AS is_held,
    NULL::float8 AS priority, NULL::bigint AS since, NULL::bigint AS bypassed, NULL::bigint AS offered_until
  FROM keelson.grants WHERE run_key = $2 GROUP BY slot, attempt
  UNION ALL ${WAITS} ORDER BY slot, attempt`

export async function putPool(
  session: Session,
  definition: PoolDefinition,
  options?: { readonly ifAbsent?: boolean },
): Promise<void> {
  const { pool, capacity, windowMs, breaker } = definition
  const values = [pool, capacity, windowMs, breaker?.failures, breaker?.openMs]
  await session.query(options?.ifAbsent === true ? DECLARE : PUT, values)
}

export async function listPools(
  session: Session,
  clock: Clock | undefined,
  pools?: readonly string[],
): Promise<readonly PoolState[]> {
  const now = clock?.now()
  const rows = pools === undefined ? session.query(ALL_POOLS, [now]) : session.query(SOME_POOLS, [now, pools])
  return (await rows).map(poolState)
}

function poolState(row: Columns): PoolState {
  return {
    pool: text(row, 'pool'),
    capacity: number(row, 'capacity'),
    ...(row['window_ms'] === null ? {} : { windowMs: number(row, 'window_ms') }),
    ...(row['breaker_failures'] === null
      ? {}
      : { breaker: { failures: number(row, 'breaker_failures'), openMs: number(row, 'breaker_open_ms') } }),
    used: number(row, 'units'),
    waiting: number(row, 'waiting'),
    ...(row['is_open'] === true ? { openUntil: number(row, 'open_until') } : {}),
  }
}

export async function readPool(session: Session, pool: string, limit: number): Promise<PoolUse> {
  const holders = await session.query(HOLDERS, [pool, limit])
  const waiters = await session.query(WAITERS, [pool, limit])
  return {
    holders: holders.map((row) => ({ ...poolUser(row), ...sinceOf(row) })),
    waiters: waiters.map((row) => ({ ...poolUser(row), since: number(row, 'since') })),
  }
}

function sinceOf(row: Columns): { readonly since?: number } {
  return row['since'] === null ? {} : { since: number(row, 'since') }
}

function poolUser(row: Columns): PoolUser {
  const [tenantId, runId, slot] = [text(row, 'tenant_id'), text(row, 'run_id'), text(row, 'slot')]
  return { tenantId, runId, slot, amount: number(row, 'amount') }
}

export async function readGrants(session: Session, runKey: RunKey, clock: Clock | undefined): Promise<RunGrants> {
  const rows = await session.query(GRANTS, [clock?.now(), runKey])
  return {
    held: rows.filter((row) => row['is_held'] === true).map(claimOf),
    waits: rows.filter((row) => row['is_held'] === false).map(waitOf),
  }
}
