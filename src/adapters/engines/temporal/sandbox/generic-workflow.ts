/**
 * The one generic workflow: it schedules effects, sets one timer, waits for wake-ups and rotates its history. It knows no
 * plan and decides nothing; what it does next is what an activity's answer says (TMP-01, P-36 … P-39). Everything here
 * runs in Temporal's sandbox, and so does all that this folder holds.
 */
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  scheduleActivity,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import { ADVANCE_SENDING } from './activity-options.ts'
import { isLeftAlone, LEFT_ALONE_MS } from './left-alone.ts'
import { RunLoop } from './run-loop.ts'
import { PHASE_QUERY, WAKE_SIGNAL, wakeQueue, type Carried, type Phase, type Sending, type StepCall } from './wire.ts'

export async function keelsonRun(carried: Carried): Promise<void> {
  const loop = new RunLoop(carried)
  let isCancelled = false
  setHandler(defineSignal(WAKE_SIGNAL), () => loop.wake())
  setHandler(defineQuery<Phase>(PHASE_QUERY), () => loop.phase)
  void CancellationScope.current().cancelRequested.catch(() => {
    isCancelled = true
    loop.cancel()
  })
  await CancellationScope.nonCancellable(async () => {
    while (loop.isGoingOn) {
      loop.turn()
      await condition(() => loop.hasTurn)
    }
  })
  loop.throwFailure()
  if (loop.rotates) await continueAsNew<typeof keelsonRun>(loop.carried)
  if (loop.end === 'FAILED') throw ApplicationFailure.nonRetryable('the run failed; its log says why', 'RunFailed')
  if (loop.end === 'CANCELLED' && isCancelled) throw new CancelledFailure('the run was cancelled')
}

async function untilJudged(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call()
      return
    } catch (error) {
      if (!isLeftAlone(error)) throw error
    }
    await sleep(LEFT_ALONE_MS)
  }
}

/** A step that may run for long, beside the run's own workflow: its outcome goes to the run's inbox (P-36). */
export async function keelsonStep(call: StepCall, sending: Sending): Promise<void> {
  const { effect, ...carried } = call
  const options = { ...sending, cancellationType: 'WAIT_CANCELLATION_COMPLETED' as const }
  // Stopped before it began: the run ends its attempt by itself when the grace is over.
  const isLost = await untilJudged(() => scheduleActivity('longStep', [call], options)).then(
    () => false,
    (error: unknown) => !isCancellation(error),
  )
  await CancellationScope.nonCancellable(async () => {
    if (isLost && 'engineAttempt' in effect) {
      const { slot, attempt, engineAttempt } = effect
      const taskQueue = wakeQueue(workflowInfo().taskQueue)
      const told = { ...carried, lost: [{ slot, attempt, engineAttempt }] }
      await scheduleActivity('wake', [told], { ...ADVANCE_SENDING, taskQueue })
    }
    // The workflow of the run started this one; only it knows its own name.
    await getExternalWorkflowHandle(workflowInfo().parent?.workflowId ?? call.runId)
      .signal(WAKE_SIGNAL)
      // The run has ended or is on another engine; what was left in its inbox is there for its next driver.
      .catch(() => undefined)
  })
}
