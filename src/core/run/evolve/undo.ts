/**
 * How compensation events change the state: one hook at a time, newest completion first (CMP-03).
 */
import { vectorGet } from '../../collections/vector.ts'
import type { Payload } from '../../events/event.ts'
import { fail } from '../../problems/problem.ts'
import type { FoldEvent } from '../fold-event.ts'
import type { Chain, Completion, RunState, Undo, UndoAction, UndoResult, Unit } from '../state.ts'
import { compensationTransition } from '../transitions.ts'
import { setUnit, type NextState } from './next-state.ts'
import { instantOr } from './steps.ts'

/** What is undone next: the newest completion with a hook that was not looked at yet. */
export function nextHook(state: RunState): Chain<Completion> | undefined {
  return state.undo === undefined ? state.completions : state.undo.rest
}

/** Among the late marks of a unit: an engine attempt of its hook that has reported. */
export function hookMark(attempt: number, engineAttempt: number): string {
  return `COMP:${attempt}:${engineAttempt}`
}

/** How many attempts at undoing a slot were begun: the one under way, else the last that has reported. */
export function hookAttempts({ undo }: Pick<RunState, 'undo'>, slot: string, { late }: Pick<Unit, 'late'>): number {
  if (undo?.current?.slot === slot) return undo.current.attempt
  const reported = late.flatMap((mark) => (mark.startsWith('COMP:') ? [Number(mark.split(':')[1])] : []))
  return Math.max(0, ...reported)
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
  const before = next.undo ?? { done: 0, failed: 0, slots: [], actions: [] }
  const { unit, runSeq } = hook.value
  next.undo = {
    ...before,
    rest: hook.next,
    slots: before.slots.length < 100 ? [...before.slots, slot] : before.slots,
    current: { slot, unit, runSeq, attempt: 1, status: 'RUNNING', epoch: payload.epoch, dueAt: -1, timeoutAt },
  }
}

function ended(
  next: NextState,
  event: FoldEvent,
  undone: Unit['undone'],
): Undo & { readonly current: NonNullable<Undo['current']> } {
  const undo = next.undo
  const current = undo?.current
  const legal =
    undo !== undefined &&
    current !== undefined &&
    `COMP:${current.slot}` === event.slot &&
    current.attempt === event.attempt &&
    compensationTransition(current.status, event.eventType) !== undefined
  if (!legal) return fail('INVALID_TRANSITION', `${event.eventType} for '${event.slot}', which is not being undone`)
  const unit = vectorGet(next.units, current.unit)
  const mark = hookMark(event.attempt, event.engineAttempt)
  if (unit !== undefined) setUnit(next, current.unit, { ...unit, late: [...unit.late, mark], undone })
  return { ...undo, current }
}

export function compensationCompleted(next: NextState, event: FoldEvent): void {
  const undo = ended(next, event, 'undone')
  next.undo = { ...undo, current: undefined, done: undo.done + 1, actions: withAction(undo, 'undone') }
}

const ACTIONS_TOLD = 100

/** A long list is cut, but not before as many of those that need somebody's attention are in it. */
function withAction({ actions, current }: ReturnType<typeof ended>, result: UndoResult): readonly UndoAction[] {
  const room = result === 'undone' ? ACTIONS_TOLD : 2 * ACTIONS_TOLD
  if (actions.length >= room) return actions
  return [...actions, { slot: current.slot, result, attempts: current.attempt }]
}

export function compensationFailed(next: NextState, event: FoldEvent): void {
  const payload = event.payload as Payload<'CompensationFailed'>
  const undo = ended(next, event, payload.final ? 'failed' : '')
  next.undo = payload.final
    ? { ...undo, current: undefined, failed: undo.failed + 1, actions: withAction(undo, 'failed') }
    : {
        ...undo,
        current: { ...undo.current, status: 'FAILED', timeoutAt: -1, dueAt: instantOr(payload.retryAt, event.at) },
      }
}
