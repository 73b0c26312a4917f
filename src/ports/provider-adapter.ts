/**
 * The operations of an engine for outside callers (ENG-01, ADP-01): start a run, cancel it, report its status, pass a
 * signal on. Its references name its own provider (INV-PA-1); cancelling twice is cancelling once (INV-PA-2); the
 * status is a fold of the log and so the same for the same log (INV-PA-3); a call whose answer was lost may be repeated
 * (INV-PA-4).
 */
import type { EngineRunRef } from '../core/engine/run-ref.ts'
import type { RunStatusSnapshot } from '../core/engine/run-status.ts'
import type { PlanRef } from '../core/plan/compile/plan-ref.ts'
import type { EngineType } from '../core/engine/engine-type.ts'

/** The authenticated caller: nothing here comes from the request itself. */
export interface ActorContext {
  readonly userId: string
  readonly roles: readonly string[]
  readonly tenantId: string
  readonly sourceIp?: string
  /** The reason, where the request has no place for it. */
  readonly reason?: string
}

/** What a run is started with. The engine is already chosen. */
export interface EngineRunContext {
  readonly tenantId: string
  readonly projectId: string
  readonly environmentId: string
  /** Unique everywhere; a UUID v4 is best. */
  readonly runId: string
  readonly targetAdapter: EngineType
  readonly input?: unknown
  /** Connects the run to the request that caused it; default: its own id. */
  readonly correlationId?: string
}

export interface EngineSignal {
  /** UUID v4 made by the client. */
  readonly signalId: string
  readonly signalType: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface ProviderAdapter {
  readonly provider: EngineType
  /** Refuses with RUN_ALREADY_EXISTS when a run of this id was started before. */
  startRun(plan: PlanRef, context: EngineRunContext, actor: ActorContext): Promise<EngineRunRef>
  /** Resolves when the request is recorded; the run ends by itself. */
  cancelRun(ref: EngineRunRef, actor: ActorContext, reason?: string): Promise<void>
  /** Never asks the provider. */
  getRunStatus(ref: EngineRunRef, actor: ActorContext): Promise<RunStatusSnapshot>
  signal(ref: EngineRunRef, request: EngineSignal, actor: ActorContext): Promise<void>
  /** Rejects while the provider does not answer. */
  ping?(): Promise<void>
}
