/**
 * What a run may have to undo later, noted as its steps end: work that can be undone is remembered in the order in which it
 * ended, other work with an effect is only counted (CMP-09).
 */
import { TRAIT } from '../../plan/compile/graph.ts'
import type { Unit } from '../state/unit.ts'
import { hasTrait, isChildUndone, isFanParent, isParked, slotOfUnit } from '../state/units.ts'
import type { NextState } from './next-state.ts'

export function noteForCompensation(next: NextState, index: number, done: Unit, runSeq: number): void {
  if (canBeUndone(next, done)) {
    next.completions = { value: { slot: slotOfUnit(next.graph, done), unit: index, runSeq }, next: next.completions }
    return
  }
  // Waiting changes nothing outside; version 1 counted it.
  const onlyWaited = next.rulesVersion >= 2 && isParked(next.graph, done)
  next.notCompensable += hasTrait(next.graph, done.step, TRAIT.effect) && !onlyWaited ? 1 : 0
}

/** By its compensation, or by a run that undoes what its child has finished; version 1 had no such runs. */
function canBeUndone(next: NextState, unit: Unit): boolean {
  if (hasTrait(next.graph, unit.step, TRAIT.undone)) return true
  return next.rulesVersion >= 2 && isChildUndone(next.graph, unit)
}

/**
 * A child that was stopped because this run fails or is undone. What the child had finished is undone like the work of a finished
 * child.
 */
export function noteStoppedChild(next: NextState, index: number, unit: Unit, runSeq: number): void {
  const isStopped = unit.errorCode === 'CHILD_CANCELLED' || unit.errorCode === 'CANCELLED'
  const isUndone = next.cancelling === undefined ? next.failing : next.cancelling.undo === true
  if (!isStopped || !isUndone || next.rulesVersion < 2) return
  if (isChildUndone(next.graph, unit) && !isFanParent(next.graph, unit)) noteForCompensation(next, index, unit, runSeq)
}
