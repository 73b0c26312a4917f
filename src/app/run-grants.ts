/**
 * The grants of one run as its driver knows them (docs/adr/0002-grants.md): which slots wait and for what, what a decision
 * is told about it, and what its drafts claim and free. It is a cache of the store's queue; only the claim counts.
 */
import type { ErrorClass, Payload } from '../core/events/event.ts'
import { agentPool } from '../core/plan/wants.ts'
import type { PlanGraph } from '../core/plan/graph.ts'
import type { Draft } from '../core/run/draft.ts'
import { stillWants, wantsOf } from '../core/run/grants.ts'
import type { GrantsAtHand } from '../core/run/input.ts'
import type { RunState } from '../core/run/state.ts'
import type { GrantTimes } from '../core/run/summary.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import { locate, stepAt } from '../core/run/units.ts'
import type { GrantRefusal, GrantRelease, GrantRequest, PoolDefinition } from '../ports/grants.ts'
import type { RunCommit, RunKey, RunStore } from '../ports/run-store.ts'

interface Waiting extends GrantRequest {
  /** Pools that stand in its way: the one the store named, or all it wants when that is not known. */
  readonly pools: readonly string[]
  readonly retryAt?: number
}

/** An agent nobody has declared: three at a time (SCH-02). */
const AGENT_CAPACITY = 3
/** Every agent has a breaker (RTY-12). */
const AGENT_BREAKER = { failures: 5, openMs: 60_000 } as const

export function agentDefinition(agentId: string, capacity: number): PoolDefinition {
  return { pool: agentPool(agentId), capacity, breaker: AGENT_BREAKER }
}

const NOTHING: ReadonlyMap<string, string> = new Map()

export class RunGrants {
  readonly #waits = new Map<string, Waiting>()
  readonly #impossible = new Map<string, string>()
  /** The next decision may start these although their pool is held. */
  #tried = new Set<string>()
  /** Refused in this turn: not to be tried in it again, whatever letters say. */
  readonly #denied = new Set<string>()
  /** What the store's queue holds of this run, to write it only when it changes; undefined when that is not known. */
  #stored: string | undefined = ''
  #freed = false
  /** Something refused in this turn was gone at its end: what was held back behind it has not been tried. */
  #missed = false

  /**
   * Declares agents the deployment has not, and takes up the places the run has in the queue. What stands in their way and
   * until when is not stored: each asks once more.
   */
  static async load(store: RunStore, runKey: RunKey, graph: PlanGraph): Promise<RunGrants> {
    for (const { agent } of graph.steps)
      if (agent !== undefined) await store.putPool(agentDefinition(agent, AGENT_CAPACITY), { ifAbsent: true })
    const grants = new RunGrants()
    const { waits } = await store.readGrants(runKey)
    for (const { slot, attempt, wants, priority } of waits) {
      grants.#waits.set(slot, { slot, attempt, wants, priority, pools: Object.keys(wants) })
      grants.#tried.add(slot)
    }
    grants.#stored = keyOf([...grants.#waits.values()])
    return grants
  }

  get isWaiting(): boolean {
    return this.#waits.size > 0
  }

  /** The last commit freed units that somebody else may wait for. */
  get freedUnits(): boolean {
    return this.#freed
  }

