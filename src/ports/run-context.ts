/**
 * The state of a run, as its steps and its owner may read it: metadata, variables, the results of its steps. It is a
 * view as of one event of the log; nothing in it can be changed, and only the step that needs a secret receives it.
 */
import type { ErrorInfo } from '../core/events/event.ts'

export interface ExecutionInfo {
  readonly id: string
  readonly workflowId: string
  /** RFC 3339, UTC. */
  readonly startedAt: string
  /** Connects the run to the request that caused it; child runs have their parent's. */
  readonly correlationId: string
}

export interface StepResult {
  readonly stepId: string
  readonly status: 'success' | 'failure' | 'skipped' | 'cancelled'
  /** For a step that succeeded, or whose fallback did. */
  readonly output?: unknown
  readonly error?: Pick<ErrorInfo, 'code' | 'retryable'> & { readonly message: string }
  readonly startedAt: string
  readonly completedAt: string
  readonly attempts: number
  /** Milliseconds from the first start to the end. */
  readonly duration: number
}

export interface RunContext {
  readonly execution: ExecutionInfo
  readonly variables: Readonly<Record<string, unknown>>
  /** Steps that have ended, in the order of the plan. */
  readonly steps: ReadonlyMap<string, StepResult>
}
