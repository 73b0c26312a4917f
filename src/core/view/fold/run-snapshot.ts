/**
 * What people see of a run (PRJ-06, X-79): plain, deeply read-only data, computed only from the log. Times are texts as
 * in the events; durations are counted by event time and never below zero.
 */
import type { ArtifactRef, ErrorInfo } from '../../events/event.ts'
import type { AttemptStatus, RunStatus } from '../../run/state/transitions.ts'

/** An error for readers: the structural part and its text in one object (P-32). */
export type ErrorView = Pick<ErrorInfo, 'code' | 'retryable'> &
  Partial<Omit<ErrorInfo, 'code' | 'retryable'>> & { readonly message: string; readonly stackTrace?: string }

export interface AttemptSnapshot {
  readonly logicalAttemptId: number
  readonly engineAttemptId: number
  readonly status: AttemptStatus
  readonly startedAt?: string
  readonly completedAt?: string
  readonly durationMs?: number
  readonly artifacts: readonly ArtifactRef[]
  readonly error?: ErrorView
  /** False while a retry will follow. */
  readonly final?: boolean
  readonly retryAt?: string
  readonly reason?: string
  readonly reasonCode?: string
  readonly mayHaveRunTwice?: boolean
}

/** How a step's time was spent, counted over what has ended; a wait that is still open is not included. */
export interface TimeSplit {
  /** From the run's start until every predecessor had settled. */
  readonly dependencyMs: number
  /** Ready, but without a place, a grant or a handler. */
  readonly grantMs: number
  readonly retryMs: number
  /** The part of a wait during which the run was paused. */
  readonly pauseMs: number
  /** Waiting for a person: a manual task, or a decision about a failed step. */
  readonly humanMs: number
  readonly runningMs: number
}

export interface CompensationSnapshot {
  readonly status: 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED'
  readonly attempts: number
  readonly startedAt?: string
  readonly completedAt?: string
  readonly error?: ErrorView
  /** When it is tried again; FAILED without it is final. */
  readonly retryAt?: string
}

export interface ItemCounts {
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly running: number
}

/** The names of a slot, as in the log: `pay`, `pay[3]`, `FALLBACK:pay` (P-52). */
export interface SlotNames {
  readonly stepId: string
  /** Of an item or a fallback: the step of the plan. */
  readonly parentStepId?: string
  readonly itemIndex?: number
  readonly role?: 'fallback'
}

export interface StepSnapshot extends SlotNames {
  readonly status: AttemptStatus
  readonly logicalAttemptId: number
  readonly engineAttemptId?: number
  readonly startedAt?: string
  readonly completedAt?: string
  readonly artifacts: readonly ArtifactRef[]
  readonly error?: ErrorView
  readonly attempts: readonly AttemptSnapshot[]
  readonly reason?: string
  readonly reasonCode?: string
  /** The step failed, and its fallback succeeded instead. */
  readonly recovered?: true
  /** The step failed, and the plan handles that: its dependents run and read null. */
  readonly handled?: true
  readonly waitingForManualCompletion?: true
  /** When the next attempt is due; the step is shown RUNNING until then. */
  readonly retryAt?: string
  /** Only on the parent of a fan-out. Its items are read with `itemsOf`. */
  readonly items?: ItemCounts
  readonly compensation?: CompensationSnapshot
  readonly timeSplit: TimeSplit
  /** Present as soon as it began. */
  readonly fallback?: FallbackSnapshot
}

export type FallbackSnapshot = Omit<StepSnapshot, 'fallback' | 'items' | 'recovered' | 'handled'>

/** Why a failed run failed: the error, and the attempt that caused it, if any. */
export interface RootCause extends ErrorView, Partial<SlotNames> {
  readonly attempt?: number
  readonly runSeq?: number
}

export interface RunSnapshot {
  readonly runId: string
  readonly status: RunStatus
  readonly substatus?: string
  readonly message?: string
  /** While PENDING: it was queued until somebody starts it, or delayed until an instant. */
  readonly queued?: { readonly policy: 'QUEUE' | 'DELAY'; readonly notBefore?: string }
  readonly lastEventSeq: number
  readonly steps: readonly StepSnapshot[]
  readonly artifacts: readonly ArtifactRef[]
  readonly startedAt?: string
  readonly completedAt?: string
  readonly totalDurationMs?: number
  readonly engineRunRef?: string
  /** Steps whose latest attempt failed finally, without cancelled and recovered ones. */
  readonly failedSteps: number
  readonly rootCause?: RootCause
  /** The log contains an event that the transition table does not allow; it was ignored (PRJ-22). */
  readonly inconsistent?: true
}
