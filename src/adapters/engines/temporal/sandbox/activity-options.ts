/**
 * The times and retries of every activity, in one place (TMP-09, TMP-10). A step's own time limit is counted by its
 * executor; what stands here is only what the platform does about a worker that is gone.
 */
import { LIMITS } from '../../../../core/limits.ts'
import type { Sending } from './wire.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Longer than this, and a step would hold a rotation up. */
export const LONG_STEP_MS = 10 * MINUTE
/** Room between the executor's own limit and the platform's. */
const SLACK_MS = 5 * MINUTE

const HEARTBEAT_TIMEOUT_MS = 10 * SECOND
export const HEARTBEAT_THROTTLE_MS = SECOND
/** For an activity without a time of its own. */
const START_TO_CLOSE_MS = 30 * MINUTE

/** of the numbers that disagree, those of the latest accepted decision. */
const STEP_RETRY: Sending['retry'] = {
  initialInterval: SECOND,
  backoffCoefficient: 2,
  maximumInterval: 60 * SECOND,
  maximumAttempts: 3,
  nonRetryableErrorTypes: ['PermanentStepError', 'AuthorizationError', 'ValidationError'],
}

/** What must happen in the end is tried for ever: a store that is away comes back (P-38). */
const ENDLESS_RETRY: Sending['retry'] = {
  initialInterval: SECOND,
  backoffCoefficient: 2,
  maximumInterval: 10 * SECOND,
  nonRetryableErrorTypes: STEP_RETRY.nonRetryableErrorTypes ?? [],
}

/** Times by kind of action; what is not named here follows the attempt's own limit. */
export interface KindTimes {
  readonly startToCloseMs?: number
  readonly scheduleToCloseMs?: number
  readonly heartbeatMs?: number
  readonly maximumAttempts?: number
}

export const KIND_TIMES: Readonly<Record<string, KindTimes>> = {
  'dbt-run': { startToCloseMs: 240 * MINUTE, scheduleToCloseMs: 300 * MINUTE, heartbeatMs: 5 * MINUTE },
  healthcheck: { startToCloseMs: 10 * SECOND, scheduleToCloseMs: 15 * SECOND, maximumAttempts: 1 },
  'warehouse-query': { startToCloseMs: 15 * MINUTE, heartbeatMs: 30 * SECOND },
}

export function stepSending(traits: {
  readonly timeoutMs: number
  readonly times?: KindTimes
  readonly taskQueue?: string
}): Sending {
  const { timeoutMs, times = {}, taskQueue } = traits
  const { maximumAttempts = STEP_RETRY.maximumAttempts } = times
  return {
    startToCloseTimeout: times.startToCloseMs ?? Math.max(START_TO_CLOSE_MS, timeoutMs + SLACK_MS),
    scheduleToStartTimeout: LIMITS.queueAllowanceMs,
    scheduleToCloseTimeout: times.scheduleToCloseMs ?? LIMITS.queueAllowanceMs + timeoutMs + SLACK_MS,
    heartbeatTimeout: times.heartbeatMs ?? HEARTBEAT_TIMEOUT_MS,
    retry: { ...STEP_RETRY, ...(maximumAttempts === undefined ? {} : { maximumAttempts }) },
    ...(taskQueue === undefined ? {} : { taskQueue }),
  }
}

/** For `wake`, and for signals to child runs. */
export const ADVANCE_SENDING: Sending = { startToCloseTimeout: MINUTE, retry: ENDLESS_RETRY }

/** For `wake` in the worker that runs the workflow: tried once there, and then by any worker. */
export const ADVANCE_HERE = { startToCloseTimeout: MINUTE, retry: { maximumAttempts: 1 } }
