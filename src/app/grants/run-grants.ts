/**
 * The grants of one run as its driver knows them (docs/adr/0002-grants.md): which slots wait and for what, what a
 * decision is told about it, and what its drafts claim and free. It is a cache of the store's queue; only the claim
 * counts.
 */
import { least } from '../../core/collections/extremes.ts'
import type { ErrorClass, Payload } from '../../core/events/event.ts'
import { RUN_SLOT } from '../../core/events/slot.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import type { Draft } from '../../core/run/draft.ts'
import { stillWants, wantsOf } from '../../core/run/state/grants.ts'
import type { GrantsAtHand } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { GrantTimes } from '../../core/run/summary.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { GrantRefusal, GrantRelease, GrantRequest } from '../../ports/grants.ts'
import type { RunCommit, RunRow, RunStore } from '../../ports/run-store.ts'
import { agentPools, planPool, planWants, storedWants, type AgentPools } from './agent-pools.ts'

interface Waiting extends GrantRequest {
  /** Pools that block it: the one the store named, or all it wants when that is unknown. */
  readonly pools: readonly string[]
  readonly retryAt?: number
}

const POOLS_KNOWN_MS = 1_000
const NOTHING: ReadonlyMap<string, string> = new Map()

export class RunGrants {
  readonly #waits = new Map<string, Waiting>()
  readonly #impossible = new Map<string, string>()
  /** The next decision may start these although their pool is marked as full. */
  #tried = new Set<string>()
  /** Refused in this turn: not tried again in it, whatever inbox rows say. */
  readonly #denied = new Set<string>()
  /** The store's queue rows of this run, so that only changes are written; undefined when unknown. */
  #stored: string | undefined = ''
  #freed = false
  /** Something refused in this turn had gone at its end: slots held back behind it have not been tried. */
  #missed = false
  #pools: AgentPools = new Map()
  #lookedAt = Number.NEGATIVE_INFINITY

  /**
   * Declares agents that the deployment has not declared, and reads the run's places in the queue. What blocks them and
   * until when is not stored: each asks once more.
   */
  static async load(store: RunStore, { runKey, tenantId }: RunRow, graph: PlanGraph, now: number): Promise<RunGrants> {
    const grants = new RunGrants()
    await grants.refresh(store, tenantId, graph, now)
    const { waits } = await store.readGrants(runKey)
    for (const { slot, attempt, wants: stored, priority } of stepClaims(waits)) {
      const wants = planWants(stored)
      grants.#waits.set(slot, { slot, attempt, wants, priority, pools: Object.keys(wants) })
      grants.#tried.add(slot)
    }
    grants.#stored = keyOf([...grants.#waits.values()])
    return grants
  }

