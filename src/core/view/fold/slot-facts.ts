/**
 * The combined state of a step and its fallback: in flight, waiting for a retry, failed, recovered, settled. The
 * fallback is part of handling its step, so the pair is judged as one.
 */
import { isTerminalAttempt } from '../../run/state/transitions.ts'
import type { AttemptFold, Moment, SlotFold, SlotPair, Tally } from './run-view.ts'

export const CANCELLED_CODE = 'CANCELLED'

export function latestAttempt(slot: SlotFold | undefined): AttemptFold | undefined {
  return slot?.attempts.at(-1)
}

/** A retry will follow: the attempt failed, the slot has not. */
export function isSlotRetrying(slot: SlotFold | undefined): boolean {
  const last = latestAttempt(slot)
  return last?.status === 'FAILED' && !last.final && !last.fallbackNext
}

function isRetrying(pair: SlotPair): boolean {
  const own = latestAttempt(pair.own)
  return own?.status === 'FAILED' && (isSlotRetrying(pair.own) || isSlotRetrying(pair.fallback))
}

export function isRecovered(pair: SlotPair): boolean {
  return latestAttempt(pair.own)?.status === 'FAILED' && latestAttempt(pair.fallback)?.status === 'SUCCESS'
}

/** The attempt that decides for the pair: the fallback's from its start, while the step itself has failed. */
function deciding(pair: SlotPair): AttemptFold | undefined {
  const own = latestAttempt(pair.own)
  return own?.status === 'FAILED' && !isSlotRetrying(pair.own) ? (latestAttempt(pair.fallback) ?? own) : own
}

/** The step failed and its fallback has not begun. */
function awaitsFallback(pair: SlotPair): boolean {
  return pair.fallback === undefined && latestAttempt(pair.own)?.fallbackNext === true
}

/** Its failure is passed over, as the plan says. */
export function isHandled(pair: SlotPair): boolean {
  return latestAttempt(pair.own)?.status === 'FAILED' && deciding(pair)?.handled === true
}

/** The code of a pair's final failure; undefined while it has not failed, its fallback is still to come, or the plan handles it. */
function failureCode(pair: SlotPair): string | undefined {
  const last = deciding(pair)
  if (last?.status !== 'FAILED' || !last.final || last.handled === true || awaitsFallback(pair)) return undefined
  return last.error?.code
}

/** Undefined while a part of the pair is still to come. */
export function settledAt(pair: SlotPair): Moment | undefined {
  const last = deciding(pair)
  if (last === undefined || !isTerminalAttempt(last.status) || isRetrying(pair) || awaitsFallback(pair))
    return undefined
  if (last.status === 'FAILED' && !last.final) return undefined
  return latestAttempt(pair.own)?.status === 'FAILED' && pair.fallback !== undefined
    ? pair.fallback.settled
    : pair.own.settled
}

export function tallyOf(pair: SlotPair, isFanOut: boolean): Tally {
  const own = isFanOut ? 0 : working(pair.own)
  const code = failureCode(pair)
  return {
    inFlight: own + working(pair.fallback),
    retrying: isRetrying(pair) ? 1 : 0,
    failed: code !== undefined && code !== CANCELLED_CODE ? 1 : 0,
    cancelled: code === CANCELLED_CODE ? 1 : 0,
    indeterminate: code === 'INDETERMINATE' ? 1 : 0,
  }
}

function working(slot: SlotFold | undefined): number {
  const last = latestAttempt(slot)
  return last?.status === 'RUNNING' && last.waitsFor === undefined ? 1 : 0
}

export function movedTally(total: Tally, before: Tally, after: Tally): Tally {
  return {
    inFlight: total.inFlight - before.inFlight + after.inFlight,
    retrying: total.retrying - before.retrying + after.retrying,
    failed: total.failed - before.failed + after.failed,
    cancelled: total.cancelled - before.cancelled + after.cancelled,
    indeterminate: total.indeterminate - before.indeterminate + after.indeterminate,
  }
}

/** The result of its compensation or of its fallback's; undefined while that is open. */
export function compensationCounter(pair: SlotPair): 'undone' | 'notUndone' | undefined {
  const undo = pair.own.compensation ?? pair.fallback?.compensation
  if (undo?.status === 'DONE') return 'undone'
  return undo?.status === 'FAILED' && undo.retryAt === undefined ? 'notUndone' : undefined
}

/** The counter of its parent in which an item counts. */
export function itemCounter(pair: SlotPair): 'done' | 'failed' | 'running' | undefined {
  const last = deciding(pair)
  if (last === undefined || last.status === 'PENDING') return undefined
  if (last.status === 'RUNNING' || isRetrying(pair) || awaitsFallback(pair)) return 'running'
  return last.status === 'FAILED' ? 'failed' : 'done'
}
