/**
 * The folded state of one run. It keeps no outputs, only where they are (seqs); it is immutable and shares
 * structure, so an event costs the same in a plan of ten steps and of a hundred thousand.
 */
import type { BitTree } from '../../collections/bit-tree.ts'
import type { TimerHeap } from '../../collections/timer-heap.ts'
import type { Vector } from '../../collections/vector.ts'
import type { ErrorClass, Payload } from '../../events/event.ts'
import type { ChildPlan } from '../../plan/compile/child-plans.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'
import type { People } from './people.ts'
import type { CompensationStatus, RunStatus } from './transitions.ts'
import type { Unit } from './unit.ts'

/** Rules version of today's decider, pinned by RunStarted. */
export const RULES_VERSION = 7

/**
 * From this version on a driver knows that the `stepId` of an event is its slot (P-52). An older process would fold what this
 * version writes into the wrong steps, so it is kept away from every run that this version has written to.
 */
export const SLOTS_KNOWN = 7

/** A list that shares its tail: newest first. */
export interface Chain<T> {
  readonly value: T
  readonly next: Chain<T> | undefined
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

export type CompensationResult = 'undone' | 'failed' | 'unfinished'

/** What became of undoing one slot, and in how many attempts (CMP-06). */
export interface CompensationAction {
  readonly slot: string
  readonly result: CompensationResult
  readonly attempts: number
}

/** Undoing finished work, newest first, one compensation at a time (CMP-03). */
export interface CompensationProgress {
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
  readonly actions: readonly CompensationAction[]
}

export interface Cancelling {
  readonly cause: 'cancelRun' | 'CANCEL' | 'EMERGENCY_STOP' | 'parent'
  readonly signalId: string
  readonly reason: string
  readonly at: number
  readonly graceUntil: number
  /** What the run has finished is undone before it ends. */
  readonly undo?: true
  /** It was to be undone, and an emergency stop cut that short. */
  readonly cut?: true
}

export type RunLock = NonNullable<Payload<'RunQueued'>['locked']>

/** What was approved in the runs this one belongs to. */
export type ApprovedAbove = NonNullable<Payload<'RunQueued'>['approved']>

/** What a rule of a run above asks of whoever acts in this one. */
export type NamesAsked = NonNullable<Payload<'RunQueued'>['namesAsked']>

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
  /** What the plans of its `plan` steps, and of theirs, stood for when it was admitted; null in logs that do not say it. */
  readonly children: readonly ChildPlan[] | null
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
  /** Steps that were skipped by their condition, or because such a step came before: dependents that cascade are skipped too. */
  readonly skippedByCondition: BitTree
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
  /** Finished work that has a compensation, newest first, and how much there is that has none (CMP-09). */
  readonly completions: Chain<Completion> | undefined
  readonly notCompensable: number
  readonly compensation: CompensationProgress | undefined
  /** Backoffs and relative waits by active time, everything else by the clock. */
  readonly retries: TimerHeap | undefined
  readonly waits: TimerHeap | undefined
  readonly timers: TimerHeap | undefined
  readonly pauseCycle: number
  /** Instant of the pause in force; -1 when not paused. */
  readonly pausedAt: number
  readonly pausedMs: number
  readonly scopePauses: readonly string[]
  /** The pause in force has lasted longer than work in flight may take, and people were told so. */
  readonly drainTimedOut: true | undefined
  readonly cancelling: Cancelling | undefined
  /** failFast or a run timeout: nothing new is scheduled, the run will fail. */
  readonly failing: boolean
  readonly runTimeoutAt: number
  /** The run timed out at this instant; -1 when it did not. */
  readonly timedOutAt: number
  readonly notBefore: number
  /** It was queued or delayed, and is approved as it starts: nobody is asked. */
  readonly autoApproves: boolean
  /** First step not yet looked at when the end's DEPENDENCY_FAILED skips are written; -1 before the end began. */
  readonly endSkipsFrom: number
  /** Seqs of accepted UPDATE_PARAMS, newest first: they change the input of steps not yet started. */
  readonly paramChanges: Chain<number> | undefined
  /** Seqs of accepted INJECT_OVERRIDE and UPDATE_TARGET by step id. */
  readonly overrides: ReadonlyMap<string, readonly number[]>
  /** Ids of events from outside that ended a wait of this run, newest first: none ends another. */
  readonly usedEvents: Chain<string> | undefined
  readonly erasures: number
  readonly escalations: number
  /** Who did what: the rules of separated duties judge by it. */
  readonly people: People
  /** All that a locked run may touch; undefined for a run that is not locked. */
  readonly lock: RunLock | undefined
  /** Who approved the run while it was queued; empty when nobody had to. */
  readonly approvedBy: string
  /** What was approved in the runs it belongs to; undefined where nobody was asked. */
  readonly approved: ApprovedAbove | undefined
  /** The rule of a run above that asks for names here; undefined where none does. */
  readonly namesAsked: NamesAsked | undefined
  /** How often its parameters, a step's input or target were changed: who was asked before must be asked again. */
  readonly changes: number
  /** Completions and approvals that were refused to somebody. */
  readonly refusals: number
}
