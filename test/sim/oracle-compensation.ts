/**
 * The rules of undoing: newest completion first, one compensation at a time, each compensation's retries in order, and only in a run
 * that fails, or is given up to be undone, with nothing in flight (CMP-03, X-76, ADR 0011).
 */
import type { Rule } from './oracle-walk.ts'
import { isRepeated, slotName } from './oracle-tables.ts'

const instant = (value: unknown): number => Date.parse(String(value))

const compensationStarted: Rule = ({ model, must, epoch }, event) => {
  const name = slotName(event)
  const isAsked = model.cancelling?.undo === true
  const mayUndo = model.cancelling === undefined ? model.phase === 'RUNNING' : isAsked
  must(
    mayUndo,
    `CMP begun while the run is ${model.phase}${model.cancelling === undefined ? '' : ' and given up as it is'}`,
  )
  must(model.inFlight().length === 0, 'X-76 undoing while work is in flight')
  must(isAsked || !model.isHeld(), 'CMP undoing a run that is held')
  const { undo } = model
  if (event.attempt > 1) {
    must(
      undo?.slot === name && undo.state === 'FAILED' && undo.attempt === event.attempt - 1,
      'CMP a retry of something else',
    )
    must(event.at >= (undo?.retryAt ?? 0), 'CMP retried before its time')
  } else {
    must(undo === undefined, `CMP-03 begun while ${undo?.slot} is being undone`)
    const undoable = model.completions.findLastIndex((slot) => model.canBeUndone(slot))
    must(model.completions[undoable] === name, `CMP-03 undoes ${name} before ${model.completions[undoable]}`)
    model.completions.length = Math.max(0, undoable)
  }
  model.undoStarted = true
  model.compensationEpochs.set(`${name}#${event.attempt}`, epoch)
  model.undo = {
    slot: name,
    attempt: event.attempt,
    epoch,
    state: 'RUNNING',
    ...(event.payload['timeoutAt'] === undefined ? {} : { timeoutAt: instant(event.payload['timeoutAt']) }),
  }
  const isTimed = event.payload['timeoutAt'] !== undefined
  must(isTimed !== model.isUndoneByRun(name), 'CMP-12 a compensation without its time limit, or a run with one')
}

const compensationCompleted: Rule = ({ model, must }, event) => {
  must(
    model.undo?.slot === slotName(event) && model.undo.state === 'RUNNING' && model.undo.attempt === event.attempt,
    'CMP not being undone',
  )
  model.undoEnds.set(`${slotName(event)}#${event.attempt}`, event.engineAttempt)
  model.undo = undefined
  model.undone.done += 1
}

const compensationFailed: Rule = ({ model, must }, event) => {
  const { undo } = model
  must(
    undo?.slot === slotName(event) && undo.state === 'RUNNING' && undo.attempt === event.attempt,
    'CMP not being undone',
  )
  model.undoEnds.set(`${slotName(event)}#${event.attempt}`, event.engineAttempt)
  must(!event.decision.cause.startsWith('timer:undo-timeout'), 'I12 its effect got lost: only the backstop ended it')
  const retry = model.slots.get(slotName(event))?.step.compensate?.retry
  const { errorClass } = event.payload['error'] as { errorClass: string }
  const most = retry?.maxAttempts ?? 0
  const isLeft = most === 'unlimited' || event.attempt < most
  const again = retry !== undefined && isRepeated(retry, errorClass) && isLeft
  const final = event.payload['final'] === true
  must(final === !again, `CMP-05 final is ${String(final)} after attempt ${event.attempt} (${errorClass})`)
  if (final || undo === undefined) {
    model.undo = undefined
    model.undone.failed += 1
    return
  }
  model.undo = {
    slot: undo.slot,
    attempt: undo.attempt,
    epoch: undo.epoch,
    state: 'FAILED',
    retryAt: instant(event.payload['retryAt']),
  }
}

/** What a compensation reports after its attempt, or the run, has ended. */
export const lateCompensationRecorded: Rule = ({ model, must }, event) => {
  const name = slotName(event)
  const attempt = `${name}#${String(event.payload['attempt'])}`
  const id = `COMP:${attempt}:${event.attempt}`
  const isOpen = model.undo?.state === 'RUNNING' && `${model.undo.slot}#${model.undo.attempt}` === attempt
  must(model.compensationEpochs.has(attempt), 'X-31 late for an attempt at undoing that never was')
  must(
    !isOpen || (model.phase !== 'RUNNING' && model.phase !== 'PAUSED'),
    'X-31 late for an attempt at undoing that has not ended',
  )
  must(!model.late.has(id), 'X-31 the same late outcome twice')
  must(model.undoEnds.get(attempt) !== event.engineAttempt, 'X-31 the very outcome that ended the attempt')
  model.late.add(id)
}

export const undoRules: Readonly<Record<string, Rule>> = {
  CompensationStarted: compensationStarted,
  CompensationCompleted: compensationCompleted,
  CompensationFailed: compensationFailed,
}