  /** A letter says that units are set aside for this slot. */
  offered(slot: string): void {
    this.#tried.add(slot)
    // Somebody else who advances this run put it in the queue, or nobody took it out.
    if (!this.#waits.has(slot)) this.#stored = undefined
  }

  /** Attempts of this run are about to end: what they free may be just what its own slots wait for. */
  mayFree(ending: readonly { readonly slot: string }[], state: RunState): void {
    if (this.#waits.size === 0) return
    const holders = ending.filter(({ slot }) => {
      const unit = locate(state, slot)?.unit
      return unit !== undefined && wantsOf(state, unit) !== undefined
    })
    const waiting = [...this.#waits.keys()].filter((slot) => !this.#tried.has(slot))
    for (const slot of waiting.slice(0, holders.length)) this.#tried.add(slot)
  }

  /** With the state a round left behind: without those that wait no longer. What was refused in this turn stays held. */
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

  /** Something that waited does no longer: what was held back behind it may try for itself. */
  isLifted(state: RunState): boolean {
    return [...this.#waits.values()].some((wait) => this.#isOver(wait, state))
  }

  #isOver({ slot, attempt }: Waiting, state: RunState): boolean {
    return !this.#denied.has(slot) && !stillWants(state, slot, attempt)
  }

  /** The store refused some claims: they wait, the others of that commit are tried again. */
  refused(claims: readonly GrantRequest[], refusals: readonly GrantRefusal[], now: number): void {
    const bySlot = new Map(refusals.map((one) => [one.slot, one]))
    for (const claim of claims) {
      const refusal = bySlot.get(claim.slot)
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

  /** The part of a commit that is about grants, from what the decision wrote and where it left the run. */
  commitParts(drafts: readonly Draft[], state: RunState): Pick<RunCommit, 'claims' | 'releases' | 'waits'> {
    const releases = releasesOf(drafts, state)
    this.#freed = releases.length > 0
    const ended = new Set(releases.map(({ slot, attempt }) => `${slot}#${attempt}`))
    const claims = claimsOf(drafts, state).filter(({ slot, attempt }) => !ended.has(`${slot}#${attempt}`))
    const waits = this.#stillWaiting(state)
    this.#missed = [...this.#waits.values()].some(
      ({ slot, attempt }) => this.#denied.has(slot) && !stillWants(state, slot, attempt),
    )
    // Of an ended run nothing may be left in the queue, whoever else advanced it.
    const isKnown = keyOf(waits) === this.#stored && !isTerminalRun(state.status)
    return {
      ...(releases.length === 0 ? {} : { releases }),
      ...(claims.length === 0 ? {} : { claims }),
      ...(isKnown ? {} : { waits: waits.map(requestOf) }),
    }
  }

  committed(state: RunState): void {
    const waits = this.#stillWaiting(state)
    this.#waits.clear()
    for (const wait of waits) this.#waits.set(wait.slot, wait)
    // One that did not come to its turn is tried in the next; its units may still be set aside for it.
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
    return { retriesAfter: at.now, ...(instants.length === 0 ? {} : { retryAt: Math.min(...instants) }) }
  }

  /**
   * A run that is paused, stops or ends wants nothing, and neither does a slot that started or went another way. Nor does
   * it wait for more than it has slots free: its children may be what fills them, and units kept for it would be kept
   * from them.
   */
  #stillWaiting(state: RunState): Waiting[] {
    const free = Math.max(0, state.limit - state.slotsInUse)
    const waits = [...this.#waits.values()].filter(({ slot, attempt }) => stillWants(state, slot, attempt))
    return waits.slice(0, free)
  }
}

/** Before a run exists nothing can be claimed for it: what wants units starts with its first advance. */
export function nothingAtHand(graph: PlanGraph): GrantsAtHand | undefined {
  if (!graph.anyWants) return undefined
  const pools = graph.wants.flatMap((wants) => (wants === undefined ? [] : Object.keys(wants.step)))
  return { held: new Map(pools.map((pool) => [pool, 0])), tried: new Set(), impossible: NOTHING }
}

/** The store's clock may be behind ours: then we would ask again at once, for ever. */
const LEAST_WAIT_MS = 50

function retryTime({ retryAt }: GrantRefusal, now: number): { retryAt?: number } {
  return retryAt === undefined ? {} : { retryAt: Math.max(retryAt, now + LEAST_WAIT_MS) }
}

function requestOf({ slot, attempt, wants, priority }: GrantRequest): GrantRequest {
  return { slot, attempt, wants, priority }
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

/** Timeouts, 5xx and the network count; what the caller did wrong, and a cancel, do not (RTY-12). */
const COUNTED: ReadonlySet<ErrorClass> = new Set(['timeout', '5xx', 'transport', 'unknown'])
