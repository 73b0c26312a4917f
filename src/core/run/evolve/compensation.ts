/**
 * How compensation events change the state: one compensation at a time, newest completion first (CMP-03).
 */
import { vectorGet } from '../../collections/vector.ts'
import type { Payload } from '../../events/event.ts'
import { fail } from '../../problems/problem.ts'
import { compensationMark, nextCompensation } from '../compensation/next-compensation.ts'
import type { FoldEvent } from '../fold-event.ts'
import type { CompensationProgress, CompensationAction, CompensationResult } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { compensationTransition } from '../state/transitions.ts'
import { setUnit, type NextState } from './next-state.ts'
import { instantOr } from './steps.ts'

export function compensationStarted(next: NextState, event: FoldEvent): void {
  const slot = event.slot.slice('COMP:'.length)
  const current = next.compensation?.current
  const retry = current !== undefined && current.slot === slot && event.attempt === current.attempt + 1
  const payload = event.payload as Payload<'CompensationStarted'>
  const timeoutAt = instantOr(payload.timeoutAt, -1)
  if (retry) {
    next.compensation = {
      ...(next.compensation as CompensationProgress),
      current: { ...current, attempt: event.attempt, status: 'RUNNING', epoch: payload.epoch, dueAt: -1, timeoutAt },
    }
    return
  }
  const following = nextCompensation(next)
  if (following === undefined || following.value.slot !== slot || event.attempt !== 1) {
    fail('INVALID_TRANSITION', `CompensationStarted for '${slot}', which is not the next to be undone`)
  }
  const before = next.compensation ?? { done: 0, failed: 0, slots: [], actions: [] }
  const { unit, runSeq } = following.value
  next.compensation = {
    ...before,
    rest: following.next,
    slots: before.slots.length < 100 ? [...before.slots, slot] : before.slots,
    current: { slot, unit, runSeq, attempt: 1, status: 'RUNNING', epoch: payload.epoch, dueAt: -1, timeoutAt },
  }
}

function ended(
  next: NextState,
  event: FoldEvent,
  undone: Unit['undone'],
): CompensationProgress & { readonly current: NonNullable<CompensationProgress['current']> } {
  const compensation = next.compensation
  const current = compensation?.current
  const legal =
    compensation !== undefined &&
    current !== undefined &&
    `COMP:${current.slot}` === event.slot &&
    current.attempt === event.attempt &&
    compensationTransition(current.status, event.eventType) !== undefined
  if (!legal) return fail('INVALID_TRANSITION', `${event.eventType} for '${event.slot}', which is not being undone`)
  const unit = vectorGet(next.units, current.unit)
  const mark = compensationMark(event.attempt, event.engineAttempt)
  if (unit !== undefined) setUnit(next, current.unit, { ...unit, late: [...unit.late, mark], undone })
  return { ...compensation, current }
}

export function compensationCompleted(next: NextState, event: FoldEvent): void {
  const compensation = ended(next, event, 'undone')
  next.compensation = {
    ...compensation,
    current: undefined,
    done: compensation.done + 1,
    actions: withAction(compensation, 'undone'),
  }
}

const ACTIONS_TOLD = 100

/** A long list is cut, but there is more room for actions that need a person's attention. */
function withAction(
  { actions, current }: ReturnType<typeof ended>,
  result: CompensationResult,
): readonly CompensationAction[] {
  const room = result === 'undone' ? ACTIONS_TOLD : 2 * ACTIONS_TOLD
  if (actions.length >= room) return actions
  return [...actions, { slot: current.slot, result, attempts: current.attempt }]
}

export function compensationFailed(next: NextState, event: FoldEvent): void {
  const payload = event.payload as Payload<'CompensationFailed'>
  const compensation = ended(next, event, payload.final ? 'failed' : '')
  next.compensation = payload.final
    ? {
        ...compensation,
        current: undefined,
        failed: compensation.failed + 1,
        actions: withAction(compensation, 'failed'),
      }
    : {
        ...compensation,
        current: {
          ...compensation.current,
          status: 'FAILED',
          timeoutAt: -1,
          dueAt: instantOr(payload.retryAt, event.at),
        },
      }
}
