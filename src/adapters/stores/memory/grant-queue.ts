/**
 * The queue for grants (docs/adr/0002-grants.md): what fits, who waits in which order, who was overtaken how often, and
 * who is offered free units. It never grants: only a claim does (P-19).
 */
import { greatest } from '../../../core/collections/extremes.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { GrantRefusal, GrantRequest } from '../../../ports/grants.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import {
  grantKey,
  type MemoryDisk,
  type MemoryGrants,
  type MemoryPool,
  type MemoryRun,
  type MemoryWait,
} from './connect.ts'
import { insertRow } from './inbox.ts'
import { runOf } from './read.ts'

const OFFER_MS = 5000
const STARVING_AT = 10
const PASSED_OVER_AT_MOST = 100

export interface Claimant {
  readonly key: string
  readonly wants: Readonly<Record<string, number>>
  /** The place of its row in the queue; a waiter without a row is younger than all. */
  readonly place: number
  /** Set while units are reserved for it. */
  readonly offeredUntil?: number
}

export function isOffered({ offeredUntil }: { readonly offeredUntil?: number }, now: number): boolean {
  return offeredUntil !== undefined && now < offeredUntil
}

export function isHalfOpen({ definition, openUntil }: MemoryPool, now: number): boolean {
  return definition.breaker !== undefined && openUntil !== undefined && now >= openUntil
}

export function usedUnits({ held }: MemoryGrants, { definition, taken }: MemoryPool, now: number): number {
  const { pool, windowMs } = definition
  if (windowMs !== undefined) return taken.window === Math.floor(now / windowMs) ? taken.units : 0
  return [...held.values()].reduce((sum, { wants }) => sum + (wants[pool] ?? 0), 0)
}

/** Why a claim cannot be granted: impossible claims first, then the first pool by name that lacks units. */
export function obstacle(
  disk: MemoryDisk,
  tables: MemoryGrants,
  claimant: Claimant,
  now: number,
): Omit<GrantRefusal, 'slot'> | undefined {
  const names = Object.keys(claimant.wants).sort()
  const capacity = (name: string): number => tables.pools.get(name)?.definition.capacity ?? 0
  const impossible = names.find((name) => (claimant.wants[name] ?? 0) > capacity(name))
  if (impossible !== undefined) return { pool: impossible, impossible: true }
  for (const name of names) {
    const pool = tables.pools.get(name)
    const refusal = pool === undefined ? undefined : poolObstacle(disk, tables, pool, claimant, now)
    if (refusal !== undefined) return { pool: name, ...refusal }
  }
  return undefined
}

function poolObstacle(
  disk: MemoryDisk,
  tables: MemoryGrants,
  pool: MemoryPool,
  claimant: Claimant,
  now: number,
): { readonly retryAt?: number } | undefined {
  const { definition, openUntil, probe } = pool
  const { pool: name, windowMs, capacity, breaker } = definition
  const others = waitersOf(tables, name).filter((row) => keyOf(row) !== claimant.key)
  const offered = others.filter((row) => isOffered(row, now))
  if (breaker !== undefined && openUntil !== undefined) {
    if (now < openUntil) return { retryAt: openUntil }
    if (probe !== undefined || offered.length > 0) return {}
  }
  const setAside = offered.reduce((sum, { wants }) => sum + (wants[name] ?? 0), 0)
  const fits = usedUnits(tables, pool, now) + setAside + (claimant.wants[name] ?? 0) <= capacity
  const isKept = !isOffered(claimant, now) && others.some((row) => isStarving(row, now) && isAhead(disk, row, claimant))
  if (fits && !isKept) return undefined
  return windowMs === undefined ? {} : { retryAt: (Math.floor(now / windowMs) + 1) * windowMs }
}

/**
 * Sets all waiting slots of the run. A slot that stays keeps its row; pools of slots that come or go are checked again.
 */
export function setWaits(
  tables: MemoryGrants,
  runKey: RunKey,
  requests: readonly GrantRequest[],
  freed: Set<string>,
  now: number,
): void {
  const listed = new Set(requests.map((request) => grantKey(runKey, request)))
  for (const [key, row] of tables.waits) {
    if (row.runKey !== runKey || listed.has(key)) continue
    tables.waits.delete(key)
    for (const name of Object.keys(row.wants)) freed.add(name)
  }
  for (const request of requests) {
    const key = grantKey(runKey, request)
    if (tables.waits.has(key)) continue
    const { slot, attempt, priority, wants } = request
    const turns = new Map(Object.keys(wants).map((name) => [name, nextTurn(tables, runKey, name)]))
    const row = { runKey, slot, attempt, priority, wants: Object.freeze({ ...wants }), since: now, turns, bypassed: 0 }
    tables.waits.set(key, Object.freeze({ ...row, place: ++tables.places }))
    for (const name of Object.keys(wants)) freed.add(name)
  }
}

/** Each further slot of a run waits one turn longer: round robin over runs. */
function nextTurn(tables: MemoryGrants, runKey: RunKey, pool: string): number {
  const own = waitersOf(tables, pool).filter((row) => row.runKey === runKey)
  return (
    greatest(
      own.map(({ turns }) => turns.get(pool) ?? 0),
      tables.pools.get(pool)?.turn ?? 0,
    ) + 1
  )
}

