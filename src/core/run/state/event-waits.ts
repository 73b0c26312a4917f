/** Waits for events from outside (P-54), as the state has them. */
import { bitMembers } from '../../collections/bit-tree.ts'
import { vectorGet } from '../../collections/vector.ts'
import { eventOf, type EventWait } from '../../plan/plan.ts'
import type { RunState } from './state.ts'
import { isTerminalRun } from './transitions.ts'
import type { Unit } from './unit.ts'
import { isFanParent, locate, slotOfUnit, stepAt } from './units.ts'

/** Does this attempt wait for an event, and may it be this one? The store compares name and key. */
export function awaitsEvent(
  state: RunState,
  { slot, attempt, eventId }: { readonly slot: string; readonly attempt: number; readonly eventId: string },
): boolean {
  const unit = locate(state, slot)?.unit
  if (unit === undefined || unit.attempt !== attempt || waitOf(state, unit) === undefined) return false
  for (let at = state.usedEvents; at !== undefined; at = at.next) if (at.value === eventId) return false
  return true
}

/** What an open attempt waits for; undefined when it waits for no event. */
function waitOf(state: RunState, unit: Unit): EventWait | undefined {
  if (unit.status !== 'RUNNING' || unit.fallback || isFanParent(state.graph, unit)) return undefined
  return isTerminalRun(state.status) ? undefined : eventOf(stepAt(state.graph, unit.step))
}

export interface OpenEventWait {
  readonly slot: string
  readonly attempt: number
  readonly wait: EventWait
  /** Where its key is recorded. */
  readonly startedSeq: number
}

export function* openEventWaits(state: RunState): Generator<OpenEventWait> {
  if (!state.graph.anyEvents) return
  for (const index of bitMembers(state.parked)) {
    const unit = vectorGet(state.units, index)
    const wait = unit === undefined ? undefined : waitOf(state, unit)
    if (unit === undefined || wait === undefined) continue
    yield { slot: slotOfUnit(state.graph, unit), attempt: unit.attempt, wait, startedSeq: unit.startedSeq }
  }
}
