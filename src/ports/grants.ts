/**
 * Grants: what spans runs (P-18, P-19). A step that names an agent or resources claims units of pools in the
 * transaction of its StepStarted, all or nothing, and its terminal event frees them. Stores count and keep the queue;
 * they decide nothing about a run.
 */
import type { RunKey } from './stored-run.ts'

/**
 * A pool of units: `agent:<id>` or `resource:<name>`. With `windowMs` it is a quota: `capacity` units per window of the
 * store's clock, freed by time and never by a release.
 */
export interface PoolDefinition {
  readonly pool: string
  readonly capacity: number
  readonly windowMs?: number
  /**
   * Opens after that many consecutive failures, for that long; then one attempt at a time until one succeeds (RTY-12).
   */
  readonly breaker?: { readonly failures: number; readonly openMs: number }
}

export interface PoolState extends PoolDefinition {
  /** Units held now; for a quota, units taken in the window of `now`. Offered units are not held yet. */
  readonly used: number
  /** Slots that wait for it. */
  readonly waiting: number
  /** Set while the breaker is open. */
  readonly openUntil?: number
}

/** Units that a slot claims or waits for. Pools by name; amounts are whole and at least 1. */
export interface GrantRequest {
  readonly slot: string
  readonly attempt: number
  readonly wants: Readonly<Record<string, number>>
  /** Lower goes first, across runs only (SCH-03). */
  readonly priority: number
}

/** `failed` counts for the pool's breaker, `ok` closes it, `neutral` has no effect on it. */
export interface GrantRelease {
  readonly slot: string
  readonly attempt: number
  readonly result: 'ok' | 'failed' | 'neutral'
}

export interface GrantRefusal {
  readonly slot: string
  /** The first pool by name that lacks units. */
  readonly pool: string
  /** When time alone may free it (quota, open breaker); absent when a release must. */
  readonly retryAt?: number
  /** It can never be granted: the pool is not declared or smaller than the request (RES-06). */
  readonly impossible?: true
}

export interface GrantWait extends GrantRequest {
  readonly since: number
  /** Units are reserved for it until then; its inbox has a row `grant:<slot>:<attempt>:<n>`. */
  readonly offeredUntil?: number
  /** How often a younger waiter went first. At 10, capacity is kept for it (SCH-05). */
  readonly bypassed: number
}

export interface RunGrants {
  readonly held: readonly Omit<GrantRequest, 'priority'>[]
  readonly waits: readonly GrantWait[]
}

/** A run that holds units of a pool, or waits for them. */
export interface PoolUser {
  readonly tenantId: string
  readonly runId: string
  readonly slot: string
  readonly amount: number
}

export interface PoolUse {
  /** Oldest run first. `since`: when they took the units; absent where an earlier version gave them. */
  readonly holders: readonly (PoolUser & { readonly since?: number })[]
  /** In the order of the queue; over tenants they take turns. */
  readonly waiters: readonly (PoolUser & { readonly since: number })[]
}

export interface GrantStore {
  /** Declares a pool or changes its limits; units in use stay. `ifAbsent` leaves an existing declaration unchanged. */
  putPool(definition: PoolDefinition, options?: { readonly ifAbsent?: boolean }): Promise<void>
  /** By name. Of `pools` only these, and however many others there are; default all. */
  listPools(pools?: readonly string[]): Promise<readonly PoolState[]>
  /** Who holds units of a pool and who waits for them, of each at most `limit`. */
  readPool(pool: string, limit: number): Promise<PoolUse>
  /** What the run holds and waits for, each by (slot, attempt). */
  readGrants(runKey: RunKey): Promise<RunGrants>
  /**
   * Makes up for lost offers (P-19): expired offers are taken back, and free units are offered to the first waiters
   * that fit. A slot whose pool has shrunk below what it wants gets an inbox row like that of an offer, and no other
   * before it has read it: its next claim is refused as impossible (RES-06). Returns the number of offers.
   */
  sweepGrants(): Promise<number>
}
