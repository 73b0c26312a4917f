/**
 * Grants (P-18, P-19, docs/adr/0002-grants.md): pools of units, who holds them, and what a commit claims and frees. A
 * commit works on a copy of the tables, so that a refused commit leaves nothing behind.
 */
import type {
  GrantRefusal,
  GrantRelease,
  GrantRequest,
  PoolDefinition,
  PoolState,
  PoolUse,
  PoolUser,
  RunGrants,
} from '../../../ports/grants.ts'
import type { RunCommit, RunKey, RunRow } from '../../../ports/run-store.ts'
import { grantKey, type MemoryDisk, type MemoryGrant, type MemoryGrants, type MemoryPool } from './connect.ts'
import {
  bypassOlder,
  isOffered,
  isHalfOpen,
  obstacle,
  offerUnits,
  setWaits,
  usedUnits,
  writeToRefused,
} from './grant-queue.ts'

export function putPool(disk: MemoryDisk, definition: PoolDefinition, options?: { readonly ifAbsent?: boolean }): void {
  const { pools } = disk.grants
  const known = pools.get(definition.pool)
  if (known !== undefined && options?.ifAbsent === true) return
  const fresh = { taken: { window: 0, units: 0 }, turn: 0, tenantTurns: new Map<string, number>(), failures: 0 }
  pools.set(definition.pool, Object.freeze({ ...fresh, ...known, definition: structuredClone(definition) }))
}

export function listPools(disk: MemoryDisk, now: number, asked?: readonly string[]): readonly PoolState[] {
  const { pools, waits } = disk.grants
  const found = asked === undefined ? [...pools.values()] : [...new Set(asked)].flatMap((pool) => pools.get(pool) ?? [])
  const states = found.map((pool): PoolState => {
    const { definition, openUntil } = pool
    const waiting = [...waits.values()].filter(({ wants }) => definition.pool in wants).length
    const isOpen = definition.breaker !== undefined && openUntil !== undefined && now < openUntil
    return { ...definition, used: usedUnits(disk.grants, pool, now), waiting, ...(isOpen ? { openUntil } : {}) }
  })
  return states.sort((a, b) => (a.pool < b.pool ? -1 : 1))
}

export function readPool(disk: MemoryDisk, pool: string, limit: number): PoolUse {
  const { held, waits } = disk.grants
  const holders = [...held.values()]
    .filter(({ wants }) => pool in wants)
    .sort((a, b) => a.runKey - b.runKey || bySlot(a, b))
  const waiters = [...waits.values()].filter(({ wants }) => pool in wants)
  waiters.sort((a, b) => a.priority - b.priority || a.place - b.place)
  const user = ({ runKey, slot, wants, since }: MemoryGrant): PoolUser & { readonly since: number } => {
    const { tenantId = '', runId = '' } = disk.runs[runKey - 1]?.row ?? {}
    return { tenantId, runId, slot, amount: wants[pool] ?? 0, since }
  }
  return { holders: holders.slice(0, limit).map(user), waiters: waiters.slice(0, limit).map(user) }
}

export function readGrants(disk: MemoryDisk, runKey: RunKey, now: number): RunGrants {
  const held = [...disk.grants.held.values()].filter((grant) => grant.runKey === runKey).sort(bySlot)
  const waits = [...disk.grants.waits.values()].filter((row) => row.runKey === runKey).sort(bySlot)
  return {
    held: held.map(({ slot, attempt, wants }) => ({ slot, attempt, wants })),
    waits: waits.map((row) => {
      const { slot, attempt, wants, priority, since, bypassed, offeredUntil } = row
      const offer = isOffered(row, now) && offeredUntil !== undefined ? { offeredUntil } : {}
      return { slot, attempt, wants, priority, since, bypassed, ...offer }
    }),
  }
}

type SlotAttempt = Pick<GrantRequest, 'slot' | 'attempt'>
const bySlot = (a: SlotAttempt, b: SlotAttempt): number =>
  a.slot === b.slot ? a.attempt - b.attempt : a.slot < b.slot ? -1 : 1

/** Takes back expired offers, notifies waiters that can never be served, then offers what is free. */
export function sweepGrants(disk: MemoryDisk, now: number): number {
  const { waits, pools } = disk.grants
  for (const [key, row] of waits) {
    if (row.offeredUntil === undefined || isOffered(row, now)) continue
    const { offeredUntil, ...rest } = row
    waits.set(key, Object.freeze(rest))
  }
  writeToRefused(disk, now)
  return offerUnits(disk, pools.keys(), now)
}

/** The tables as a commit would leave them, before it is accepted, and the pools it freed units of. */
export interface GrantTurn {
  readonly tables: MemoryGrants
  readonly freed: Set<string>
  readonly refused: readonly GrantRefusal[]
}

