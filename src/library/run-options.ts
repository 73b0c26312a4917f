/** What a program says when it starts, forks or moves a run, listens to runs, or asks for their alerts. */
import type { MigrateRequest } from '../app/engines/migrate-run.ts'
import type { Allowed } from '../app/plans/run-lock.ts'
import type { PlanName } from '../core/plan/format/plan-name.ts'
import type { Startable } from './plans/load-plan.ts'
import type { AdmissionOptions } from './act/run-queue.ts'

export interface StartOptions extends AdmissionOptions {
  /** The same id starts one run. */
  readonly requestId?: string
  /** Ties the run and its children to the request that caused them; default: the run's id. */
  readonly correlationId?: string
  /** The run's own id, where the program has one already: the same id starts one run. Default: a new UUID. */
  readonly runId?: string
  /** It may touch what is named here and nothing else, whoever drives it; so do its children and forks. `{}` allows nothing. */
  readonly locked?: Allowed
  /** Who starts it, for the log and for rules such as MakerChecker. Default `local`. */
  readonly actorId?: string
  /** In development: the plan may differ from the one stored under its id and version. Default as `openKeelson` was told. */
  readonly replaceVersion?: boolean
}

/** The input may be left out where the plan's type asks for nothing. */
export type StartArguments<I> =
  Readonly<Record<never, never>> extends I
    ? [input?: I | undefined, options?: StartOptions]
    : [input: I, options?: StartOptions]

export interface ForkOptions {
  /** Another input. Steps that read what differs are done again, and manual steps are asked again. Default: that of the run. */
  readonly input?: unknown
  /** Another version of the plan, or the name of a published one. Steps that it changes are done again. Default: that of the run. */
  readonly plan?: Startable | PlanName
  /** Run this step and everything after it again. */
  readonly from?: string
  /** Take over results recorded up to this seq only. */
  readonly atSeq?: number
  /** Run child plans as they are published now; default: as the run was pinned to them when it started. */
  readonly newChildren?: boolean
}

export interface ForkedBy {
  /** Who forks it, for the log and for rules such as MakerChecker: one more of its makers. Default `local`. */
  readonly actorId?: string
}

export type ForkAsked = ForkOptions &
  ForkedBy & {
    /** The RETRY_RUN that asked for it: the same signal forks once. */
    readonly signalId?: string
    /** In development: `plan` may differ from the one stored under its id and version. Default as `openKeelson` was told. */
    readonly replaceVersion?: boolean
    /** What cannot be undone may be done a second time. */
    readonly repeatIrreversible?: boolean
  }

export interface SignalOptions {
  /** UUID v4: a repeat under the same id is one signal. */
  readonly signalId?: string
  /** Who sends it, for the log. Default `local`. */
  readonly actorId?: string
  /** False: do not wait for the run's answer. */
  readonly wait?: boolean
  /** Of RETRY_RUN: false leaves the new run to `fork(runId, { signalId })`, here or in another process. Default true. */
  readonly startsRetry?: boolean
}

export interface CancelOptions {
  /** Undo what the run has finished, newest first, before it ends. Default: it stays. */
  readonly undo?: boolean
}

export interface MigrateOptions extends Omit<MigrateRequest, 'row' | 'to' | 'actorId'> {
  readonly to: 'embedded' | 'temporal'
  /** Who moves it, for the log. Default `local`. */
  readonly actorId?: string
}

export interface ListenOptions {
  /** For who serves a whole fleet: events of every tenant's runs. Default: of the tenant that Keelson was opened for. */
  readonly allTenants?: boolean
}

/** A part of a log by the clock of the store; a number is epoch milliseconds. */
export interface JournalOptions {
  readonly from?: number | Date
  readonly to?: number | Date
}

export interface AlertFilter {
  /** Only of this run. */
  readonly runId?: string
  /** Only of events that were stored at or after it; a Date or epoch milliseconds. */
  readonly since?: number | Date
}
