/**
 * The rules of step events: order of work (I7), one outcome per attempt and attempts within the policy (I8), fan-outs,
 * and that no outcome was invented.
 */
import type { Attempt, SlotModel } from './oracle-model.ts'
import { lateCompensationRecorded } from './oracle-compensation.ts'
import { checkHandled } from './oracle-endings.ts'
import { checkEventEnd, checkEventStart, isEventSlot } from './oracle-events.ts'
import { openAttempt, type Rule, type Walk } from './oracle-walk.ts'
import { isRepeated, QUEUE_ALLOWANCE_MS, slotName, unitsOf, waitAfter, type LogEvent } from './oracle-tables.ts'
import { sortedText } from './value-language.ts'

const instant = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : -1)

const stepStarted: Rule = (walk, event) => {
  const { model, must } = walk
  const slot = model.slot(slotName(event))
  if (slot === undefined) return must(false, 'I5 the plan has no such step')
  const reused = event.payload['reusedFrom'] !== undefined
  must(model.phase === 'RUNNING', `I7 started while the run is ${model.phase}`)
  must(model.cancelling === undefined, 'I7 started while the run is being cancelled')
  must(!model.undoStarted && !model.isEnding, 'I7 started while the run is ending')
  must(reused || !model.isFailing(), 'I7 started while the run is failing')
  must(reused || !model.undoes, 'I7 started in a run that only undoes')
  must(
    event.payload['epoch'] === walk.epoch,
    `I9 written under epoch ${walk.epoch}, says ${String(event.payload['epoch'])}`,
  )
  must(event.attempt === slot.attempts.length + 1, `I8 attempt ${event.attempt} after ${slot.attempts.length}`)
  if (!reused) checkMayStart(walk, slot, event)
  const takesSlot = !model.isFanParent(slot) && (slot.kind === 'run' || slot.kind === 'plan') && !reused
  if (takesSlot) must(model.inFlight().length < model.limit, `I7 more than ${model.limit} attempts in flight`)
  const { waitForMs } = event.payload
  const attempt: Attempt = {
    n: event.attempt,
    state: 'RUNNING',
    at: event.at,
    startSeq: event.runSeq,
    epoch: walk.epoch,
  }
  if (event.payload['timeoutAt'] !== undefined) attempt.timeoutAt = instant(event.payload['timeoutAt'])
  if (event.payload['waitUntil'] !== undefined) attempt.waitUntil = instant(event.payload['waitUntil'])
  if (typeof waitForMs === 'number') attempt.waitDue = model.active(event.at) + waitForMs
  checkTiming(walk, slot, attempt, reused)
  if (!reused && isEventSlot(model, slot)) checkEventStart(walk, slot, attempt, event)
  slot.attempts.push(attempt)
  if (model.isFanParent(slot) && event.attempt > 1) reopenItems(walk, slot)
  if (!reused && !model.isFanParent(slot)) checkGrants(walk, slot, event)
}

/** What it wants it holds; without it an attempt is only started to fail, because there can never be enough (RES-06). */
function checkGrants({ model, must }: Walk, slot: SlotModel, event: LogEvent): void {
  const wanted = unitsOf(slot.step, slot.isFallback)
  const told = event.payload['grants']
  const attempt = slot.attempts.at(-1)
  if (wanted !== undefined && told === undefined && attempt !== undefined) {
    attempt.ungranted = true
    model.follows = 'StepFailed'
  } else must(JSON.stringify(told) === JSON.stringify(wanted), `P-18 started with ${JSON.stringify(told)}`)
}

function checkTiming(walk: Walk, slot: SlotModel, attempt: Attempt, reused: boolean): void {
  if (reused || walk.model.isFanParent(slot)) return
  if (slot.kind === 'run')
    walk.must(attempt.timeoutAt === attempt.at + slot.step.timeoutMs + QUEUE_ALLOWANCE_MS, 'P-26 without its backstop')
  if (slot.kind === 'wait' && !isEventSlot(walk.model, slot))
    walk.must(attempt.waitUntil !== undefined || attempt.waitDue !== undefined, 'P-25 a wait without an end')
}