/** Offers free units of these pools to the first waiters that fit. Returns the number of offers. */
export function offerUnits(disk: MemoryDisk, pools: Iterable<string>, now: number): number {
  let made = 0
  for (const name of [...pools].sort()) {
    for (let row = firstThatFits(disk, name, now); row !== undefined; row = firstThatFits(disk, name, now)) {
      offer(disk, row, now)
      made++
    }
  }
  return made
}

function firstThatFits(disk: MemoryDisk, pool: string, now: number): MemoryWait | undefined {
  const { grants } = disk
  const inLine = waitersOf(grants, pool).filter((row) => !isOffered(row, now) && canBeServed(disk, row))
  inLine.sort(inOrder(disk, pool, now))
  return inLine
    .slice(0, PASSED_OVER_AT_MOST + 1)
    .find((row) => obstacle(disk, grants, { ...row, key: keyOf(row) }, now) === undefined)
}

/** Starving waiters by place; then by priority, the tenant's turn, the run's turn, place. */
function inOrder(disk: MemoryDisk, name: string, now: number): (a: MemoryWait, b: MemoryWait) => number {
  const pool = disk.grants.pools.get(name)
  const starving = (row: MemoryWait): number => (isStarving(row, now) ? 0 : 1)
  const tenantTurn = ({ runKey }: MemoryWait): number =>
    pool?.tenantTurns.get(runOf(disk, runKey)?.row.tenantId ?? '') ?? pool?.turn ?? 0
  const runTurn = ({ turns }: MemoryWait): number => turns.get(name) ?? 0
  return (a, b) => {
    if (isStarving(a, now) && isStarving(b, now)) return a.place - b.place
    return (
      starving(a) - starving(b) ||
      a.priority - b.priority ||
      tenantTurn(a) - tenantTurn(b) ||
      runTurn(a) - runTurn(b) ||
      a.place - b.place
    )
  }
}

/**
 * Reserves the units and inserts an inbox row for the run. The inbox rows themselves count the offers to the attempt.
 */
function offer(disk: MemoryDisk, row: MemoryWait, now: number): void {
  const run = runOf(disk, row.runKey)
  if (run === undefined) return
  const key = keyOf(row)
  disk.grants.waits.set(key, Object.freeze({ ...row, offeredUntil: now + OFFER_MS }))
  bypassOlder(disk.grants, { ...row, key }, now)
  writeTo(run, row, now)
}

const inboxRowPrefix = ({ slot, attempt }: MemoryWait): string => `grant:${slot}:${attempt}:`

function writeTo(run: MemoryRun, row: MemoryWait, now: number): void {
  const { slot, attempt } = row
  const prefix = inboxRowPrefix(row)
  const before = [...run.inbox.keys()].filter((inboxId) => inboxId.startsWith(prefix)).length
  insertRow(run, { inboxId: `${prefix}${before + 1}`, kind: 'grant', body: JSON.stringify({ slot, attempt }) }, now)
}

/**
 * Their pool shrank below what they want: they ask once more and are refused finally, instead of waiting for ever
 * (RES-06). A run that has not read its last inbox row gets no other.
 */
export function writeToRefused(disk: MemoryDisk, now: number): void {
  const { waits, pools } = disk.grants
  for (const row of waits.values()) {
    const isTooLarge = Object.entries(row.wants).some(
      ([name, units]) => units > (pools.get(name)?.definition.capacity ?? Infinity),
    )
    const run = isTooLarge && canBeServed(disk, row) ? runOf(disk, row.runKey) : undefined
    if (run === undefined || [...run.pending].some((inboxId) => inboxId.startsWith(inboxRowPrefix(row)))) continue
    writeTo(run, row, now)
  }
}

/** Counted once for each waiter that goes first, however many pools they share. */
export function bypassOlder(tables: MemoryGrants, { key, wants, place }: Claimant, now: number): void {
  for (const [other, row] of tables.waits) {
    const shares = Object.keys(wants).some((name) => name in row.wants)
    if (other === key || !shares || row.place >= place || isOffered(row, now)) continue
    tables.waits.set(other, Object.freeze({ ...row, bypassed: row.bypassed + 1 }))
  }
}

const keyOf = (row: MemoryWait): string => grantKey(row.runKey, row)

const waitersOf = ({ waits }: MemoryGrants, pool: string): MemoryWait[] =>
  [...waits.values()].filter(({ wants }) => pool in wants)

/** Capacity is kept for a starving waiter, but no more once units are reserved for it. */
const isStarving = (row: MemoryWait, now: number): boolean => row.bypassed >= STARVING_AT && !isOffered(row, now)

/** Capacity is kept only from younger waiters, or two starving waiters would block each other. */
const isAhead = (disk: MemoryDisk, row: MemoryWait, { place }: Claimant): boolean =>
  row.place < place && canBeServed(disk, row)

/** A run that was set aside or has ended would never take an offer. */
function canBeServed(disk: MemoryDisk, { runKey }: MemoryWait): boolean {
  const row = runOf(disk, runKey)?.row
  return row !== undefined && row.quarantine === undefined && !isTerminalRun(row.status)
}
