/**
 * The folded state of one run. It keeps no outputs, only where they are (seqs); it is immutable and shares
 * structure, so an event costs the same in a plan of ten steps and of a hundred thousand.
 */
import { bitTree, type BitTree } from '../collections/bit-tree.ts'
import type { TimerHeap } from '../collections/timer-heap.ts'
import { vectorOf, type Vector } from '../collections/vector.ts'
import type { ErrorClass } from '../events/event.ts'
import type { PlanGraph } from '../plan/graph.ts'
import type { AttemptStatus, CompensationStatus, RunStatus } from './transitions.ts'

/** Rules version of today's decider, pinned by RunStarted (DESIGN §9). */
export const RULES_VERSION = 2

/** A list that shares its tail: newest first. */
export interface Chain<T> {
  readonly value: T
  readonly next: Chain<T> | undefined
}

/** What a forEach parent keeps: counters and which items are ready, never lists of results. */
export interface Fan {
  readonly count: number
  /** Hash of the recorded list, which is stored by it. */
  readonly itemsSha256: string
  /** Unit of item 0; item i is base + i. */
  readonly base: number
  /** Unit of item 0's fallback, or -1. */
  readonly fallbackBase: number
  readonly ready: BitTree
  readonly running: number
  readonly waiting: number
  readonly done: number
  readonly failed: BitTree
  /** Items not started because another failed; a retry of the parent lets them go (P-47). */
  readonly held: BitTree
}

/** One thing that has attempts: a step, an item of a fan-out, or the fallback of either. */
export interface Unit {
  readonly step: number
  /** -1 when it is not an item. */
  readonly item: number
  readonly fallback: boolean
  readonly status: AttemptStatus
  /** Latest logical attempt; 0 before the first. */
  readonly attempt: number
  /** FAILED and nothing will try again by itself. */
  readonly final: boolean
  /** FAILED for good, and its fallback runs or ran. */
  readonly fallbackOpen: boolean
  /** FAILED for good, but its fallback succeeded. */
  readonly recovered: boolean
  /** Waits in backoff for its next attempt. */
  readonly backoff: boolean
  /** The context as of this seq maps the input of every attempt (P-17). */
  readonly inputSeq: number
  /** Seq of the latest attempt's StepStarted: overrides recorded after it are for the next attempt (SIG-13). */
  readonly startedSeq: number
  readonly epoch: number
  readonly startedAt: number
  /** Seq of StepCompleted, where the output lies; 0 for none. */
  readonly outputSeq: number
  /** Due instants of this attempt's timers: active time for retry and wait-for, absolute otherwise; -1 for none. */
  readonly dueAt: number
  readonly timeoutAt: number
  /** dueAt counts active time, so a pause shifts it. */
  readonly dueIsActive: boolean
  /** Openings of the manual task of this attempt. */
  readonly opening: number
  /** By attempt: the engine attempt whose outcome ended it; 0 when the decider ended it. */
  readonly ends: readonly number[]
  /** Late outcomes on record, as `<attempt>:<engineAttempt>`. */
  readonly late: readonly string[]
  readonly errorCode: string
  readonly errorClass: ErrorClass | ''
  /** Seq of the latest StepFailed; 0 for none. */
  readonly failedSeq: number
  readonly freshKey: string
  readonly ownerRunId: string
  /** Attempt that did the work in the owner's run; 0 for work of this run, or when the log does not tell. */
  readonly ownerAttempt: number
  /** What became of undoing it; empty when nothing tried, or the outcome is open. */
  readonly undone: '' | 'undone' | 'failed'
  readonly fan: Fan | undefined
}

export interface Failure {
  readonly slot: string
  readonly unit: number
  readonly attempt: number
  readonly runSeq: number
  readonly code: string
  readonly errorClass: ErrorClass
}

export interface Completion {
  readonly slot: string
  readonly unit: number
  readonly runSeq: number
}

export type UndoResult = 'undone' | 'failed' | 'unfinished'

/** What became of undoing one slot, and in how many attempts (CMP-06). */
export interface UndoAction {
  readonly slot: string
  readonly result: UndoResult
  readonly attempts: number
}

/** Undoing finished work, newest first, one hook at a time (CMP-03). */
export interface Undo {
  /** What is still to be looked at, newest completion first. */
  readonly rest: Chain<Completion> | undefined
  readonly current:
    | {
        readonly slot: string
        readonly unit: number
        readonly runSeq: number
        readonly attempt: number
        readonly status: CompensationStatus
        readonly epoch: number
        readonly dueAt: number
        readonly timeoutAt: number
      }
    | undefined
  readonly done: number
  readonly failed: number
  readonly slots: readonly string[]
  /** The first of them that have ended, and those that failed beyond that. */
  readonly actions: readonly UndoAction[]
}

export interface Cancelling {
  readonly cause: 'cancelRun' | 'CANCEL' | 'EMERGENCY_STOP' | 'parent'
  readonly signalId: string
  readonly reason: string
  readonly at: number
  readonly graceUntil: number
}

