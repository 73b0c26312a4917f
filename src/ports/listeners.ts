/**
 * What a process reports of the runs it drives, while they run: six events, each after its commit. They are for metrics
 * and logs; the log of a run is the truth, and nothing waits for these.
 */
export interface ListenerMetadata {
  readonly tenantId: string
  readonly projectId: string
  readonly environmentId: string
  readonly planVersion: string
  readonly eventId: string
  readonly runSeq: number
  readonly itemIndex?: number
  readonly role?: string
}

/** Every event has these four groups; none of them holds a secret. */
export interface ListenerGroups {
  readonly metadata: ListenerMetadata
  readonly state: { readonly run: string; readonly attempt?: number; readonly engineAttempt?: number }
  readonly metrics: { readonly duration?: number; readonly attempts?: number; readonly delayMs?: number }
  /** The run's variables as of this event. */
  readonly context: Readonly<Record<string, unknown>>
}

interface ListenerBase extends ListenerGroups {
  readonly executionId: string
  readonly workflowId: string
  readonly correlationId: string
  /** RFC 3339, UTC. */
  readonly timestamp: string
}
interface StepBase extends ListenerBase {
  readonly stepId: string
  readonly agentId?: string
}
export interface ListenerError {
  readonly code: string
  readonly errorClass?: string
}
export type StepEnd = 'success' | 'failure' | 'skipped' | 'cancelled'

export interface ListenerEvents {
  readonly 'execution.started': ListenerBase
  readonly 'step.started': StepBase & { readonly dependencies: readonly string[] }
  /** Once for each ended step; `duration` in milliseconds from its first start. */
  readonly 'step.completed': StepBase & {
    readonly status: StepEnd
    readonly duration: number
    readonly attempts: number
    readonly error?: ListenerError
  }
  /** An attempt failed and another is scheduled. */
  readonly 'step.retried': StepBase & {
    readonly attempt: number
    readonly delayMs: number
    readonly error: ListenerError
  }
  /** In addition to `step.completed`, when a step failed finally. */
  readonly 'step.failed': StepBase & { readonly attempts: number; readonly error: ListenerError }
  readonly 'execution.completed': ListenerBase & {
    readonly status: 'completed' | 'failed' | 'cancelled'
    readonly duration: number
    readonly error?: ListenerError
  }
}

export type ListenerEventName = keyof ListenerEvents
export type Listener<N extends ListenerEventName> = (event: ListenerEvents[N]) => unknown
/** One event with its name, for a listener of all events. */
export type ListenerEvent = {
  readonly [N in ListenerEventName]: { readonly name: N; readonly event: ListenerEvents[N] }
}[ListenerEventName]
export type Observer = (told: ListenerEvent) => unknown
/** Without the run's values, which are read only for those who want them. */
export type BareListenerEvent = {
  readonly [N in ListenerEventName]: { readonly name: N; readonly event: Omit<ListenerEvents[N], 'context'> }
}[ListenerEventName]
export type BareObserver = (told: BareListenerEvent) => unknown

/**
 * The store does not answer a process, or answers again. Failed calls are retried all the time and nothing is lost, but
 * nothing advances either. Reported when it lasts, again every minute, and when it is over.
 */
export interface StoreTrouble {
  readonly state: 'failing' | 'recovered'
  /** Code of the latest failure; absent when it is over. */
  readonly code?: string
  readonly message?: string
  /** Calls that failed since then. */
  readonly failures: number
  /** RFC 3339, UTC. */
  readonly since: string
}
