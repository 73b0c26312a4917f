/**
 * What an engine is given and what it must do: run this effect at least once; wake this run at or after T.
 * It never decides: every decision is made by `advance`.
 */
import type { ClockJump } from '../core/clock-jumps.ts'
import type { ErrorInfo, EventData } from '../core/events/event.ts'
import type { Effect } from '../core/run/effect.ts'
import type { EngineType } from '../core/run/engines.ts'
import type { Problem } from '../core/problems/problem.ts'
import type { Clock } from './clock.ts'
import type { RunKey, RunRow, RunStatus, RunStore } from './run-store.ts'
import type { Timers } from './timers.ts'

/** What carrying out an effect came to, to be handed to `advance`. Opaque to the engine. */
export interface EffectReport {
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  /** The epoch it was sent out under; under a later one it is refused and recorded as late. Default: the present one. */
  readonly epoch?: number
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

/** What an outside engine adds to a call of `advance`. */
export interface AdvanceOptions {
  /** The epoch the engine acts under; the call is refused under any other (RUN_EPOCH_STALE). */
  readonly epoch?: number
  /** Report everything that is owed, not only what this call opened (P-37). */
  readonly open?: boolean
  /** The engine's own name for the run. An admitted run is started under it (P-45). */
  readonly startAs?: string
}

/** What an engine must know of an effect to send it out; it knows no plan. */
export interface EffectTraits {
  /** How long the attempt may take, counted by its executor (P-26). */
  readonly timeoutMs: number
  /** Kind of action, such as `http`; engines route by it. */
  readonly actionKind: string
  /** It runs in a thread or process of its own. */
  readonly isolated: boolean
  /** The queue that the plan asks for. */
  readonly taskQueue?: string
}

export interface RunDriver {
  /** Takes the inbox and the reports, decides, commits. Rejects with STORE_… or RUN_EPOCH_STALE; then repeat it. */
  advance(runKey: RunKey, reports?: readonly EffectReport[], options?: AdvanceOptions): Promise<AdvanceReport>
  /** Undefined for an effect that nobody waits for any more, or that is no work. */
  traits?(runKey: RunKey, effect: Effect): Promise<EffectTraits | undefined>
  /** The log is known to reach there: a fold at hand that is older is dropped. */
  see?(runKey: RunKey, headSeq: number): void
  /** The engine itself was told to cancel the run: the same as a CANCEL signal, once. */
  cancel?(runKey: RunKey, reason: string): Promise<void>
  /** Leaves a report in the run's inbox instead of deciding on it; whoever drives the run takes it (P-12). */
  leave?(runKey: RunKey, report: EffectReport): Promise<void>
  /** Takes the run over under a new epoch and reports every effect that is owed. */
  adopt(runKey: RunKey): Promise<AdvanceReport>
  /** Carries an effect out. Undefined: nothing to report (it is gone, or reports by another way). */
  execute(runKey: RunKey, effect: Effect, signal: AbortSignal): Promise<EffectReport | undefined>
  /** Must nothing else be at work in this process while this effect is? It may be what ended the processes before. */
  wantsAlone?(runKey: RunKey, effect: Effect): false | Promise<boolean>
  /** The engine has let the run go: nothing of it need be kept until it is adopted again. */
  forget?(runKey: RunKey): void
}

export interface EngineCapabilities {
  readonly engineType: EngineType
  readonly maxInFlight: number
  /** What the engine calls a run before it has given it a name of its own; default `<engine>://<runId>`. */
  readonly runRef?: (runId: string) => string
  /** The queue a run's own work goes through, where the engine has queues. */
  readonly taskQueue?: (scope: { readonly tenantId: string; readonly environmentId: string }) => string
  /** Steps are carried out by other processes alone: this one needs no handlers. */
  readonly elsewhere?: true
}

/** An engine as its process sees it. */
export interface EngineHost {
  /** Lease for a run about to be created by this process. Outside engines need none. */
  lease(): { readonly owner: string; readonly until: number } | undefined
  drive(runKey: RunKey, report: AdvanceReport): void
  /** Somebody must drive this run: it is taken up as soon as nobody else does. */
  want(runKey: RunKey): Promise<void>
  adopt(runKey: RunKey): Promise<boolean>
  /** True while this process drives the run: then `ended` needs no look at the store. */
  drives(runKey: RunKey): boolean
  /**
   * `end` is there when this process wrote it. A status that is no end: the run was set aside, and nobody will end it. Once the signal is aborted nobody waits any more.
   */
  ended(runKey: RunKey, signal?: AbortSignal): Promise<{ readonly status: RunStatus; readonly end?: RunEnd }>
  wake(runKey: RunKey): void
  /** Refuses while the engine cannot be reached: asked before a run is admitted. */
  ready?(): Promise<void>
  /** The run is to be cancelled, and a signal that says so is in its inbox: the engine's own cancel goes after it. */
  cancelRun?(runKey: RunKey): void
  /** Rejects while the provider does not answer. */
  ping?(): Promise<void>
  /** The queue that nobody listens to, where the engine can tell; undefined when somebody does. */
  deserted?(): Promise<string | undefined>
  /** What only the provider knows of a live run: a substatus, never a status. Asked for by nobody but who wants it (ENG-10). */
  substatus?(run: RunRow): Promise<'CONTINUE_AS_NEW' | 'RECOVERING' | undefined>
  /** The run is another engine's from now on: what is under way here is given up, and what it still reports is late. */
  letGo?(runKey: RunKey): Promise<void>
  stop(): Promise<void>
}

/** What an outside engine is built from. */
export interface EngineParts {
  readonly store: RunStore
  readonly driver: RunDriver
  readonly clock: Clock
  readonly timers: Timers
  /** The name this process has in leases. */
  readonly owner: string
  /** Whose runs it works for. */
  readonly scope: { readonly tenantId: string; readonly environmentId: string }
  readonly onReport: (runKey: RunKey, report: AdvanceReport) => void
  /** What went wrong in the background and is tried again. */
  readonly tell: (problem: Problem) => void
  /** The wall clock was set while this process lives. */
  readonly onClockJump?: (jump: ClockJump) => void
}

export interface EngineFactory {
  readonly capabilities: EngineCapabilities
  open(parts: EngineParts): EngineHost
}
