/**
 * The rules of step events: order of work (I7), one outcome per attempt and attempts within the policy (I8), fan-outs,
 * and that no outcome was invented.
 */
import type { Attempt, SlotModel } from './oracle-model.ts'
import { lateCompensationRecorded } from './oracle-compensation.ts'
import { checkEventEnd, checkEventStart, isEventSlot } from './oracle-events.ts'
import { openAttempt, type Rule, type Walk } from './oracle-walk.ts'
import { instant, itemNames, QUEUE_ALLOWANCE_MS, slotName, unitsOf, type LogEvent } from './oracle-tables.ts'
import { sortedText } from './value-language.ts'
import { stepFailed } from './oracle-step-failures.ts'

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
