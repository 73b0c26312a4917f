/**
 * What a process tells of the runs it drives, while they run: six events, after what they tell of is committed. They are for
 * metrics and logs; the log of a run is the truth, and nobody waits for these.
 */
export interface HookMetadata {
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
export interface HookGroups {
  readonly metadata: HookMetadata
  readonly state: { readonly run: string; readonly attempt?: number; readonly engineAttempt?: number }
  readonly metrics: { readonly duration?: number; readonly attempts?: number; readonly delayMs?: number }
  /** The run's variables as of this event. */
  readonly context: Readonly<Record<string, unknown>>
}

interface HookBase extends HookGroups {
  readonly executionId: string
  readonly workflowId: string
  readonly correlationId: string
  /** RFC 3339, UTC. */
  readonly timestamp: string
}
interface StepBase extends HookBase {
  readonly stepId: string
  readonly agentId?: string
}
export interface HookError {
  readonly code: string
  readonly errorClass?: string
}
export type StepEnd = 'success' | 'failure' | 'skipped' | 'cancelled'

export interface HookEvents {
  readonly 'execution.started': HookBase
  readonly 'step.started': StepBase & { readonly dependencies: readonly string[] }
  /** Once for each step that came to its end; `duration` in milliseconds from its first start. */
  readonly 'step.completed': StepBase & {
    readonly status: StepEnd
    readonly duration: number
    readonly attempts: number
    readonly error?: HookError
  }
  /** An attempt failed and another is scheduled. */
  readonly 'step.retried': StepBase & { readonly attempt: number; readonly delayMs: number; readonly error: HookError }
  /** Beside `step.completed`, when a step failed for good. */
  readonly 'step.failed': StepBase & { readonly attempts: number; readonly error: HookError }
  readonly 'execution.completed': HookBase & {
    readonly status: 'completed' | 'failed' | 'cancelled'
    readonly duration: number
    readonly error?: HookError
  }
}

export type HookName = keyof HookEvents
export type HookHandler<N extends HookName> = (event: HookEvents[N]) => unknown
/** One event with its name, for who takes them all. */
export type NamedHook = { readonly [N in HookName]: { readonly name: N; readonly event: HookEvents[N] } }[HookName]
export type Observer = (hook: NamedHook) => unknown

/**
 * The store does not answer a process, or does again. What failed is tried again all the while and nothing is lost by it,
 * but nothing goes on either. Told when it lasts, again every minute, and when it is over.
 */
export interface StoreTrouble {
  readonly state: 'failing' | 'recovered'
  /** Of the latest failure; absent when it is over. */
  readonly code?: string
  readonly message?: string
  /** Calls that failed since then. */
  readonly failures: number
  /** RFC 3339, UTC. */
  readonly since: string
}
