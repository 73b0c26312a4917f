/** Which failure made a run fail. */
import { vectorGet } from '../../collections/vector.ts'
import type { Failure, RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'

/** It failed, and no fallback succeeded in its place. */
export function isFailed(unit: Unit): boolean {
  return unit.status === 'FAILED' && !unit.recovered
}

/** The earliest failure that nothing handled. */
export function rootCause(state: RunState): Failure | undefined {
  let first: Failure | undefined
  for (let at = state.failures; at !== undefined; at = at.next) {
    const unit = vectorGet(state.units, at.value.unit)
    if (unit !== undefined && isFailed(unit) && unit.attempt === at.value.attempt) first = at.value
  }
  return first
}
