/** Child runs are told of a pause and of its end, by signals. */
import { bitMembers } from '../../collections/bit-tree.ts'
import { vectorGet } from '../../collections/vector.ts'
import { effectId, type Effect } from '../effect.ts'
import type { RunState } from '../state/state.ts'
import { kindOfUnit, slotOfUnit } from '../state/units.ts'

/** One signal per child in flight; the cycle in its id makes a repeat the same signal. */
export function childSignals(state: RunState, signalType: 'PAUSE' | 'RESUME'): Effect[] {
  const effects: Effect[] = []
  for (const index of bitMembers(state.inFlight)) {
    const unit = vectorGet(state.units, index)
    if (unit === undefined || kindOfUnit(state.graph, unit) !== 'plan') continue
    const slot = slotOfUnit(state.graph, unit)
    const cycle = state.pauseCycle
    const id = `${effectId('SignalChild', slot, unit.attempt)}:${signalType}:${cycle}`
    effects.push({ kind: 'SignalChild', id, slot, attempt: unit.attempt, signalType, cycle })
  }
  return effects
}
