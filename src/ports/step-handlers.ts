/** What runs a step's action: registered functions by name, and later http, command and dbt runners. */
import type { Action, ActionKind, Compensation, Fallback } from '../core/plan/plan.ts'
import type { ArtifactRef } from '../core/events/event.ts'

export interface StepContext {
  /** Aborted on cancel, timeout and shutdown. */
  readonly signal: AbortSignal
  /** Constant over retries and crashes for an unchanged input: hand it to the target system. */
  readonly idempotencyKey: string
  readonly runId: string
  readonly stepId: string
  readonly itemIndex?: number
  readonly attempt: number
  readonly engineAttempt: number
  readonly planId: string
  readonly planVersion: string
  /** Adds a pointer to something large that the step wrote elsewhere. */
  readonly addArtifact: (artifact: ArtifactRef) => void
  readonly heartbeat: () => void
}

export type StepFunction = (input: never, context: StepContext) => unknown

export interface ActionCall {
  readonly action: Action | Compensation | Fallback
  readonly kind: ActionKind
  readonly input: unknown
  readonly context: StepContext
}

export interface StepHandlers {
  /** Names this action needs that are not registered here; empty when it can run. */
  missing(action: Action | Compensation | Fallback): readonly string[]
  /** Runs the action; resolves with its output or rejects with whatever it threw. */
  call(call: ActionCall): Promise<unknown>
  /** Names the code that produced an outcome (DESIGN §9). */
  readonly buildId?: string
}
