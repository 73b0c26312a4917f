/** Why a finished slot is no longer what it was: it was undone, is being undone, or could not be undone (CMP-06). */
import { vectorGet } from '../../collections/vector.ts'
import { compensationAttempts, nextCompensation } from '../compensation/next-compensation.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { isTerminalRun } from '../state/transitions.ts'
import { locate, slotOfUnit } from '../state/units.ts'

export type CompensationCause =
  /** `byRunId`: the run that undoes it, where a child did the work. */
  | {
      readonly kind: 'undoing'
      readonly slot: string
      readonly attempt: number
      readonly retryAt?: number
      readonly byRunId?: string
    }
  /** It succeeded, and what it did was undone since. */
  | { readonly kind: 'undone'; readonly attempts: number; readonly byRunId?: string }
  /** It succeeded, and what it did is still there: undoing failed, or was stopped before it was done. */
  | {
      readonly kind: 'not-undone'
      readonly why: 'failed' | 'unfinished'
      readonly attempts: number
      readonly byRunId?: string
    }
  /** About the items of a fan-out. */
  | { readonly kind: 'items-undone'; readonly undone: number; readonly failed: number; readonly total: number }

/** If a fallback did the step's work, the fallback is the one that was undone. */
export function compensationCauses(state: RunState, asked: Unit): CompensationCause[] {
  const slot = slotOfUnit(state.graph, asked)
  const unit = locate(state, slot)?.unit ?? asked
  if (unit.fan !== undefined) return ofItems(state, unit)
  const attempts = compensationAttempts(state, slot, unit)
  if (unit.undone === 'undone') return [{ kind: 'undone', attempts }]
  if (unit.undone === 'failed') return [{ kind: 'not-undone', why: 'failed', attempts }]
  const current = state.compensation?.current
  if (isTerminalRun(state.status))
    return isLeft(state, slot) ? [{ kind: 'not-undone', why: 'unfinished', attempts }] : []
  if (current?.slot !== slot) return []
  return [{ kind: 'undoing', slot, attempt: current.attempt, ...(current.dueAt < 0 ? {} : { retryAt: current.dueAt }) }]
}

/** An emergency stop came before its compensation had done its work. */
function isLeft(state: RunState, slot: string): boolean {
  if (state.compensation === undefined) return false
  if (state.compensation.current?.slot === slot) return true
  for (let at = nextCompensation(state); at !== undefined; at = at.next) if (at.value.slot === slot) return true
  return false
}

function ofItems(state: RunState, parent: Unit): CompensationCause[] {
  const { base, fallbackBase, count } = parent.fan ?? { base: 0, fallbackBase: -1, count: 0 }
  if (state.compensation === undefined) return []
  const counts = { undone: 0, failed: 0 }
  for (let item = 0; item < count; item += 1) {
    for (const from of [base, fallbackBase]) {
      const result = from < 0 ? '' : (vectorGet(state.units, from + item)?.undone ?? '')
      if (result !== '') counts[result] += 1
    }
  }
  return counts.undone + counts.failed === 0 ? [] : [{ kind: 'items-undone', ...counts, total: count }]
}
