/**
 * Grants (P-18, P-19; docs/adr/0002-grants.md): a commit's releases, claims and waits in its own transaction, and the
 * state of pools for people. SQLite has one writer at a time, so no other claim can come between the check and the
 * claim.
 */
import type { Clock } from '../../../ports/clock.ts'
import type {
  GrantRefusal,
  GrantRelease,
  GrantRequest,
  GrantWait,
  PoolDefinition,
  PoolState,
  PoolUse,
  PoolUser,
  RunGrants,
} from '../../../ports/grants.ts'
import type { RunCommit, RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { giveBack, obstacle, takeUnits, usedNow } from './grant-pools.ts'
import {
  countBypass,
  leaveQueue,
  offerStirred,
  RUN_WAITS,
  setWaits,
  sweep,
  waitOf,
  wantsOf,
  type Turn,
  type WaitingSlot,
} from './grant-queue.ts'
import { number, text, type Columns } from './run-row.ts'

const PUT = `INSERT INTO pools (pool, capacity, window_ms, breaker_failures, breaker_open_ms) VALUES (?, ?, ?, ?, ?)`
const PUT_NEW = `${PUT} ON CONFLICT (pool) DO NOTHING`
/** A pool that becomes a quota starts at zero; one that stops being a quota counts the units that are held. */
const PUT_ANY = `${PUT} ON CONFLICT (pool) DO UPDATE SET capacity = excluded.capacity, window_ms = excluded.window_ms,
  breaker_failures = excluded.breaker_failures, breaker_open_ms = excluded.breaker_open_ms,
  used = CASE WHEN window_ms IS excluded.window_ms THEN used WHEN excluded.window_ms IS NOT NULL THEN 0
    ELSE (SELECT coalesce(sum(amount), 0) FROM grant_holds h WHERE h.pool = excluded.pool) END,
  window_number = CASE WHEN window_ms IS excluded.window_ms THEN window_number ELSE 0 END`
const HAS_POOL = 'SELECT 1 FROM pools WHERE pool = ?'
const LIST = `SELECT *, (SELECT count(*) FROM grant_waits w WHERE w.pool = p.pool) AS waiting FROM pools p`
const LIST_ALL = `${LIST} ORDER BY pool`
export const LIST_SOME = `${LIST} WHERE pool IN (SELECT value FROM json_each(?)) ORDER BY pool`
const HOLDERS = `SELECT r.tenant_id, r.run_id, h.slot, h.amount, h.since FROM grant_holds h JOIN runs r ON r.run_key = h.run_key
  WHERE h.pool = ? ORDER BY h.run_key, h.slot, h.attempt LIMIT ?`
const WAITERS = `SELECT r.tenant_id, r.run_id, w.slot, w.amount, w.since FROM grant_waits w JOIN runs r ON r.run_key = w.run_key
  WHERE w.pool = ? ORDER BY w.priority, w.place LIMIT ?`
const ANY_WAIT = 'SELECT 1 FROM grant_waits LIMIT 1'
const RUN_HOLDS = 'SELECT * FROM grant_holds WHERE run_key = ? ORDER BY slot, attempt, pool'
const IS_HELD = 'SELECT 1 FROM grant_holds WHERE run_key = ? AND slot = ? AND attempt = ? LIMIT 1'
const HOLD = 'INSERT INTO grant_holds (run_key, slot, attempt, pool, amount, since) VALUES (?, ?, ?, ?, ?, ?)'
const RELEASE = 'DELETE FROM grant_holds WHERE run_key = ? AND slot = ? AND attempt = ? RETURNING *'
const RELEASE_ALL = 'DELETE FROM grant_holds WHERE run_key = ? RETURNING *'
const POOL_TURN = `UPDATE pools SET turn = max(turn, coalesce((SELECT t.turn FROM pool_tenants t
  WHERE t.pool = pools.pool AND t.tenant_id = ?), turn)) WHERE pool = ? RETURNING turn`
const TENANT_TURN = `INSERT INTO pool_tenants (pool, tenant_id, turn) VALUES (?, ?, ?)
  ON CONFLICT (pool, tenant_id) DO UPDATE SET turn = excluded.turn`

interface Owner {
  readonly runKey: RunKey
  readonly tenantId: string
}

export function usesGrants({ claims, releases, waits }: RunCommit): boolean {
  return claims !== undefined || releases !== undefined || waits !== undefined
}

/** What a commit has done with grants so far. */
export interface GrantTurn {
  readonly turn: Turn
  /** If anything is refused, the caller must undo this whole commit. */
  readonly refused: readonly GrantRefusal[]
}

/** Tries the releases, then the claims. Within the commit's savepoint. */
export function takeGrants(connection: Connection, owner: Owner, one: RunCommit, now: number): GrantTurn {
  const turn: Turn = { connection, now, stirred: new Set() }
  if (one.releases === 'all') releaseAll(turn, owner)
  else for (const release of one.releases ?? []) releaseOne(turn, owner, release)
  const refused = (one.claims ?? []).flatMap((request) => claim(turn, owner, request) ?? [])
  return { turn, refused }
}

/** Sets the run's waiting slots, and offers what is free now; after the run's row was written. */
export function queueGrants({ turn }: GrantTurn, owner: Owner, one: RunCommit): void {
  if (one.waits !== undefined) setWaits(turn, owner.runKey, owner.tenantId, one.waits)
  offerStirred(turn)
}

/** Frees whatever the run holds or waits for; within the caller's transaction. */
export function freeRun(connection: Connection, owner: Owner, now: number): void {
  const turn: Turn = { connection, now, stirred: new Set() }
  releaseAll(turn, owner)
  offerStirred(turn)
}

function releaseAll(turn: Turn, { runKey, tenantId }: Owner): void {
  freeRows(turn, turn.connection.sql(RELEASE_ALL).all(runKey), 'neutral')
  setWaits(turn, runKey, tenantId, [])
}

function releaseOne(turn: Turn, { runKey }: Owner, { slot, attempt, result }: GrantRelease): void {
  freeRows(turn, turn.connection.sql(RELEASE).all(runKey, slot, attempt), result)
}

function freeRows({ connection, now, stirred }: Turn, rows: readonly Columns[], result: GrantRelease['result']): void {
  for (const row of rows) {
    const [pool, amount] = [text(row, 'pool'), number(row, 'amount')]
    const holder = holderOf(number(row, 'run_key'), { slot: text(row, 'slot'), attempt: number(row, 'attempt') })
    giveBack(connection, { pool, amount, holder }, result, now)
    stirred.add(pool)
  }
}

function holderOf(runKey: RunKey, { slot, attempt }: Pick<GrantRequest, 'slot' | 'attempt'>): string {
  return `${runKey}|${attempt}|${slot}`
}

const FRESH: WaitingSlot = { place: Number.MAX_SAFE_INTEGER, offered: false }

function claim(turn: Turn, owner: Owner, request: GrantRequest): GrantRefusal | undefined {
  const { connection, now } = turn
  const { slot, attempt, wants } = request
  if (connection.sql(IS_HELD).get(owner.runKey, slot, attempt) !== undefined) return undefined
  const waiting = waitOf(turn, owner.runKey, request)
  const asker = waiting ?? FRESH
  const inTheWay = obstacle(connection, wants, asker, now)
  if (inTheWay !== undefined) return { slot, ...inTheWay }
  for (const [pool, amount] of Object.entries(wants)) {
    connection.sql(HOLD).run(owner.runKey, slot, attempt, pool, amount, now)
    takeUnits(connection, { pool, amount, holder: holderOf(owner.runKey, request) }, now)
  }
  // A bypass by an offer was counted when the offer was made.
  if (!asker.offered) countBypass(turn, Object.keys(wants), asker.place, owner.runKey, slot)
  if (waiting === undefined) return undefined
  for (const pool of Object.keys(wants)) takeTurn(connection, pool, owner.tenantId)
  leaveQueue(turn, waiting.place)
  return undefined
}

/** Round robin: a tenant that was served goes behind those that were not. */
function takeTurn(connection: Connection, pool: string, tenantId: string): void {
  const row = connection.sql(POOL_TURN).get(tenantId, pool) ?? {}
  connection.sql(TENANT_TURN).run(pool, tenantId, number(row, 'turn') + 1)
}

export async function putPool(
  connection: Connection,
  definition: PoolDefinition,
  options: { readonly ifAbsent?: boolean } = {},
): Promise<void> {
  const { pool, capacity, windowMs = null, breaker } = definition
  const values = [pool, capacity, windowMs, breaker?.failures ?? null, breaker?.openMs ?? null]
  if (options.ifAbsent !== true) await connection.write(() => connection.sql(PUT_ANY).run(...values))
  else if ((await connection.read(() => connection.sql(HAS_POOL).get(pool))) === undefined)
    await connection.write(() => connection.sql(PUT_NEW).run(...values))
}

export async function listPools(
  connection: Connection,
  clock: Clock,
  pools?: readonly string[],
): Promise<readonly PoolState[]> {
  const rows = await connection.read(() =>
    pools === undefined ? connection.sql(LIST_ALL).all() : connection.sql(LIST_SOME).all(JSON.stringify(pools)),
  )
  const now = clock.now()
  return rows.map((row) => ({
    pool: text(row, 'pool'),
    capacity: number(row, 'capacity'),
    ...(row['window_ms'] === null ? {} : { windowMs: number(row, 'window_ms') }),
    ...(row['breaker_failures'] === null
      ? {}
      : { breaker: { failures: number(row, 'breaker_failures'), openMs: number(row, 'breaker_open_ms') } }),
    used: usedNow(row, now),
    waiting: number(row, 'waiting'),
    ...(row['breaker_failures'] === null || number(row, 'open_until') <= now
      ? {}
      : { openUntil: number(row, 'open_until') }),
  }))
}

export async function readPool(connection: Connection, pool: string, limit: number): Promise<PoolUse> {
  const [holders, waiters] = await connection.read(() => [
    connection.sql(HOLDERS).all(pool, limit),
    connection.sql(WAITERS).all(pool, limit),
  ])
  return {
    holders: (holders ?? []).map((row) => ({ ...poolUser(row), ...sinceOf(row) })),
    waiters: (waiters ?? []).map((row) => ({ ...poolUser(row), since: number(row, 'since') })),
  }
}

function sinceOf(row: Columns): { readonly since?: number } {
  return row['since'] === null ? {} : { since: number(row, 'since') }
}

function poolUser(row: Columns): PoolUser {
  const [tenantId, runId, slot] = [text(row, 'tenant_id'), text(row, 'run_id'), text(row, 'slot')]
  return { tenantId, runId, slot, amount: number(row, 'amount') }
}

export async function readGrants(connection: Connection, runKey: RunKey, clock: Clock): Promise<RunGrants> {
  const [holds, waits] = await connection.read(() => [
    bySlot(connection.sql(RUN_HOLDS).all(runKey)),
    bySlot(connection.sql(RUN_WAITS).all(runKey)),
  ])
  const now = clock.now()
  return { held: (holds ?? []).map(heldBy), waits: (waits ?? []).map((rows) => waitFrom(rows, now)) }
}

/** The rows of each slot and attempt, in order of arrival. */
function bySlot(rows: readonly Columns[]): readonly (readonly Columns[])[] {
  return [...Map.groupBy(rows, (row) => `${number(row, 'attempt')}#${text(row, 'slot')}`).values()]
}

function heldBy(rows: readonly Columns[]): RunGrants['held'][number] {
  const [row = {}] = rows
  return { slot: text(row, 'slot'), attempt: number(row, 'attempt'), wants: wantsOf(rows) }
}

function waitFrom(rows: readonly Columns[], now: number): GrantWait {
  const [row = {}] = rows
  return {
    ...heldBy(rows),
    priority: number(row, 'priority'),
    since: number(row, 'since'),
    ...(number(row, 'offered_until') > now ? { offeredUntil: number(row, 'offered_until') } : {}),
    bypassed: number(row, 'bypassed'),
  }
}

/** Takes no lock while nobody waits. */
export async function sweepGrants(connection: Connection, clock: Clock): Promise<number> {
  if ((await connection.read(() => connection.sql(ANY_WAIT).get())) === undefined) return 0
  return connection.write(() => sweep({ connection, now: clock.now(), stirred: new Set() }))
}