function checkMayStart(walk: Walk, slot: SlotModel, event: LogEvent): void {
  const { model, must } = walk
  const last = slot.attempts.at(-1)
  if (last !== undefined) {
    must(last.state === 'FAILED', `I8 a new attempt after ${last.state}`)
    if (slot.reopenedAt === slot.attempts.length) return
    must(last.final === false, 'I8 a new attempt after the last one')
    must(
      model.active(event.at) >= (last.retryDue ?? Number.POSITIVE_INFINITY),
      'I7 started before its backoff was over',
    )
    return
  }
  if (slot.isFallback) {
    const primary = model.last(slot.name.slice('FALLBACK:'.length))
    must(primary?.state === 'FAILED' && primary.fallback === true, 'I7 a fallback without a failure that calls for it')
    return
  }
  if (slot.item !== undefined) {
    checkItem(walk, slot)
    return
  }
  for (const needed of model.needs.get(slot.name) ?? [])
    must(model.lets(needed), `I7 started before ${needed} allows it (${model.standing(needed)})`)
  must(!model.isCascaded(slot.step), 'X-107 started though a step before it was skipped')
  const holds = walk.values.condition(slot.step, event.runSeq - 1)
  must(holds !== false, 'I7 started though its condition is false')
  if (holds === 'problem') model.follows = 'StepFailed'
}

function checkItem(walk: Walk, slot: SlotModel): void {
  const { model, must } = walk
  const count = model.fans.get(slot.step.stepId) ?? -1
  must(model.last(slot.step.stepId)?.state === 'RUNNING', 'I7 an item of a step that is not open')
  must((slot.item ?? 0) < count, `I7 item ${slot.item} of ${count}`)
  if (model.plan.policy.onFailure === 'continue') return
  const failed = itemNames(slot.step.stepId, count).find((name) => model.standing(name) === 'failed')
  must(failed === undefined, `P-47 a new item after ${failed} failed for good`)
}

export function itemNames(stepId: string, count: number): string[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => `${stepId}[${index}]`)
}

/** A parent that is tried again lets its failed items try again (P-47). */
function reopenItems(walk: Walk, parent: SlotModel): void {
  const { model } = walk
  for (const name of itemNames(parent.name, model.fans.get(parent.name) ?? 0)) {
    const item = model.slots.get(name)
    if (item === undefined || model.standing(name) !== 'failed') continue
    item.reopenedAt = item.attempts.length
    item.reopened += 1
  }
}

const stepCompleted: Rule = (walk, event) => {
  const { model, must } = walk
  const found = openAttempt(walk, event)
  if (found === undefined) return
  const { slot, attempt } = found
  attempt.state = 'SUCCESS'
  attempt.endedBy = event.engineAttempt
  attempt.endSeq = event.runSeq
  const reused = event.payload['reusedFrom'] !== undefined
  if (model.isFanParent(slot)) {
    if (reused) return
    const open = itemNames(slot.name, model.fans.get(slot.name) ?? -1).find((name) => model.standing(name) !== 'ok')
    must(model.fans.has(slot.name) && open === undefined, `I7 completed while ${open ?? 'its list'} is not done`)
    return
  }
  if (slot.step.effect !== 'none') model.completions.push(slot.name)
  if (!reused && isEventSlot(model, slot)) checkEventEnd(walk, slot, attempt, event)
  else if (slot.kind === 'wait' && !reused) {
    const over =
      attempt.waitUntil === undefined ? model.active(event.at) >= (attempt.waitDue ?? 0) : event.at >= attempt.waitUntil
    must(over, 'P-25 a wait ended before its time')
  }
  if (slot.kind === 'run' && !reused) {
    const told = sortedText(event.data['result'])
    const seen = walk.witness
      .executions(slot.name, attempt.n)
      .some((one) => one.ended === 'completed' && sortedText(one.value) === told)
    must(seen, 'I8 an outcome that no execution gave')
  }
}

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