  /** The deployment may have declared an agent since: checked occasionally, not for every step. */
  async refresh(store: RunStore, tenantId: string, graph: PlanGraph, now: number): Promise<void> {
    if (Math.abs(now - this.#lookedAt) < POOLS_KNOWN_MS) return
    this.#lookedAt = now
    this.#pools = await agentPools(store, tenantId, graph)
  }

  get isWaiting(): boolean {
    return this.#waits.size > 0
  }

  /** The last commit freed units that other runs may wait for. */
  get freedUnits(): boolean {
    return this.#freed
  }

  /** An inbox row says that units are reserved for this slot. */
  offered(slot: string): void {
    this.#tried.add(slot)
    // Another process that advances this run put the slot in the queue, or left it there.
    if (!this.#waits.has(slot)) this.#stored = undefined
  }

  /** Attempts of this run are about to end: the units they free may be what its own slots wait for. */
  mayFree(ending: readonly { readonly slot: string }[], state: RunState): void {
    if (this.#waits.size === 0) return
    const holders = ending.filter(({ slot }) => {
      const unit = locate(state, slot)?.unit
      return unit !== undefined && wantsOf(state, unit) !== undefined
    })
    const waiting = [...this.#waits.keys()].filter((slot) => !this.#tried.has(slot))
    for (const slot of waiting.slice(0, holders.length)) this.#tried.add(slot)
  }

  /** With the state after a round: without slots that no longer wait. What was refused in this turn stays held. */
  atHand(now: number, left?: RunState): GrantsAtHand {
    const held = new Map<string, number>()
    for (const wait of this.#waits.values()) {
      if (left !== undefined && this.#isOver(wait, left)) continue
      if (wait.retryAt !== undefined && wait.retryAt <= now) this.#tried.add(wait.slot)
      for (const pool of wait.pools)
        held.set(pool, Math.min(held.get(pool) ?? Number.MAX_SAFE_INTEGER, wait.wants[pool] ?? 0))
    }
    const tried = new Set([...this.#tried].filter((slot) => !this.#denied.has(slot)))
    return { held, tried, impossible: this.#impossible }
  }

  /** Something no longer waits: slots held back behind it may try for themselves. */
  isLifted(state: RunState): boolean {
    return [...this.#waits.values()].some((wait) => this.#isOver(wait, state))
  }

  #isOver({ slot, attempt }: Waiting, state: RunState): boolean {
    return !this.#denied.has(slot) && !stillWants(state, slot, attempt)
  }

  /** The store refused some claims: they wait, and the others of that commit are tried again. */
  refused(claims: readonly GrantRequest[], refusals: readonly GrantRefusal[], now: number): void {
    const bySlot = new Map(refusals.map((one) => [one.slot, one]))
    for (const asked of claims) {
      const claim = { ...asked, wants: planWants(asked.wants) }
      const found = bySlot.get(claim.slot)
      const refusal = found === undefined ? undefined : { ...found, pool: planPool(found.pool) }
      if (refusal === undefined) {
        this.#tried.add(claim.slot)
      } else if (refusal.impossible === true) {
        this.#waits.delete(claim.slot)
        this.#impossible.set(claim.slot, impossibleText(claim, refusal.pool))
      } else {
        this.#denied.add(claim.slot)
        this.#waits.set(claim.slot, { ...claim, pools: [refusal.pool], ...retryTime(refusal, now) })
      }
    }
  }

  /** The grants part of a commit, from what the decision wrote and the state it left. */
  commitParts(drafts: readonly Draft[], state: RunState): Pick<RunCommit, 'claims' | 'releases' | 'waits'> {
    const releases = releasesOf(drafts, state)
    this.#freed = releases.length > 0
    const ended = new Set(releases.map(({ slot, attempt }) => `${slot}#${attempt}`))
    const claims = claimsOf(drafts, state).filter(({ slot, attempt }) => !ended.has(`${slot}#${attempt}`))
    const waits = this.#stillWaiting(state)
    this.#missed = [...this.#waits.values()].some(
      ({ slot, attempt }) => this.#denied.has(slot) && !stillWants(state, slot, attempt),
    )
    // Nothing of an ended run may stay in the queue, even if another process advanced it.
    const isKnown = keyOf(waits) === this.#stored && !isTerminalRun(state.status)
    return {
      ...(releases.length === 0 ? {} : { releases }),
      ...(claims.length === 0 ? {} : { claims: claims.map((claim) => this.#request(claim)) }),
      ...(isKnown ? {} : { waits: waits.map((wait) => this.#request(wait)) }),
    }
  }

  /** With the stored names of the pools. */
  #request({ slot, attempt, wants, priority }: GrantRequest): GrantRequest {
    return { slot, attempt, wants: storedWants(this.#pools, wants), priority }
  }

  committed(state: RunState): void {
    const waits = this.#stillWaiting(state)
    this.#waits.clear()
    for (const wait of waits) this.#waits.set(wait.slot, wait)
    // A slot that did not get its turn is tried in the next; its units may still be reserved for it.
    this.#tried = new Set(
      waits.map(({ slot }) => slot).filter((slot) => this.#tried.has(slot) && !this.#denied.has(slot)),
    )
    this.#denied.clear()
    this.#impossible.clear()
    this.#stored = keyOf(waits)
  }

  /** For the run's next wake-up; undefined when nothing waits. */
  times(state: RunState, at: { readonly now: number; readonly wall: number }): GrantTimes | undefined {
    const waits = this.#stillWaiting(state)
    if (waits.length === 0 && !this.#missed) return undefined
    const instants = waits.flatMap(({ retryAt }) => (retryAt === undefined ? [] : [retryAt]))
    if (this.#missed && state.status === 'RUNNING') instants.push(at.wall)
    return { retriesAfter: at.now, ...(instants.length === 0 ? {} : { retryAt: least(instants) }) }
  }

  /**
   * A run that is paused, stops or ends wants nothing, and neither does a slot that started or was skipped. Nor does it
   * wait for more than its free slots: its own children may fill them, and units kept for it would be kept from them.
   */
  #stillWaiting(state: RunState): Waiting[] {
    const free = Math.max(0, state.limit - state.slotsInUse)
    const waits = [...this.#waits.values()].filter(({ slot, attempt }) => stillWants(state, slot, attempt))
    return waits.slice(0, free)
  }
}

/** Without what the run itself claims in its own name. */
export function stepClaims<C extends { readonly slot: string }>(claims: readonly C[] = []): readonly C[] {
  return claims.filter(({ slot }) => slot !== RUN_SLOT)
}

/** Nothing can be claimed before a run exists: steps that want units start with its first advance. */
export function nothingAtHand(graph: PlanGraph): GrantsAtHand | undefined {
  if (!graph.anyWants) return undefined
  const pools = graph.wants.flatMap((wants) => (wants === undefined ? [] : Object.keys(wants.step)))
  return { held: new Map(pools.map((pool) => [pool, 0])), tried: new Set(), impossible: NOTHING }
}

/** The store's clock may be behind ours: without this we would ask again at once, for ever. */
const LEAST_WAIT_MS = 50

function retryTime({ retryAt }: GrantRefusal, now: number): { retryAt?: number } {
  return retryAt === undefined ? {} : { retryAt: Math.max(retryAt, now + LEAST_WAIT_MS) }
}

function keyOf(waits: readonly GrantRequest[]): string {
  return waits.map(({ slot, attempt }) => `${slot}#${attempt}`).join('|')
}

function impossibleText({ wants }: GrantRequest, pool: string): string {
  return `it wants ${wants[pool] ?? 0} of ${pool}, which is more than there can ever be`
}

function claimsOf(drafts: readonly Draft[], state: RunState): GrantRequest[] {
  return drafts.flatMap(({ eventType, slot, attempt, payload }) => {
    if (eventType !== 'StepStarted') return []
    const { grants } = payload as Payload<'StepStarted'>
    const unit = locate(state, slot)?.unit
    if (grants === undefined || unit === undefined) return []
    return [{ slot, attempt, wants: grants, priority: stepAt(state.graph, unit.step).priority }]
  })
}

function releasesOf(drafts: readonly Draft[], state: RunState): GrantRelease[] {
  return drafts.flatMap((draft) => {
    if (draft.eventType !== 'StepCompleted' && draft.eventType !== 'StepFailed') return []
    const unit = locate(state, draft.slot)?.unit
    if (unit === undefined || wantsOf(state, unit) === undefined) return []
    return [{ slot: draft.slot, attempt: draft.attempt, result: resultOf(draft) }]
  })
}

function resultOf({ eventType, payload }: Draft): GrantRelease['result'] {
  if (eventType === 'StepCompleted') return 'ok'
  return COUNTED.has((payload as Payload<'StepFailed'>).error.errorClass) ? 'failed' : 'neutral'
}

/** Timeouts, 5xx and network errors count; errors of the caller and cancellations do not (RTY-12). */
const COUNTED: ReadonlySet<ErrorClass> = new Set(['timeout', '5xx', 'transport', 'unknown'])
