/**
 * What travels between the workflow and its activities, and over a rotation: names, numbers and effects, never a plan, an
 * input or an output (TMP-03, SEC-09). The workflow's sandbox loads this file too, so it imports types alone.
 */
import type { Effect } from '../../../../core/run/effect.ts'

export const RUN_WORKFLOW = 'keelsonRun'
export const STEP_WORKFLOW = 'keelsonStep'
export const WAKE_SIGNAL = 'wake'
export const PHASE_QUERY = 'phase'
/** Of a long step's workflow: the epoch it was sent out under. */
export const EPOCH_MEMO = 'epoch'

/** The answer of a worker that cannot judge a run or a step; another worker may be able to. */
export const LEFT_ALONE: readonly string[] = ['RULES_VERSION_UNKNOWN', 'NO_HANDLER']

/** What the workflow itself is doing; the log does not contain it. */
export type Phase = 'RUNNING' | 'CONTINUE_AS_NEW'

/** Whose activity it is. */
export interface RunAt {
  readonly tenantId: string
  readonly runId: string
  readonly epoch: number
}

/** All that a workflow knows of its run, at its start and over every rotation (P-39). */
export interface Carried extends RunAt {
  readonly headSeq: number
  readonly rotations: number
}

/** How an effect is sent out. Times in milliseconds; absent is no limit. */
export interface Sending {
  readonly taskQueue?: string
  readonly startToCloseTimeout: number
  readonly scheduleToStartTimeout?: number
  readonly scheduleToCloseTimeout?: number
  readonly heartbeatTimeout?: number
  readonly retry: {
    readonly initialInterval: number
    readonly backoffCoefficient: number
    readonly maximumInterval: number
    readonly maximumAttempts?: number
    readonly nonRetryableErrorTypes?: string[]
  }
}

export interface SentEffect {
  readonly effect: Effect
  /** Its place in the answer's `sendings`: hundreds of steps are sent out alike. */
  readonly by: number
  /** May run so long that it must not hold up a rotation: a child workflow does it. */
  readonly long?: true
}

/** When the history is rotated: at the server's suggestion always, and at whichever of these comes first (TMP-02). */
export interface Rotation {
  readonly events: number
  readonly steps?: number
  readonly bytes?: number
}

/** What an activity answers (P-37). */
export interface Reply {
  readonly epoch: number
  readonly headSeq: number
  readonly effects: readonly SentEffect[]
  readonly sendings?: readonly Sending[]
  /** There are more open effects than one answer holds: ask again for those after this id. */
  readonly more?: string
  readonly wakeAt?: number
  /** The same as a length of time: the worker's clock need not be the server's, nor stay what it is. */
  readonly wakeInMs?: number
  readonly end?: 'COMPLETED' | 'FAILED' | 'CANCELLED'
  /** The run is another engine's or under another epoch by now: nothing of this answer counts but that. */
  readonly superseded?: true
  readonly rotation?: Rotation
}

/** A step activity that used up its platform attempts. */
export interface LostEffect {
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
}

export interface WakeCall extends RunAt {
  /** How much of the log the workflow has seen. */
  readonly headSeq?: number
  readonly lost?: readonly LostEffect[]
  /** Somebody cancelled the workflow itself. */
  readonly cancelled?: true
  /** It only sends out what stops work, so the other effects need not be told again and again. */
  readonly draining?: true
  /** The last id that was told. Effects before it come and go, so a position in the list would miss some. */
  readonly after?: string
}

export interface StepCall extends RunAt {
  readonly effect: Effect
  /** How many effects of the run were out when this one was sent, itself among them. */
  readonly beside?: number
  /** It was to be stopped before it was sent out: it does not begin, and that is its outcome. */
  readonly stopped?: true
}

/** What the worker offers to the workflow. */
export interface RunActivities {
  wake(call: WakeCall): Promise<Reply>
  step(call: StepCall): Promise<Reply>
  /** Carries the effect out and leaves its outcome in the run's inbox. */
  longStep(call: StepCall): Promise<void>
}

/** Wake-ups have a queue of their own: they must be heard while steps take every place of the worker (TMP-06). */
export function wakeQueue(taskQueue: string): string {
  return `${taskQueue}-wake`
}

/** The id of the child workflow that carries a long step out, after that of its run's (P-36). */
export function longStepId(workflowId: string, effectId: string): string {
  return `${workflowId}:${effectId}`
}
