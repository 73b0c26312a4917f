/** One thing that has attempts, as the state keeps it; its results stay in the log. */
import type { BitTree } from '../../collections/bit-tree.ts'
import type { ErrorClass } from '../../events/event.ts'
import type { AttemptStatus } from './transitions.ts'

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
  /** FAILED for good, but its fallback succeeded, or the plan handles the failure. */
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
