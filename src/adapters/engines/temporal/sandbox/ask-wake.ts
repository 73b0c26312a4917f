/** The one question a workflow asks about its run: what is there to do now? An activity answers it from the log. */
import {
  ActivityFailure,
  ApplicationFailure,
  scheduleActivity,
  scheduleLocalActivity,
  workflowInfo,
} from '@temporalio/workflow'
import { ADVANCE_HERE, ADVANCE_SENDING } from './activity-options.ts'
import { wakeQueue, type Reply, type WakeCall } from './wire.ts'

function isFinal(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  return cause instanceof ApplicationFailure && cause.nonRetryable === true
}

/**
 * First in the worker that runs the workflow, which needs no call through the server. If that fails, any worker may do it (P-38).
 */
export async function askWake(call: WakeCall): Promise<Reply> {
  try {
    return await scheduleLocalActivity<Reply>('wake', [call], ADVANCE_HERE)
  } catch (error) {
    if (isFinal(error)) throw error
    const taskQueue = wakeQueue(workflowInfo().taskQueue)
    return scheduleActivity<Reply>('wake', [call], { ...ADVANCE_SENDING, taskQueue })
  }
}
