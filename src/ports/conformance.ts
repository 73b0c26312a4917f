/**
 * What an engine must offer so that `keelson conformance` can play a corpus on it: a bench per entry, on which runs are
 * started, signalled and read. Everything else (scripts, moves, comparing) is the same for all engines.
 */
import type { ForeignRecord } from '../core/events/event.ts'
import type { Plan } from '../core/plan/plan.ts'
import type { RunStatus } from './run-store.ts'
import type { SecretsProvider } from './secrets.ts'
import type { StepHandlers } from './step-handlers.ts'
import type { Timers } from './timers.ts'

/** What an entry wants of the process its run is driven by. */
export interface BenchWishes {
  /** Handlers that follow the entry's script, waiting by the timers of the engine's own clock. */
  readonly handlers: (timers: Timers) => StepHandlers
  readonly agents: Readonly<Record<string, number>>
  readonly resources: Readonly<Record<string, number>>
  readonly secrets: SecretsProvider
  /** Queues its plans name for their steps: where an engine has queues, somebody must listen to these. */
  readonly queues: readonly string[]
  /** To be called after commits to runs of the bench. Who cannot tell may leave it: logs are looked at now and then anyway. */
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
  readonly records: readonly ForeignRecord[]
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
  /** False: the sender is one who may not. */
  readonly allowed: boolean
}

export interface ConformanceBench {
  /** Resolves with the runId; refusals are KeelsonErrors. `others` are published first, for `plan` steps. */
  start(plan: BenchPlan, others: readonly BenchPlan[], input: unknown): Promise<string>
  signal(runId: string, signal: BenchSignal): Promise<void>
  complete(runId: string, completion: BenchCompletion): Promise<void>
  fork(runId: string, options: { readonly from?: string }): Promise<void>
  /** Every run there is, in the order in which they were created. */
  runs(): Promise<readonly BenchRun[]>
  /** Of a simulated clock: it stands still until the answer is called. */
  hold?(): () => void
  close(): Promise<void>
}

export interface ConformanceEngine {
  readonly name: string
  /** A bench of its own for one entry: nothing of another entry is seen on it. */
  open(wishes: BenchWishes): Promise<ConformanceBench>
  close(): Promise<void>
}