const stepFailed: Rule = (walk, event) => {
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

const stepSkipped: Rule = (walk, event) => {
  const { model, must } = walk
  const slot = model.slot(slotName(event))
  if (slot === undefined) return must(false, 'I5 the plan has no such step')
  const last = slot.attempts.at(-1)
  const reason = String(event.payload['reasonCode'])
  must(event.attempt === slot.attempts.length + 1, `I8 attempt ${event.attempt} after ${slot.attempts.length}`)
  must(last === undefined || (last.state === 'FAILED' && reason === 'OPERATOR_SKIP'), `I5 skipped after ${last?.state}`)
  if (reason === 'CONDITION_FALSE') {
    const holds = walk.values.condition(slot.step, event.runSeq - 1)
    must(holds === false && model.phase === 'RUNNING', `I7 skipped though its condition is ${String(holds)}`)
    must(!model.isCascaded(slot.step), 'X-107 its condition was asked for in vain')
    for (const needed of model.needs.get(slot.name) ?? [])
      must(model.lets(needed), `I7 skipped before ${needed} allows it`)
  } else if (reason === 'DEPENDENCY_SKIPPED') {
    must(model.isCascaded(slot.step) && model.phase === 'RUNNING', 'X-107 skipped though no step before it was')
    for (const needed of model.needs.get(slot.name) ?? [])
      must(model.lets(needed), `I7 skipped before ${needed} allows it`)
  } else if (reason === 'OPERATOR_SKIP') {
    const asked = [...model.signals.values()].some(
      (signal) => signal.type === 'SKIP_STEP' && signal.applied && signal.target === slot.name,
    )
    must(asked, 'I5 skipped though nobody asked for it')
  } else {
    model.isEnding = true
    must(model.plan.policy.onFailure !== 'failFast', 'P-46 DEPENDENCY_FAILED under failFast')
    must(model.isBehindFailure(slot.name), 'P-46 DEPENDENCY_FAILED though nothing it needs has failed')
    must(!model.isHeld(), 'P-46 DEPENDENCY_FAILED while the run is held')
  }
  slot.attempts.push({
    n: event.attempt,
    state: 'SKIPPED',
    at: event.at,
    startSeq: event.runSeq,
    epoch: walk.epoch,
    reason,
    endedBy: 0,
    endSeq: event.runSeq,
  })
}

const fanOutExpanded: Rule = (walk, event) => {
  const { model, must } = walk
  const stepId = String(event.stepId)
  must(model.last(stepId)?.state === 'RUNNING' && !model.fans.has(stepId), 'P-47 expanded twice or without a start')
  const step = model.steps.get(stepId)
  const list = step === undefined ? 'problem' : walk.values.expand(step, event.runSeq - 1)
  const { count, sha256 } = event.payload
  if (list === 'problem') return must(false, 'P-47 expanded though there is no list')
  must(count === list.count, `P-47 ${String(count)} items instead of ${list.count}`)
  must(sha256 === list.sha256, 'P-05 other items than its expression gives')
  model.fans.set(stepId, list.count)
}

const manualTaskOpened: Rule = (walk, event) => {
  const slot = walk.model.slot(slotName(event))
  const last = slot?.attempts.at(-1)
  walk.must(
    slot?.kind === 'manual' && last?.state === 'RUNNING' && last.n === event.payload['attempt'],
    'MAN a task of an attempt that is not open',
  )
}

const lateOutcomeRecorded: Rule = (walk, event) => {
  if (event.payload['compensation'] === true) {
    lateCompensationRecorded(walk, event)
    return
  }
  const { model, must } = walk
  const number = Number(event.payload['attempt'])
  const attempt = model.slots.get(slotName(event))?.attempts[number - 1]
  const id = `${slotName(event)}#${number}:${event.attempt}`
  must(attempt !== undefined && attempt.state !== 'RUNNING', 'X-31 late for an attempt that has not ended')
  must(!model.late.has(id), 'X-31 the same late outcome twice')
  must(attempt?.endedBy !== event.attempt, 'X-31 the very outcome that ended the attempt')
  model.late.add(id)
}

export const stepRules: Readonly<Record<string, Rule>> = {
  StepStarted: stepStarted,
  StepCompleted: stepCompleted,
  StepFailed: stepFailed,
  StepSkipped: stepSkipped,
  FanOutExpanded: fanOutExpanded,
  ManualTaskOpened: manualTaskOpened,
  LateOutcomeRecorded: lateOutcomeRecorded,
}
