/**
 * How step events change the state. Every move is looked up in the transition table first. A move that is not in the table is a
 * broken invariant; it is thrown, so that the caller sets this one run aside.
 */
import { bitAdd, bitRemove } from '../../collections/bit-tree.ts'
import { heapInsert } from '../../collections/timer-heap.ts'
import type { Payload } from '../../events/event.ts'
import { fail } from '../../problems/problem.ts'
import { msFromIso } from '../../time.ts'
import type { FoldEvent } from '../fold-event.ts'
import type { Failure } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { activeTime, dropSettledTimers } from '../state/timers.ts'
import { ATTEMPT_TRANSITIONS, attemptTransition, refusedMove } from '../state/transitions.ts'
import { isFanParent, isParked, locate, type Located, slotOfUnit, stepUnit } from '../state/units.ts'
import { abandonFan, fanItemEnded, reopenFan, updateFan } from './fan-out.ts'
import {
  enterFlight,
  isEarly,
  leaveFlight,
  makeReady,
  passOver,
  setReady,
  settle,
  setUnit,
  type NextState,
} from './next-state.ts'
import { completedBy, hearOf } from './people.ts'
import { noteForCompensation, noteStoppedChild } from './note-completion.ts'
import { closeFallback, passFailure, recover } from './handled-failure.ts'

export function unitOf(next: NextState, event: FoldEvent): Located {
  if (event.step !== undefined) return { index: event.step, unit: stepUnit(next, event.step) }
  return (
    locate(next, event.slot) ??
    fail('INVALID_TRANSITION', `${event.eventType} names '${event.slot}', which the plan does not have`)
  )
}

/** Status of the attempt an event speaks of: an attempt beyond the latest one is still PENDING. */
function move(unit: Unit, event: FoldEvent): void {
  const status =
    event.attempt === unit.attempt + 1 ? 'PENDING' : event.attempt === unit.attempt ? unit.status : undefined
  if (status === undefined || attemptTransition(status, event.eventType) === undefined) {
    const message = `${event.eventType} on attempt ${event.attempt} of '${event.slot}', which is at attempt ${unit.attempt} ${unit.status}`
    fail('INVALID_TRANSITION', message, refusedMove(ATTEMPT_TRANSITIONS, status ?? unit.status, event.eventType))
  }
}

export function stepStarted(next: NextState, event: FoldEvent): void {
  const { index, unit } = unitOf(next, event)
  move(unit, event)
  const payload = event.payload as Payload<'StepStarted'>
  const waitsActive = payload.waitForMs !== undefined
  const started: Unit = {
    ...unit,
    status: 'RUNNING',
    attempt: event.attempt,
    final: false,
    backoff: false,
    inputSeq: unit.inputSeq === 0 ? event.runSeq : unit.inputSeq,
    startedSeq: event.runSeq,
    epoch: payload.epoch,
    startedAt: event.at,
    dueAt: waitsActive ? activeTime(next, event.at) + (payload.waitForMs ?? 0) : instantOr(payload.waitUntil, -1),
    dueIsActive: waitsActive,
    timeoutAt: instantOr(payload.timeoutAt, -1),
    opening: 0,
    freshKey: payload.freshKey ?? unit.freshKey,
  }
  setUnit(next, index, started)
  if (unit.backoff) next.backoffs -= 1
  leaveReady(next, started)
  if (isFanParent(next.graph, started)) {
    next.openFans = bitAdd(next.openFans, started.step)
    reopenFan(next, started)
    return
  }
  if (started.item >= 0) {
    const waiting = unit.backoff ? 1 : 0
    updateFan(next, started.step, (fan) => ({ ...fan, running: fan.running + 1, waiting: fan.waiting - waiting }))
  }
  enterFlight(next, index, started)
  addTimers(next, index, started)
  dropSettledTimers(next)
}

function addTimers(next: NextState, index: number, unit: Unit): void {
  if (unit.dueAt >= 0) {
    const timer = { dueAt: unit.dueAt, kind: 'wait', unit: index, attempt: unit.attempt } as const
    if (unit.dueIsActive) next.waits = heapInsert(next.waits, timer)
    else next.timers = heapInsert(next.timers, timer)
  }
  if (unit.timeoutAt >= 0) {
    next.timers = heapInsert(next.timers, {
      dueAt: unit.timeoutAt,
      kind: 'timeout',
      unit: index,
      attempt: unit.attempt,
    })
  }
}