/** Tries the releases, then the claims. Undefined for a commit that does not concern grants. */
export function takeGrants(disk: MemoryDisk, run: RunRow, one: RunCommit, now: number): GrantTurn | undefined {
  const { releases, claims = [], waits } = one
  if (releases === undefined && claims.length === 0 && waits === undefined) return undefined
  const { pools, held, waits: rows, places } = disk.grants
  const tables = { pools: new Map(pools), held: new Map(held), waits: new Map(rows), places }
  const freed = new Set<string>()
  if (releases === 'all') releaseAll(tables, run.runKey, freed, now)
  else for (const release of releases ?? []) releaseGrant(tables, run.runKey, release, freed, now)
  const refused: GrantRefusal[] = []
  for (const request of claims) {
    const refusal = claim(disk, tables, run, request, now)
    if (refusal !== undefined) refused.push(refusal)
  }
  return { tables, freed, refused }
}

/** Sets the run's waiting slots, and makes the offers that the freed units allow. */
export function queueGrants(disk: MemoryDisk, run: RunRow, one: RunCommit, turn: GrantTurn, now: number): void {
  const { tables, freed } = turn
  if (one.waits !== undefined) setWaits(tables, run.runKey, one.waits, freed, now)
  offerUnits(disk, freed, now)
}

/** Frees whatever a run still holds or waits for: the run can no longer do so itself. */
export function freeRun(disk: MemoryDisk, runKey: RunKey, now: number): void {
  const freed = new Set<string>()
  releaseAll(disk.grants, runKey, freed, now)
  offerUnits(disk, freed, now)
}

function releaseAll(tables: MemoryGrants, runKey: RunKey, freed: Set<string>, now: number): void {
  for (const grant of tables.held.values())
    if (grant.runKey === runKey) releaseGrant(tables, runKey, { ...grant, result: 'neutral' }, freed, now)
  setWaits(tables, runKey, [], freed, now)
}

function releaseGrant(
  tables: MemoryGrants,
  runKey: RunKey,
  release: GrantRelease,
  freed: Set<string>,
  now: number,
): void {
  const key = grantKey(runKey, release)
  const grant = tables.held.get(key)
  if (grant === undefined) return
  tables.held.delete(key)
  for (const name of Object.keys(grant.wants)) {
    freed.add(name)
    const pool = tables.pools.get(name)
    if (pool !== undefined) tables.pools.set(name, Object.freeze(afterRelease(pool, key, release.result, now)))
  }
}

/**
 * The states of a breaker (RTY-12): consecutive failures open it, one success closes it, a neutral end changes nothing.
 */
function afterRelease(pool: MemoryPool, key: string, result: GrantRelease['result'], now: number): MemoryPool {
  const { probe, openUntil, ...rest } = pool
  const { breaker } = pool.definition
  const stillProbing = probe === undefined || probe === key ? {} : { probe }
  if (breaker === undefined || result === 'neutral')
    return { ...rest, ...stillProbing, ...(openUntil === undefined ? {} : { openUntil }) }
  if (result === 'ok') return { ...rest, failures: 0 }
  const failures = pool.failures + 1
  const opened = failures >= breaker.failures || isHalfOpen(pool, now) ? now + breaker.openMs : openUntil
  return { ...rest, ...stillProbing, failures, ...(opened === undefined ? {} : { openUntil: opened }) }
}

/** All its pools or none. A grant that is already held is granted again without a change. */
function claim(
  disk: MemoryDisk,
  tables: MemoryGrants,
  run: RunRow,
  request: GrantRequest,
  now: number,
): GrantRefusal | undefined {
  const key = grantKey(run.runKey, request)
  if (tables.held.has(key)) return undefined
  const row = tables.waits.get(key)
  const claimant = { place: Infinity, ...row, key, wants: request.wants }
  const refusal = obstacle(disk, tables, claimant, now)
  if (refusal !== undefined) return { slot: request.slot, ...refusal }
  const { slot, attempt, wants } = request
  for (const [name, amount] of Object.entries(wants)) {
    const pool = tables.pools.get(name)
    if (pool === undefined) continue
    const probed = isHalfOpen(pool, now) ? { probe: key } : {}
    const turns = row === undefined ? {} : turnsAfter(pool, run.tenantId)
    tables.pools.set(name, Object.freeze({ ...pool, ...probed, ...turns, taken: takenAfter(pool, amount, now) }))
  }
  tables.held.set(
    key,
    Object.freeze({ runKey: run.runKey, slot, attempt, wants: Object.freeze({ ...wants }), since: now }),
  )
  tables.waits.delete(key)
  if (row === undefined || !isOffered(row, now)) bypassOlder(tables, claimant, now)
  return undefined
}

/** A tenant that was served goes behind the tenants whose turn is the pool's. */
function turnsAfter(pool: MemoryPool, tenantId: string): Pick<MemoryPool, 'turn' | 'tenantTurns'> {
  const turn = Math.max(pool.turn, pool.tenantTurns.get(tenantId) ?? pool.turn)
  return { turn, tenantTurns: new Map(pool.tenantTurns).set(tenantId, turn + 1) }
}

function takenAfter({ definition, taken }: MemoryPool, amount: number, now: number): MemoryPool['taken'] {
  if (definition.windowMs === undefined) return taken
  const window = Math.floor(now / definition.windowMs)
  return { window, units: (taken.window === window ? taken.units : 0) + amount }
}
