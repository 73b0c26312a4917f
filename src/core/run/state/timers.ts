/**
 * Timers are state (P-25). Relative waits and backoffs count active time, which stands still during a pause; timeouts, manual
 * expiry and absolute instants do not care about pauses. Absolute instants and manual expiry follow the wall clock; all others
 * follow elapsed time, and so does the run's own time when the wall clock is set.
 */
import { bitMembers } from '../../collections/bit-tree.ts'
import { compareTimers, heapPop, type Timer, type TimerHeap } from '../../collections/timer-heap.ts'
import { vectorGet } from '../../collections/vector.ts'
import { LIMITS } from '../../limits.ts'
import { isStartable } from './is-startable.ts'
import type { RunState } from './state.ts'
import type { Unit } from './unit.ts'
import { isTerminalRun } from './transitions.ts'
import { kindOfUnit, slotOfUnit } from './units.ts'

type Clocked = Pick<RunState, 'pausedAt' | 'pausedMs'>

export function activeTime(state: Clocked, at: number): number {
  return (state.pausedAt >= 0 ? state.pausedAt : at) - state.pausedMs
}

/** Does the state still owe this timer? */
function isOwed(state: RunState, timer: Timer): boolean {
  const unit = vectorGet(state.units, timer.unit)
  if (unit === undefined || unit.attempt !== timer.attempt) return false
  if (timer.kind === 'retry') return unit.backoff && unit.dueAt === timer.dueAt
  if (unit.status !== 'RUNNING') return false
  return (timer.kind === 'wait' ? unit.dueAt : unit.timeoutAt) === timer.dueAt
}

type Heaps = { retries: TimerHeap | undefined; waits: TimerHeap | undefined; timers: TimerHeap | undefined }

/** Drops timers from the top that are no longer owed, so that the top is always a real one. */
export function dropSettledTimers(next: Heaps & RunState): void {
  next.retries = dropSettled(next, next.retries)
  next.waits = dropSettled(next, next.waits)
  next.timers = dropSettled(next, next.timers)
}

function dropSettled(state: RunState, heap: TimerHeap | undefined): TimerHeap | undefined {
  let top = heap
  while (top !== undefined && !isOwed(state, top.timer)) top = heapPop(top)
  return top
}

/** Units whose backoff is over and that may start, earliest first, at most `limit` of them. */
export function dueRetries(state: RunState, now: number, limit: number, mayStart: (unit: Unit) => boolean): Unit[] {
  const due: Unit[] = []
  const active = activeTime(state, now)
  let heap = state.retries
  while (heap !== undefined && heap.timer.dueAt <= active && due.length < limit) {
    const unit = isOwed(state, heap.timer) ? vectorGet(state.units, heap.timer.unit) : undefined
    if (unit !== undefined && mayStart(unit)) due.push(unit)
    heap = heapPop(heap)
  }
  return due
}

export type DueTimer = {
  readonly dueAt: number
  readonly timer: Timer | 'grace' | 'run-timeout' | 'drain' | 'not-before'
}

/**
 * The earliest timer the run waits for, with its instant in the run's time; undefined when only the outside can move it.
 * Retries due up to `retriesAfter` are left out: they wait for grants, and time alone does not start them. `lead`: how far
 * the run's time is ahead of the wall clock.
 */
export function nextTimer(state: RunState, retriesAfter = -1, lead = 0): DueTimer | undefined {
  if (lead === 0) return earliest(candidates(state, retriesAfter, 'all'))
  const absolute = nextAbsolute(state)
  const relative = nextRelative(state, retriesAfter)
  if (absolute === undefined) return relative
  const byRunTime = { ...absolute, dueAt: absolute.dueAt + lead }
  return relative === undefined || precedes(byRunTime, relative) ? byRunTime : relative
}

/** The earliest that is meant by the wall clock. */
export function nextAbsolute(state: RunState): DueTimer | undefined {
  return earliest(candidates(state, -1, 'absolute'))
}

/** The earliest that is meant by elapsed time. */
export function nextRelative(state: RunState, retriesAfter = -1): DueTimer | undefined {
  return earliest(candidates(state, retriesAfter, 'relative'))
}

function earliest(timers: Iterable<DueTimer>): DueTimer | undefined {
  let first: DueTimer | undefined
  for (const one of timers) if (first === undefined || precedes(one, first)) first = one
  return first
}

type Which = 'all' | 'absolute' | 'relative'

function* candidates(state: RunState, retriesAfter: number, which: Which): Generator<DueTimer> {
  if (isTerminalRun(state.status)) return
  if (which !== 'relative' && state.notBefore >= 0 && isStartable(state))
    yield { dueAt: state.notBefore, timer: 'not-before' }
  const timer = which === 'all' ? state.timers?.timer : firstOf(state, state.timers, which)
  if (timer !== undefined) yield { dueAt: timer.dueAt, timer }
  if (which !== 'absolute') yield* relativeOnes(state, retriesAfter)
}

