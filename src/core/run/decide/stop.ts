/**
 * Stopping work: what only waits is closed at once, what is in flight has its grace, then every open attempt is
 * ended, so that no step stays RUNNING in a run that has ended.
 */
import { bitMembers, bitNext, type BitTree } from '../../collections/bit-tree.ts'
import { vectorGet } from '../../collections/vector.ts'
import type { ErrorInfo } from '../../events/event.ts'
import { compensationSlot } from '../../events/slot.ts'
import { effectId, engineAttemptAt } from '../effect.ts'
import type { Unit } from '../state.ts'
import { kindOfUnit, stepUnit, unitAt } from '../units.ts'
import { CANCELLED_ERROR, failStep } from './fail-step.ts'
import { askToStop, hasRoom, type Workspace } from './workspace.ts'

/** Asks every executor, hook and child run in flight to stop. */
export function askAllToStop(ws: Workspace): void {
  for (const unit of unitsOf(ws, ws.state.inFlight)) askToStop(ws, unit, kindOfUnit(ws.state.graph, unit) === 'plan')
  const hook = ws.state.undo?.current
  if (hook?.status !== 'RUNNING') return
  const { attempt } = hook
  const slot = compensationSlot(hook.slot)
  const engineAttempt = engineAttemptAt(ws.epoch, hook.epoch)
  ws.effects.push({ kind: 'CancelStep', id: effectId('CancelStep', slot, attempt, engineAttempt), slot, attempt, engineAttempt })
}

/** Under failFast executors may finish (their effects are then compensated); child runs are asked to stop. */
export function askChildrenToStop(ws: Workspace): void {
  for (const unit of unitsOf(ws, ws.state.inFlight)) if (kindOfUnit(ws.state.graph, unit) === 'plan') askToStop(ws, unit, true)
}

/** Closes waits and manual tasks; false when the decision was cut. */
export function closeParked(ws: Workspace): boolean {
  return endAll(ws, (state) => state.parked)
}

/** Ends what is still in flight after the grace; false when the decision was cut. */
export function endInFlight(ws: Workspace): boolean {
  return endAll(ws, (state) => state.inFlight)
}

function endAll(ws: Workspace, set: (state: Workspace['state']) => BitTree): boolean {
  for (let index = bitNext(set(ws.state)); index >= 0; index = bitNext(set(ws.state))) {
    if (!hasRoom(ws)) return false
    const unit = vectorGet(ws.state.units, index)
    if (unit === undefined) return true
    failStep(ws, unit, { error: CANCELLED_ERROR, forced: true, final: true })
  }
  return true
}

/** Ends fan-out parents once nothing of theirs is in flight; false when the decision was cut. */
export function closeOpenFans(ws: Workspace): boolean {
  for (let step = bitNext(ws.state.openFans); step >= 0; step = bitNext(ws.state.openFans)) {
    if (!hasRoom(ws)) return false
    endFan(ws, stepUnit(ws.state, step))
  }
  return true
}

/** The parent's own end: ITEMS_FAILED naming the lowest index, or cancelled with its run. */
export function endFan(ws: Workspace, parent: Unit): void {
  const failed = parent.fan?.failed
  if (failed === undefined || failed.size === 0) {
    failStep(ws, parent, { error: CANCELLED_ERROR, forced: true, final: true })
    return
  }
  failStep(ws, parent, { error: itemsError(ws, parent, failed), forced: true, final: true, failedItem: bitNext(failed) })
}

function itemsError(ws: Workspace, parent: Unit, failed: BitTree): ErrorInfo {
  const { base, fallbackBase } = parent.fan ?? { base: 0, fallbackBase: -1 }
  for (const item of bitMembers(failed)) {
    const primary = unitAt(ws.state, base + item, parent.step, item, false)
    const fallback = fallbackBase < 0 ? primary : unitAt(ws.state, fallbackBase + item, parent.step, item, true)
    const last = fallback.failedSeq > primary.failedSeq ? fallback : primary
    // One item whose effect may have happened holds the run, whatever the others did (P-28).
    if (last.errorCode === 'INDETERMINATE') return { code: 'INDETERMINATE', retryable: false, errorClass: 'permanent' }
  }
  return { code: 'ITEMS_FAILED', retryable: false, errorClass: 'permanent' }
}

function* unitsOf(ws: Workspace, set: BitTree): Generator<Unit> {
  for (const index of bitMembers(set)) {
    const unit = vectorGet(ws.state.units, index)
    if (unit !== undefined) yield unit
  }
}