export interface RunState {
  readonly graph: PlanGraph
  readonly status: RunStatus
  /** Highest runSeq folded. */
  readonly seq: number
  readonly lastNow: number
  readonly rulesVersion: number
  readonly engineType: string
  readonly startedAt: number
  readonly endedAt: number
  /** As RunQueued or RunStarted says; empty when it says nothing. */
  readonly correlationId: string
  /** Kept from admission for a RunStarted that comes later; empty otherwise. */
  readonly triggerSource: string
  /** Its StepStarteds may reach the log after the step has begun (LAT-02). */
  readonly intentLate: boolean
  /** The run whose finished work this one undoes; empty for every other run. */
  readonly compensationOf: string
  /** min(plan concurrency, engine's maxInFlight), pinned (P-20). */
  readonly limit: number
  readonly units: Vector<Unit>
  readonly unitCount: number
  /** Dependencies not yet satisfied, by step; unwritten means all of them. */
  readonly pending: Vector<number>
  /** Steps with something to dispatch that takes a slot of the run, and those that take none (wait, manual). */
  readonly ready: BitTree
  readonly readyFree: BitTree
  /** Steps skipped before it was their turn: what follows them waits for what they would have waited for. */
  readonly early: BitTree
  /** Units whose attempt is with an executor or a child run, and those that only wait (wait, manual). */
  readonly inFlight: BitTree
  readonly parked: BitTree
  /** forEach parents that are RUNNING. */
  readonly openFans: BitTree
  /** Those among them with no item left to start or to wait for. */
  readonly doneFans: BitTree
  readonly slotsInUse: number
  readonly backoffs: number
  /** Steps whose dependents may go on: succeeded, skipped for a reason, or recovered. */
  readonly satisfied: number
  /** Steps failed for good and not handled; those with an indeterminate effect among them. */
  readonly failed: number
  readonly indeterminate: number
  /** Steps among the failed that were only closed because another failed or the run was cancelled. */
  readonly closed: number
  readonly failures: Chain<Failure> | undefined
  /** Finished work that has a hook, newest first, and how much there is that has none (CMP-09). */
  readonly completions: Chain<Completion> | undefined
  readonly notCompensable: number
  readonly undo: Undo | undefined
  /** Backoffs and relative waits by active time, everything else by the clock. */
  readonly retries: TimerHeap | undefined
  readonly waits: TimerHeap | undefined
  readonly timers: TimerHeap | undefined
  readonly pauseCycle: number
  /** Instant of the pause in force; -1 when not paused. */
  readonly pausedAt: number
  readonly pausedMs: number
  readonly scopePauses: readonly string[]
  readonly cancelling: Cancelling | undefined
  /** failFast or a run timeout: nothing new is scheduled, the run will fail. */
  readonly failing: boolean
  readonly runTimeoutAt: number
  /** The run timed out at this instant; -1 when it did not. */
  readonly timedOutAt: number
  readonly notBefore: number
  /** First step not yet looked at when the end's DEPENDENCY_FAILED skips are written; -1 before the end began. */
  readonly endSkipsFrom: number
  /** Seqs of accepted UPDATE_PARAMS, newest first: they change the input of steps not yet started. */
  readonly paramChanges: Chain<number> | undefined
  /** Seqs of accepted INJECT_OVERRIDE and UPDATE_TARGET by step id. */
  readonly overrides: ReadonlyMap<string, readonly number[]>
  readonly erasures: number
  readonly escalations: number
}

export function initialState(graph: PlanGraph): RunState {
  const count = graph.steps.length
  const fallbacks = graph.steps.filter((step) => step.fallback !== undefined && step.forEach === undefined).length
  return {
    graph,
    status: 'PENDING',
    seq: 0,
    lastNow: 0,
    // Nothing is pinned before RunStarted, and every version decides alike until then.
    rulesVersion: 1,
    engineType: 'embedded',
    startedAt: -1,
    endedAt: -1,
    correlationId: '',
    triggerSource: '',
    intentLate: false,
    compensationOf: '',
    limit: graph.plan.policy.concurrency,
    units: vectorOf<Unit>(count + fallbacks),
    unitCount: count + fallbacks,
    pending: vectorOf<number>(count),
    ready: bitTree(count),
    readyFree: bitTree(count),
    early: bitTree(count),
    inFlight: bitTree(count + fallbacks),
    parked: bitTree(count + fallbacks),
    openFans: bitTree(count),
    doneFans: bitTree(count),
    slotsInUse: 0,
    backoffs: 0,
    satisfied: 0,
    failed: 0,
    indeterminate: 0,
    closed: 0,
    failures: undefined,
    completions: undefined,
    notCompensable: 0,
    undo: undefined,
    retries: undefined,
    waits: undefined,
    timers: undefined,
    pauseCycle: 0,
    pausedAt: -1,
    pausedMs: 0,
    scopePauses: [],
    cancelling: undefined,
    failing: false,
    runTimeoutAt: -1,
    timedOutAt: -1,
    notBefore: -1,
    endSkipsFrom: -1,
    paramChanges: undefined,
    overrides: new Map(),
    erasures: 0,
    escalations: 0,
  }
}
