/**
 * What an engine is given and what it must do: run this effect at least once; wake this run at or after T.
 * It never decides: every decision is made by `advance`.
 */
import type { ErrorInfo, EventData } from '../core/events/event.ts'
import type { Effect } from '../core/run/effect.ts'
import type { RunKey, RunStatus } from './run-store.ts'

/** What carrying out an effect came to, to be handed to `advance`. Opaque to the engine. */
export interface EffectReport {
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  readonly result:
    | {
        readonly kind: 'completed'
        readonly output: unknown
        readonly artifactRefs: readonly ArtifactPointer[]
        readonly durationMs: number
        readonly by?: CompletedBy
      }
    | {
        readonly kind: 'failed'
        readonly thrown: unknown
        /** What was thrown, put into the log's words already: it came by letter (P-12). */
        readonly described?: {
          readonly error: ErrorInfo
          readonly errorText: NonNullable<EventData['errorText']>
        }
        readonly aborted?: 'cancel' | 'timeout'
        /** What it had made until then. */
        readonly artifactRefs?: readonly ArtifactPointer[]
        /** Another driver began this irreversible attempt: whether it happened is not known (P-28). */
        readonly indeterminate?: true
        readonly durationMs: number
      }
}
/** The person behind a manual step's outcome. */
export interface CompletedBy {
  readonly actorId: string
  readonly notes?: string
  readonly evidenceRefs?: readonly string[]
}
interface ArtifactPointer {
  readonly uri: string
  readonly kind: string
  readonly sha256?: string
  readonly sizeBytes?: number
  readonly expiresAt?: string
}

export interface AdvanceReport {
  readonly epoch: number
  readonly headSeq: number
  readonly status: RunStatus
  /** Effects opened by decisions committed in this call. They leave only now (P-13). */
  readonly effects: readonly Effect[]
  /** Work is in flight: whoever drives the run must keep hold of it. */
  readonly owed?: true
  /** Units of pools were freed: others may be able to start now. */
  readonly freed?: true
  /** Wake the run at this instant; undefined when only the outside can move it. */
  readonly wakeAt: number | undefined
  readonly terminal: boolean
  /** Set when decisions of this call ended the run. */
  readonly end?: RunEnd
}

/** The terminal event of a run, as far as its reader needs it. */
export interface RunEnd {
  readonly eventType: string
  readonly payload: object
  readonly data?: EventData
}

export interface RunDriver {
  /** Takes the inbox and the reports, decides, commits. Rejects with STORE_… or RUN_EPOCH_STALE; then repeat it. */
  advance(runKey: RunKey, reports?: readonly EffectReport[]): Promise<AdvanceReport>
  /** Takes the run over under a new epoch and reports every effect that is owed. */
  adopt(runKey: RunKey): Promise<AdvanceReport>
  /** Carries an effect out. Undefined: nothing to report (it is gone, or reports by another way). */
  execute(runKey: RunKey, effect: Effect, signal: AbortSignal): Promise<EffectReport | undefined>
  /** The engine has let the run go: nothing of it need be kept until it is adopted again. */
  forget?(runKey: RunKey): void
}

export interface EngineCapabilities {
  readonly engineType: 'embedded' | 'temporal' | 'conductor' | 'mock'
  readonly maxInFlight: number
}

/** The embedded engine as its process sees it. */
export interface EngineHost {
  /** Lease for a run about to be created by this process. */
  lease(): { readonly owner: string; readonly until: number }
  drive(runKey: RunKey, report: AdvanceReport): void
  adopt(runKey: RunKey): Promise<boolean>
  /** True while this process drives the run: then `ended` needs no look at the store. */
  drives(runKey: RunKey): boolean
  /** `end` is there when this process wrote it. */
  ended(runKey: RunKey): Promise<{ readonly status: RunStatus; readonly end?: RunEnd }>
  wake(runKey: RunKey): void
  stop(): Promise<void>
}