function leaveReady(next: NextState, unit: Unit): void {
  const free = isParked(next.graph, unit)
  if (unit.item < 0) {
    setReady(next, unit.step, false, free)
    return
  }
  updateFan(next, unit.step, (fan) => ({ ...fan, ready: bitRemove(fan.ready, unit.item) }))
  if (stepUnit(next, unit.step).fan?.ready.size === 0) {
    setReady(next, unit.step, false, true)
    setReady(next, unit.step, false, false)
  }
}

export function stepCompleted(next: NextState, event: FoldEvent): void {
  const { index, unit } = unitOf(next, event)
  move(unit, event)
  const payload = event.payload as Payload<'StepCompleted'>
  const done: Unit = {
    ...endAttempt(unit, event, 'SUCCESS'),
    outputSeq: event.runSeq,
    ownerRunId: payload.reusedFrom?.ownerRunId ?? '',
    ownerAttempt: payload.reusedFrom?.attempt ?? 0,
  }
  setUnit(next, index, done)
  if (isFanParent(next.graph, done)) {
    closeFan(next, done.step)
    settle(next, done.step)
    return
  }
  leaveFlight(next, index, done)
  if (payload.actorId !== undefined) completedBy(next, done.step, payload.actorId)
  if (payload.people !== undefined) hearOf(next, payload.people)
  if (payload.receivedEvent !== undefined) useEvent(next, payload.receivedEvent.id)
  noteForCompensation(next, index, done, event.runSeq)
  if (done.fallback) recover(next, done)
  if (done.item >= 0) fanItemEnded(next, done.step, done.item, true)
  else settle(next, done.step)
  dropSettledTimers(next)
}

/** An event ends at most one wait of a run (P-54). */
function useEvent(next: NextState, eventId: string): void {
  next.usedEvents = { value: eventId, next: next.usedEvents }
}

function closeFan(next: NextState, step: number): void {
  next.openFans = bitRemove(next.openFans, step)
  next.doneFans = bitRemove(next.doneFans, step)
}

/** By far the most common way: the first attempt, by its first execution. */
const AT_ONCE: readonly number[] = [1]

function endAttempt(unit: Unit, event: FoldEvent, status: 'SUCCESS' | 'FAILED'): Unit {
  if (event.attempt === 1 && event.engineAttempt === 1)
    return { ...unit, status, ends: AT_ONCE, dueAt: -1, timeoutAt: -1, backoff: false }
  const ends = unit.ends.slice()
  for (let gap = ends.length; gap < event.attempt - 1; gap += 1) ends.push(0)
  ends.push(event.engineAttempt)
  return { ...unit, status, ends, dueAt: -1, timeoutAt: -1, backoff: false }
}

export function stepFailed(next: NextState, event: FoldEvent): void {
  const { index, unit } = unitOf(next, event)
  move(unit, event)
  const payload = event.payload as Payload<'StepFailed'>
  const decidedHere = payload.forced === true
  const failed: Unit = {
    ...endAttempt(unit, decidedHere ? { ...event, engineAttempt: 0 } : event, 'FAILED'),
    final: payload.final,
    fallbackOpen: payload.fallback === true,
    failedSeq: event.runSeq,
    errorCode: payload.error.code,
    errorClass: payload.error.errorClass,
  }
  setUnit(next, index, failed)
  if (isFanParent(next.graph, failed)) {
    abandonFan(next, failed.step)
    closeFan(next, failed.step)
  } else {
    leaveFlight(next, index, failed)
  }
  if (payload.people !== undefined) hearOf(next, payload.people)
  if (payload.receivedEvent !== undefined) useEvent(next, payload.receivedEvent.id)
  if (!payload.final && payload.retryAt !== undefined) waitForRetry(next, index, failed, event, payload.retryAt)
  else if (payload.fallback === true) openFallback(next, failed)
  else {
    noteStoppedChild(next, index, failed, event.runSeq)
    if (payload.handled === true) passFailure(next, index, failed)
    else failFinally(next, index, failed, event)
  }
  dropSettledTimers(next)
}

