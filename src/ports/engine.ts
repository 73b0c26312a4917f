/**
 * What an engine receives and what it must do: run this effect at least once; wake this run at or after T. It never
 * decides: `advance` makes every decision.
 */
import type { ClockJump } from '../core/clock-jumps.ts'
import type { ErrorInfo, EventData, EventType } from '../core/events/event.ts'
import type { Effect } from '../core/run/effect.ts'
import type { EngineType } from '../core/engine/engine-type.ts'
import type { Problem } from '../core/problems/problem.ts'
import type { Clock } from './clock.ts'
import type { RunKey, RunRef, RunRow, RunStatus, RunStore } from './run-store.ts'
import type { Timers } from './timers.ts'

/** The result of an effect, for `advance`. Opaque to the engine. */
export interface EffectOutcome {
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  /** The epoch of its dispatch; under a later one it is refused and recorded as late. Default: the current one. */
  readonly epoch?: number
  /** Its claim was over and another worker was given the step: recorded as late, also while that attempt is open. */
  readonly stale?: true
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
        /** The error, already described for the log: it came through the inbox (P-12). */
        readonly described?: {
          readonly error: ErrorInfo
          readonly errorText: NonNullable<EventData['errorText']>
        }
        readonly aborted?: 'cancel' | 'timeout'
        /** The artifacts it had made until then. */
        readonly artifactRefs?: readonly ArtifactPointer[]
        /** Another driver began this irreversible attempt: whether it happened is unknown (P-28). */
        readonly indeterminate?: true
        readonly durationMs: number
      }
}
/** The person behind a manual step's outcome. */
export interface CompletedBy {
  readonly actorId: string
  readonly actorRoles?: readonly string[]
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

export interface TurnResult {
  readonly epoch: number
  readonly headSeq: number
  readonly status: RunStatus
  /** Effects opened by decisions committed in this call. They leave only now (P-13). */
  readonly effects: readonly Effect[]
  /** Work is in flight: the driver of the run must keep it. */
  readonly owed?: true
  /** Units of pools were freed: other runs may be able to start now. */
  readonly freed?: true
  /** A row was left in the inbox of another run, for instance the parent: its driver may be in this process. */
  readonly told?: true
  /** Wake the run at this instant; undefined when only an outside event can move it. */
  readonly wakeAt: number | undefined
  readonly terminal: boolean
  /** What this call wrote into the log, in its order: whoever listens need not read it back. Empty: nothing, or it is not at hand. */
  readonly written?: readonly WrittenEvent[]
  /** Set when decisions of this call ended the run. */
  readonly end?: RunEnd
  /** The commit itself saw that nothing was in the inbox (P-53): nothing can have come between a look and that commit. */
  readonly inboxEmpty?: true
}

/** An event as it was at hand when it was written; the names are those of its record. */
export interface WrittenEvent {
  readonly eventType: EventType
  readonly eventId: string
  readonly runSeq: number
  readonly emittedAt: string
  readonly logicalAttemptId: number
  readonly engineAttemptId: number
  readonly stepId: string | undefined
  readonly itemIndex: number | undefined
  readonly role: 'fallback' | undefined
  readonly payload: object
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
  /** Report all open effects, not only those that this call opened (P-37). */
  readonly open?: boolean
  /** The engine's own name for the run. An admitted run is started under it (P-45). */
  readonly startAs?: string
}

/** What an engine must know of an effect to dispatch it; it knows no plan. */
export interface EffectTraits {
  /** How long the attempt may take, counted by its executor (P-26). */
  readonly timeoutMs: number
  /** Kind of action, such as `http`; engines route by it. */
  readonly actionKind: string
  /** It runs in a separate thread or process. */
  readonly isolated: boolean
  /** The queue that the plan asks for. */
  readonly taskQueue?: string
}

export interface RunDriver {
  /** Takes the inbox and the reports, decides, commits. Rejects with STORE_… or RUN_EPOCH_STALE; then repeat it. */
  advance(runKey: RunKey, reports?: readonly EffectOutcome[], options?: AdvanceOptions): Promise<TurnResult>
  /** Undefined for an effect that nobody waits for any more, or that is no work. */
  traits?(runKey: RunKey, effect: Effect): Promise<EffectTraits | undefined>
  /** The log is known to reach this seq: an older cached fold is dropped. */
  see?(runKey: RunKey, headSeq: number): void
  /** The engine itself was told to cancel the run: the same as a CANCEL signal, once. */
  cancel?(runKey: RunKey, reason: string): Promise<void>
  /** Leaves a report in the run's inbox instead of deciding on it; the driver of the run takes it (P-12). */
  leave?(runKey: RunKey, report: EffectOutcome): Promise<void>
  /** Takes the run over under a new epoch and reports every open effect. */
  adopt(runKey: RunKey): Promise<TurnResult>
  /** Executes an effect. Undefined: nothing to report (it is gone, or reports in another way). */
  execute(
    runKey: RunKey,
    effect: Effect,
    signal: AbortSignal,
    /** Called when the work is in the hands of a remote worker's queue: nothing of it is at work here. */
    handedOver?: () => void,
  ): Promise<EffectOutcome | undefined>
  /** Must this effect run alone in this process? It may be what killed earlier processes. */
  wantsAlone?(runKey: RunKey, effect: Effect): false | Promise<boolean>
  /** The engine has released the run: nothing of it need be cached until it is adopted again. */
  forget?(runKey: RunKey): void
}

export interface EngineCapabilities {
  readonly engineType: EngineType
  readonly maxInFlight: number
  /** The name of a run before the engine has named it; default `<engine>://<runId>`. */
  readonly runRef?: (run: RunRef) => string
  /** The queue for a run's own work, where the engine has queues. */
  readonly taskQueue?: (scope: { readonly tenantId: string; readonly environmentId: string }) => string
  /** Is a queue that a plan names for a step not one that a run of this scope may use? */
  readonly isForeignQueue?: (
    scope: { readonly tenantId: string; readonly environmentId: string },
    queue: string,
  ) => boolean
  /** Steps are carried out by other processes alone: this one needs no handlers. */
  readonly elsewhere?: true
}

/** An engine as its process sees it. */
export interface EngineHost {
  /** Lease for a run about to be created by this process. Outside engines need none. */
  lease(): { readonly owner: string; readonly until: number } | undefined
  drive(runKey: RunKey, report: TurnResult): void
  /** This run needs a driver: it is adopted as soon as nobody else drives it. */
  want(runKey: RunKey): Promise<void>
  adopt(runKey: RunKey): Promise<boolean>
  /** Takes a run that has no driver, without driving it yet; undefined when it is not available, or is driven here. */
  hold?(row: RunRow): Promise<RunRow | undefined>
  /** True while this process drives the run: then `ended` need not read the store. */
  drives(runKey: RunKey): boolean
  /** How many; absent where processes outside drive them. */
  readonly drivenRuns?: number
  /**
   * `end` is present when this process wrote it. A status that is no end: the run was set aside, and nobody will end
   * it. After the signal is aborted nobody waits any more.
   */
  ended(runKey: RunKey, signal?: AbortSignal): Promise<{ readonly status: RunStatus; readonly end?: RunEnd }>
  wake(runKey: RunKey): void
  /** Rejects while the engine cannot be reached: called before a run is admitted. */
  connect?(): Promise<void>
  /** The run is to be cancelled, and the signal is in its inbox: the engine's own cancellation follows it. */
  cancelRun?(runKey: RunKey): void
  /** Rejects while the provider does not answer. */
  ping?(): Promise<void>
  /** The queue without a worker, where the engine can tell; undefined when there is one. */
  queueWithoutWorker?(): Promise<string | undefined>
  /** What only the provider knows of a live run: a substatus, never a status. Called only on request (ENG-10). */
  substatus?(run: RunRow): Promise<'CONTINUE_AS_NEW' | 'RECOVERING' | undefined>
  /**
   * The run belongs to another engine from now on: work in progress here is given up, and its later reports are late.
   */
  letGo?(runKey: RunKey): Promise<void>
  stop(): Promise<void>
}

/** What an outside engine is built from. */
export interface EngineParts {
  readonly store: RunStore
  readonly driver: RunDriver
  readonly clock: Clock
  readonly timers: Timers
  /** The name of this process in leases. */
  readonly owner: string
  /** The tenant and environment of its runs. */
  readonly scope: { readonly tenantId: string; readonly environmentId: string }
  readonly onReport: (runKey: RunKey, report: TurnResult) => void
  /** Background errors that are retried. */
  readonly tell: (problem: Problem) => void
  /** The wall clock was set while this process runs. */
  readonly onClockJump?: (jump: ClockJump) => void
}

export interface EngineFactory {
  readonly capabilities: EngineCapabilities
  open(parts: EngineParts): EngineHost
}
