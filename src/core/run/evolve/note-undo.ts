/**
 * What a run may have to undo later, noted as its steps end: work that can be undone is remembered in the order in which it
 * ended, other work with an effect is only counted (CMP-09).
 */
import { TRAIT } from '../../plan/graph.ts'
import type { Unit } from '../state.ts'
import { hasTrait, isChildUndone, isFanParent, isParked, slotOfUnit } from '../units.ts'
import type { NextState } from './next-state.ts'

export function noteForUndo(next: NextState, index: number, done: Unit, runSeq: number): void {
  if (canBeUndone(next, done)) {
    next.completions = { value: { slot: slotOfUnit(next.graph, done), unit: index, runSeq }, next: next.completions }
    return
  }
  // Waiting changes nothing outside; version 1 counted it.
  const onlyWaited = next.rulesVersion >= 2 && isParked(next.graph, done)
  next.notCompensable += hasTrait(next.graph, done.step, TRAIT.effect) && !onlyWaited ? 1 : 0
}

/** By its hook, or by a run that undoes what its child has finished; version 1 knew only hooks. */
function canBeUndone(next: NextState, unit: Unit): boolean {
  if (hasTrait(next.graph, unit.step, TRAIT.undone)) return true
  return next.rulesVersion >= 2 && isChildUndone(next.graph, unit)
}

/** A child that was stopped because this run fails: what it had finished by then is undone like a finished child. */
export function noteStoppedChild(next: NextState, index: number, unit: Unit, runSeq: number): void {
  const isStopped = unit.errorCode === 'CHILD_CANCELLED' || unit.errorCode === 'CANCELLED'
  if (!isStopped || !next.failing || next.cancelling !== undefined || next.rulesVersion < 2) return
  if (isChildUndone(next.graph, unit) && !isFanParent(next.graph, unit)) noteForUndo(next, index, unit, runSeq)
}
