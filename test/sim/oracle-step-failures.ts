/** What the oracle knows of failed steps: when an attempt may fail, what the policy makes of it, and who is to blame. */
import type { Attempt, SlotModel } from './oracle-model.ts'
import { checkHandled } from './oracle-endings.ts'
import { openAttempt, type Rule, type Walk } from './oracle-walk.ts'
import { instant, isRepeated, itemNames, waitAfter, type LogEvent } from './oracle-tables.ts'

/** Codes by which the decider or a person ends an attempt for good, whatever the policy. */
const FINAL_CODES = [
  'INDETERMINATE',
  'CANCELLED',
  'MANUAL_FAILED',
  'MANUAL_CANCELLED',
  'MANUAL_EXPIRED',
  'EVENT_TIMEOUT',
  'ITEMS_FAILED',
]

export const stepFailed: Rule = (walk, event) => {
  const { model } = walk
  const found = openAttempt(walk, event)
  if (found === undefined) return
  const { slot, attempt } = found
  const error = event.payload['error'] as { code: string; errorClass: string }
  const stopped = model.cancelling !== undefined || model.isFailing()
  const wasStopped = model.isToBeUndone()
  attempt.state = 'FAILED'
  attempt.final = event.payload['final'] === true
  attempt.fallback = event.payload['fallback'] === true
  attempt.handled = event.payload['handled'] === true
  attempt.code = error.code
  attempt.errorClass = error.errorClass
  attempt.endedBy = event.payload['forced'] === true ? 0 : event.engineAttempt
  attempt.endSeq = event.runSeq
  // What was taken over of a fan-out that had not ended is closed, not judged.
  if (model.undoes)
    return walk.must(attempt.final && model.isFanParent(slot), 'CMP a step failed in a run that only undoes')
  checkVerdict(walk, slot, attempt, event, stopped)
  checkHandled(walk, slot, attempt)
  if (wasStopped && !model.isFanParent(slot) && ['CHILD_CANCELLED', 'CANCELLED'].includes(error.code)) {
    if (model.isUndoneByRun(slot.name)) model.completions.push(slot.name)
  }
  // Executors count their own time; half an hour later the decider's backstop only finds what got lost.
  const outOfTime = error.code === 'TIMEOUT' || error.code === 'INDETERMINATE'
  const lost = slot.kind === 'run' && outOfTime && event.decision.cause.startsWith('timer:timeout:')
  // What fails by its values before it begins needs nothing.
  const neverBegan = event.payload['forced'] === true && error.errorClass === 'validation'
  walk.must(attempt.ungranted !== true || neverBegan, 'P-18 ran without what it wants')
  walk.must(!lost, 'I12 its effect got lost: only the backstop ended it')
  const abandoned = error.errorClass === 'timeout' && slot.step.effect === 'irreversible'
  const tooSoon = error.code === 'EVENT_TIMEOUT' && event.at < (attempt.timeoutAt ?? Number.POSITIVE_INFINITY)
  walk.must(!tooSoon, 'P-54 gave up waiting before its time')
  walk.must(!abandoned, 'P-28 an irreversible attempt that ran out of time is said to have failed')
  if (model.isFanParent(slot)) checkFanFailure(walk, slot, event)
  else if (slot.kind === 'run' && event.payload['forced'] !== true) checkFailureSeen(walk, slot, attempt)
  if (!attempt.final) attempt.retryDue = model.active(event.at) + (instant(event.payload['retryAt']) - event.at)
  if (attempt.fallback) {
    const other = model.slot(`FALLBACK:${slot.name}`)
    if (other !== undefined) other.reopenedAt = other.attempts.length
  }
}

function checkVerdict(walk: Walk, slot: SlotModel, attempt: Attempt, event: LogEvent, stopped: boolean): void {
  const { model, must } = walk
  const { retry, fallback, fallbackOn } = slot.step
  const repeated = isRepeated(retry, attempt.errorClass ?? '')
  const never =
    stopped ||
    FINAL_CODES.includes(attempt.code ?? '') ||
    (event.payload['forced'] === true && attempt.errorClass === 'validation') ||
    model.isFanParent(slot) ||
    // An approval is for one dispatch (MAN-13).
    model.isReleased(slot)
  const again = !never && repeated && (retry.maxAttempts === 'unlimited' || attempt.n < retry.maxAttempts)
  must(
    attempt.final === !again,
    again
      ? 'I8 not tried again though the policy says so'
      : `I8 to be tried again after attempt ${attempt.n} of ${retry.maxAttempts} (${attempt.errorClass}, ${attempt.code})`,
  )
  const trigger = repeated ? 'exhausted' : 'permanent'
  const falls = !again && !never && !slot.isFallback && fallback !== undefined && fallbackOn.includes(trigger)
  must(attempt.fallback === falls, `X-101 fallback is ${String(attempt.fallback)} after ${trigger}`)
  if (!attempt.final)
    must(
      instant(event.payload['retryAt']) === event.at + waitAfter(retry, attempt.n),
      'RTY-02 another backoff than the policy says',
    )
}

function checkFanFailure(walk: Walk, slot: SlotModel, event: LogEvent): void {
  const { model, must } = walk
  const names = itemNames(slot.name, model.fans.get(slot.name) ?? 0)
  must(
    !names.some((name) => model.last(name)?.state === 'RUNNING' || model.last(`FALLBACK:${name}`)?.state === 'RUNNING'),
    'P-47 a parent failed while an item is open',
  )
  const lowest = names.findIndex((name) => model.standing(name) === 'failed')
  if (lowest >= 0)
    must(
      event.payload['failedItem'] === lowest,
      `P-47 names item ${String(event.payload['failedItem'])}, not ${lowest}`,
    )
}

/** Three deaths make an attempt a suspect; it is to blame when the process of its fourth start, in which it was alone, died too. */
const BLAMED_FROM = 5

function checkFailureSeen(walk: Walk, slot: SlotModel, attempt: Attempt): void {
  const { code, errorClass } = attempt
  if (code === 'CANCELLED' || code === 'TIMEOUT' || code === 'INDETERMINATE') return
  if (code === 'PROCESS_DIED')
    return walk.must((attempt.endedBy ?? 0) >= BLAMED_FROM, `I8 blamed for deaths at start ${attempt.endedBy}`)
  const seen = walk.witness
    .executions(slot.name, attempt.n)
    .some((one) => one.ended === 'failed' && one.errorClass === errorClass)
  walk.must(seen, `I8 a failure (${code}, ${errorClass}) that no execution gave`)
}