function* relativeOnes(state: RunState, retriesAfter: number): Generator<DueTimer> {
  const stopAt = stopDeadline(state)
  const paused = state.status === 'PAUSED'
  // A pause holds back the end of a run that timed out, but never a cancel.
  const stops = stopAt >= 0 && (state.cancelling !== undefined || !paused)
  if (stops && state.inFlight.size > 0) yield { dueAt: stopAt, timer: 'grace' }
  if (mayTimeOut(state) && !paused) yield { dueAt: state.runTimeoutAt, timer: 'run-timeout' }
  if (isDraining(state)) yield { dueAt: drainDeadline(state), timer: 'drain' }
  yield* compensationTimers(state)
  // While a run is being cancelled or fails, retries and relative waits no longer come due.
  if (paused || state.cancelling !== undefined || state.failing) return
  if (state.waits !== undefined) yield { dueAt: state.waits.timer.dueAt + state.pausedMs, timer: state.waits.timer }
  // A backoff that is over while all slots are taken is looked at when one is freed.
  if (state.slotsInUse >= state.limit) return
  const retry = retryAfter(state, retriesAfter)
  if (retry !== undefined) yield { dueAt: retry.dueAt + state.pausedMs, timer: retry }
}

/** Among timeouts and absolute waits: an instant that people were told follows the wall clock, a duration does not. */
function isAbsolute(state: RunState, timer: Timer): boolean {
  if (timer.kind !== 'timeout') return true
  const unit = vectorGet(state.units, timer.unit)
  return unit !== undefined && kindOfUnit(state.graph, unit) === 'manual'
}

/** The earliest of its kind in a heap of both: needed only while a run's time and the wall clock differ. */
function firstOf(state: RunState, heap: TimerHeap | undefined, which: Which): Timer | undefined {
  let first: Timer | undefined
  const open = heap === undefined ? [] : [heap]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { timer, left, right } = node
    if (first !== undefined && compareTimers(first, timer) <= 0) continue
    if (isOwed(state, timer) && isAbsolute(state, timer) === (which === 'absolute')) first = timer
    if (left !== undefined) open.push(left)
    if (right !== undefined) open.push(right)
  }
  return first
}

/** Does something of the run go by elapsed time? */
export function countsElapsedTime(state: RunState): boolean {
  const { retries, waits, timers, compensation, cancelling, timedOutAt } = state
  if (isTerminalRun(state.status)) return false
  if (retries !== undefined || waits !== undefined || compensation?.current !== undefined) return true
  if (cancelling !== undefined || timedOutAt >= 0 || mayTimeOut(state) || isDraining(state)) return true
  return firstOf(state, timers, 'relative') !== undefined
}

function retryAfter(state: RunState, after: number): Timer | undefined {
  let heap = state.retries
  while (heap !== undefined && (heap.timer.dueAt + state.pausedMs <= after || !isOwed(state, heap.timer)))
    heap = heapPop(heap)
  return heap?.timer
}

/** From this rules version on, a pause says when work in flight takes too long to end. */
const DRAINS_ARE_TIMED = 7

/**
 * Does a pause wait for work that its people have not been told of yet? A child run that is in flight is paused as well, and
 * tells of its own work.
 */
export function isDraining(state: RunState): boolean {
  const { status, rulesVersion, cancelling, compensation, drainTimedOut } = state
  if (status !== 'PAUSED' || drainTimedOut === true || rulesVersion < DRAINS_ARE_TIMED) return false
  if (cancelling !== undefined || compensation !== undefined) return false
  for (const index of bitMembers(state.inFlight)) {
    const unit = vectorGet(state.units, index)
    if (unit !== undefined && kindOfUnit(state.graph, unit) !== 'plan') return true
  }
  return false
}

function drainDeadline({ pausedAt, graph }: RunState): number {
  return pausedAt + (graph.plan.policy.drainTimeoutMs ?? LIMITS.pauseDrainMs)
}

/** Once the run is being undone or cancelled, or has timed out, its own limit no longer matters. */
function mayTimeOut(state: RunState): boolean {
  return (
    state.runTimeoutAt >= 0 &&
    state.timedOutAt < 0 &&
    state.compensation === undefined &&
    state.cancelling === undefined
  )
}

function* compensationTimers(state: RunState): Generator<DueTimer> {
  const current = state.compensation?.current
  if (current === undefined) return
  const { unit, attempt, dueAt, timeoutAt } = current
  if (dueAt >= 0) yield { dueAt, timer: { dueAt, kind: 'undo-retry', unit, attempt } }
  if (timeoutAt >= 0) yield { dueAt: timeoutAt, timer: { dueAt: timeoutAt, kind: 'undo-timeout', unit, attempt } }
}

/** When work in flight is ended by force: after the grace of a cancel or of a run timeout; -1 when nothing stops. */
export function stopDeadline(state: RunState): number {
  if (state.cancelling !== undefined) return state.cancelling.graceUntil
  return state.timedOutAt >= 0 ? state.timedOutAt + LIMITS.cancelGraceMs : -1
}

function precedes(a: DueTimer, b: DueTimer): boolean {
  if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt
  if (typeof a.timer === 'string' || typeof b.timer === 'string')
    return typeof a.timer === 'string' && typeof b.timer !== 'string'
  return compareTimers(a.timer, b.timer) < 0
}

/** Name of a timer as it stands in a cause. */
export function timerText(state: RunState, timer: Timer): string {
  const unit = vectorGet(state.units, timer.unit)
  return `${timer.kind}:${unit === undefined ? timer.unit : slotOfUnit(state.graph, unit)}:${timer.attempt}`
}