function waitForRetry(next: NextState, index: number, unit: Unit, event: FoldEvent, retryAt: string): void {
  const dueAt = activeTime(next, event.at) + (instantOr(retryAt, event.at) - event.at)
  setUnit(next, index, { ...unit, backoff: true, dueAt, dueIsActive: true })
  next.retries = heapInsert(next.retries, { dueAt, kind: 'retry', unit: index, attempt: unit.attempt })
  next.backoffs += 1
  if (unit.item >= 0)
    updateFan(next, unit.step, (fan) => ({ ...fan, running: fan.running - 1, waiting: fan.waiting + 1 }))
}

function openFallback(next: NextState, primary: Unit): void {
  if (primary.item >= 0) updateFan(next, primary.step, (fan) => ({ ...fan, running: fan.running - 1 }))
  makeReady(next, primary, { ...primary, fallback: true })
}

function failFinally(next: NextState, index: number, unit: Unit, event: FoldEvent): void {
  const code = unit.errorCode
  if (code !== 'CANCELLED') next.failures = { value: failureOf(next, index, unit, event), next: next.failures }
  if (unit.fallback) closeFallback(next, unit)
  if (unit.item >= 0) {
    fanItemEnded(next, unit.step, unit.item, false)
    return
  }
  next.failed += 1
  if (code === 'INDETERMINATE') next.indeterminate += 1
  if (code === 'CANCELLED') next.closed += 1
  judgeFailing(next)
  // A sequence only gives an order: under `continue` the next step runs after a failure and reads null (P-46).
  if (next.graph.sequential && next.graph.plan.policy.onFailure === 'continue' && code !== 'CANCELLED') {
    passOver(next, unit.step)
  }
}

/** When a fallback fails too, the primary's error stays the cause. */
function failureOf(next: NextState, index: number, unit: Unit, event: FoldEvent): Failure {
  const slot = slotOfUnit(next.graph, { ...unit, fallback: false })
  const primary = unit.fallback ? locate(next, slot) : undefined
  const cause = primary?.unit ?? unit
  return {
    slot,
    unit: primary?.index ?? index,
    attempt: cause.attempt,
    runSeq: primary === undefined ? event.runSeq : cause.failedSeq,
    code: cause.errorCode,
    errorClass: cause.errorClass || 'unknown',
  }
}

export function stepSkipped(next: NextState, event: FoldEvent): void {
  const { index, unit } = unitOf(next, event)
  move(unit, event)
  const payload = event.payload as Payload<'StepSkipped'>
  const early = isEarly(next, unit)
  setUnit(next, index, {
    ...unit,
    status: 'SKIPPED',
    attempt: event.attempt,
    ends: [...unit.ends, 0],
    final: false,
    fallbackOpen: false,
  })
  setReady(next, unit.step, false, false)
  setReady(next, unit.step, false, true)
  if (payload.reasonCode === 'DEPENDENCY_FAILED') {
    next.endSkipsFrom = unit.step + 1
    return
  }
  if (payload.reasonCode !== 'OPERATOR_SKIP') next.skippedByCondition = bitAdd(next.skippedByCondition, unit.step)
  if (unit.status === 'FAILED') unfail(next, unit)
  if (early) next.early = bitAdd(next.early, unit.step)
  else settle(next, unit.step)
}

/** A failed step that is retried or skipped on purpose no longer counts as failed. */
export function unfail(next: NextState, unit: Unit): void {
  next.failed -= 1
  const fallback = locate(next, slotOfUnit(next.graph, { ...unit, fallback: true }))?.unit
  const last = fallback !== undefined && fallback.failedSeq > unit.failedSeq ? fallback : unit
  if (last.errorCode === 'INDETERMINATE') next.indeterminate -= 1
  if (last.errorCode === 'CANCELLED') next.closed -= 1
  judgeFailing(next)
}

/** Under failFast one failure for good stops all scheduling; an indeterminate one only holds the run (P-28). */
function judgeFailing(next: NextState): void {
  const causes = next.failed - next.indeterminate - next.closed
  const failFast = next.graph.plan.policy.onFailure === 'failFast' && causes > 0
  next.failing = failFast || next.timedOutAt >= 0
}

export function instantOr(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : (msFromIso(text) ?? otherwise)
}
