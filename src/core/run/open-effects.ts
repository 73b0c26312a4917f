/**
 * Every effect the state is still owed: what an adopter, an engine after an unknown commit, or a worker's first
 * call must send out (again). Order: executors by dispatch order, then what waits for people, then undoing.
 */
import { appendAll } from '../collections/append-all.ts'
import { bitMembers } from '../collections/bit-tree.ts'
import { vectorGet } from '../collections/vector.ts'
import { compensationSlot } from '../events/slot.ts'
import type { PlanGraph } from '../plan/compile/graph.ts'
import { childSignals } from './proceed/child-signals.ts'
import { effectId, engineAttemptAt, type Effect } from './effect.ts'
import type { RunState } from './state/state.ts'
import type { Unit } from './state/unit.ts'
import { isTerminalRun } from './state/transitions.ts'
import { kindOfUnit, slotOfUnit, stepAt } from './state/units.ts'

export function openEffects(graph: PlanGraph, state: RunState, epoch: number): readonly Effect[] {
  if (isTerminalRun(state.status)) return []
  const effects: Effect[] = []
  const stopping = state.cancelling !== undefined || state.timedOutAt >= 0
  for (const index of bitMembers(state.inFlight)) {
    const unit = vectorGet(state.units, index)
    if (unit !== undefined) appendAll(effects, owedTo(graph, unit, epoch, stopping, state.failing))
  }
  for (const index of bitMembers(state.parked)) {
    const unit = vectorGet(state.units, index)
    if (unit === undefined || kindOfUnit(graph, unit) !== 'manual') continue
    const slot = slotOfUnit(graph, unit)
    effects.push({
      kind: 'OpenManualTask',
      id: effectId('OpenManualTask', slot, unit.attempt),
      slot,
      attempt: unit.attempt,
    })
  }
  const current = state.compensation?.current
  if (current?.status === 'RUNNING') {
    const slot = compensationSlot(current.slot)
    const { attempt } = current
    const unit = vectorGet(state.units, current.unit)
    const engineAttempt = engineAttemptAt(epoch, current.epoch)
    const byCompensation = unit === undefined || stepAt(graph, unit.step).compensate !== undefined
    effects.push(
      byCompensation
        ? { kind: 'Compensate', id: effectId('Compensate', slot, attempt, engineAttempt), slot, attempt, engineAttempt }
        : { kind: 'StartChild', id: effectId('StartChild', slot, attempt), slot, attempt },
    )
  }
  if (state.pauseCycle > 0) appendAll(effects, childSignals(state, state.status === 'PAUSED' ? 'PAUSE' : 'RESUME'))
  return effects
}

function owedTo(graph: PlanGraph, unit: Unit, epoch: number, stopping: boolean, failing: boolean): Effect[] {
  const slot = slotOfUnit(graph, unit)
  const { attempt } = unit
  if (kindOfUnit(graph, unit) === 'plan') {
    const start: Effect = { kind: 'StartChild', id: effectId('StartChild', slot, attempt), slot, attempt }
    if (!stopping && !failing) return [start]
    const id = `${effectId('SignalChild', slot, attempt)}:CANCEL`
    return [start, { kind: 'SignalChild', id, slot, attempt, signalType: 'CANCEL', cycle: 0 }]
  }
  const engineAttempt = engineAttemptAt(epoch, unit.epoch)
  const kind = stopping ? 'CancelStep' : 'ExecuteStep'
  return [{ kind, id: effectId(kind, slot, attempt, engineAttempt), slot, attempt, engineAttempt }]
}
