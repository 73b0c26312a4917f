/**
 * How compensation events change the state: one hook at a time, newest completion first (CMP-03).
 */
import type { Payload } from '../../events/event.ts'
import { fail } from '../../problems/problem.ts'
import type { FoldEvent } from '../fold-event.ts'
import type { Chain, Completion, RunState, Undo } from '../state.ts'
import { compensationTransition } from '../transitions.ts'
import type { NextState } from './next-state.ts'
import { instantOr } from './steps.ts'

/** What is undone next: the newest completion with a hook that was not looked at yet. */
export function nextHook(state: RunState): Chain<Completion> | undefined {
  return state.undo === undefined ? state.completions : state.undo.rest
}

export function compensationStarted(next: NextState, event: FoldEvent): void {
  const slot = event.slot.slice('COMP:'.length)
  const current = next.undo?.current
  const retry = current !== undefined && current.slot === slot && event.attempt === current.attempt + 1
  const payload = event.payload as Payload<'CompensationStarted'>
  const timeoutAt = instantOr(payload.timeoutAt, -1)
  if (retry) {
    next.undo = {
      ...(next.undo as Undo),
      current: { ...current, attempt: event.attempt, status: 'RUNNING', epoch: payload.epoch, dueAt: -1, timeoutAt },
    }
    return
  }
  const hook = nextHook(next)
  if (hook === undefined || hook.value.slot !== slot || event.attempt !== 1) {
    fail('INVALID_TRANSITION', `CompensationStarted for '${slot}', which is not the next to be undone`)
  }
  const before = next.undo ?? { done: 0, failed: 0, slots: [], ends: [] }
  const { unit, runSeq } = hook.value
  next.undo = {
    ...before,
    rest: hook.next,
    slots: before.slots.length < 100 ? [...before.slots, slot] : before.slots,
    current: { slot, unit, runSeq, attempt: 1, status: 'RUNNING', epoch: payload.epoch, dueAt: -1, timeoutAt },
  }
}

function ended(next: NextState, event: FoldEvent): Undo & { readonly current: NonNullable<Undo['current']> } {
  const undo = next.undo
  const current = undo?.current
  const legal =
    undo !== undefined &&
    current !== undefined &&
    `COMP:${current.slot}` === event.slot &&
    current.attempt === event.attempt &&
    compensationTransition(current.status, event.eventType) !== undefined
  if (!legal) return fail('INVALID_TRANSITION', `${event.eventType} for '${event.slot}', which is not being undone`)
  return { ...undo, current, ends: [...undo.ends.slice(-99), `${event.slot}:${event.attempt}`] }
}

export function compensationCompleted(next: NextState, event: FoldEvent): void {
  const undo = ended(next, event)
  next.undo = { ...undo, current: undefined, done: undo.done + 1 }
}

export function compensationFailed(next: NextState, event: FoldEvent): void {
  const undo = ended(next, event)
  const payload = event.payload as Payload<'CompensationFailed'>
  next.undo = payload.final
    ? { ...undo, current: undefined, failed: undo.failed + 1 }
    : {
        ...undo,
        current: { ...undo.current, status: 'FAILED', timeoutAt: -1, dueAt: instantOr(payload.retryAt, event.at) },
      }
}
