/**
 * What an engine must offer so that `keelson conformance` can play a corpus on it: a bench per entry, on which runs are
 * started, signalled and read. Everything else (scripts, moves, comparison) is the same for all engines.
 */
import type { LogRecord } from '../core/events/event.ts'
import type { Plan } from '../core/plan/plan.ts'
import type { RunStatus } from './run-store.ts'
import type { SecretsProvider } from './secrets.ts'
import type { StepHandlers } from './step-handlers.ts'
import type { Timers } from './timers.ts'

/** What an entry wants of the process that drives its run. */
export interface BenchWishes {
  /** Handlers that follow the entry's script, with waits on the timers of the engine's own clock. */
  readonly handlers: (timers: Timers) => StepHandlers
  readonly agents: Readonly<Record<string, number>>
  readonly resources: Readonly<Record<string, number>>
  readonly secrets: SecretsProvider
  /** Queues that its plans name for their steps: an engine with queues needs a listener for these. */
  readonly queues: readonly string[]
  /** Called after commits to runs of the bench. A bench that does not know may omit it: logs are polled anyway. */
  readonly onChange: () => void
}

export interface BenchPlan {
  readonly plan: Plan
  readonly text: string
  readonly sha256: string
}

export interface BenchRun {
  readonly runId: string
  readonly status: RunStatus
  readonly plan: Plan
  readonly parent?: { readonly runId: string; readonly slot: string; readonly attempt: number }
  readonly originalRunId?: string
  readonly records: readonly LogRecord[]
}

export interface BenchCompletion {
  readonly slot: string
  readonly outcome: 'Succeeded' | 'Failed' | 'Cancelled'
  readonly actorUserId: string
  readonly notes?: string
  readonly evidenceRefs?: readonly string[]
  readonly result?: unknown
}

export interface BenchSignal {
  readonly signalId: string
  readonly signalType: string
  readonly payload: Readonly<Record<string, unknown>>
  /** False: the sender has no permission. */
  readonly allowed: boolean
}

export interface BenchEvent {
  readonly id: string
  readonly name: string
  readonly key?: string
  readonly data?: unknown
}

export interface ConformanceBench {
  /** Resolves with the runId; refusals are KeelsonErrors. `others` are published first, for `plan` steps. */
  start(plan: BenchPlan, others: readonly BenchPlan[], input: unknown): Promise<string>
  signal(runId: string, signal: BenchSignal): Promise<void>
  sendEvent(event: BenchEvent): Promise<void>
  complete(runId: string, completion: BenchCompletion): Promise<void>
  fork(runId: string, options: { readonly from?: string }): Promise<void>
  /** Every run, in order of creation. */
  runs(): Promise<readonly BenchRun[]>
  /** For a simulated clock: it stands still until the returned function is called. */
  hold?(): () => void
  close(): Promise<void>
}

export interface ConformanceEngine {
  readonly name: string
  /** A separate bench for one entry: it shows nothing of other entries. */
  open(wishes: BenchWishes): Promise<ConformanceBench>
  close(): Promise<void>
}
