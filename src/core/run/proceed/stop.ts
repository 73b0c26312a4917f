/**
 * Stopping work: what only waits is closed at once, what is in flight has its grace, then every open attempt is
 * ended, so that no step stays RUNNING in a run that has ended.
 */
import { bitMembers, bitNext, type BitTree } from '../../collections/bit-tree.ts'
import { vectorGet } from '../../collections/vector.ts'
import type { Unit } from '../state/unit.ts'
import { kindOfUnit, stepUnit, unitAt } from '../state/units.ts'
import { failStep } from './fail-step.ts'
import { CANCELLED_ERROR } from '../failure/step-errors.ts'
import { askToStop, hasRoom, type Workspace } from './workspace.ts'

/** Asks every executor and child run in flight to stop. */
export function askAllToStop(ws: Workspace): void {
  for (const unit of unitsOf(ws, ws.state.inFlight)) askToStop(ws, unit, kindOfUnit(ws.state.graph, unit) === 'plan')
}

/** Under failFast executors may finish (their effects are then compensated); child runs are asked to stop. */
export function askChildrenToStop(ws: Workspace): void {
  for (const unit of unitsOf(ws, ws.state.inFlight))
    if (kindOfUnit(ws.state.graph, unit) === 'plan') askToStop(ws, unit, true)
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

/** The parent's own end: ITEMS_FAILED naming the lowest index, or cancelled when its items only closed with the run. */
export function endFan(ws: Workspace, parent: Unit): void {
  const failed = parent.fan === undefined ? [] : [...bitMembers(parent.fan.failed)]
  const codes = new Set(failed.map((item) => itemErrorCode(ws, parent, item)))
  const onlyClosed = codes.size === 0 || (codes.size === 1 && codes.has('CANCELLED'))
  // One item whose effect may have happened holds the run, whatever the others did (P-28).
  const code = codes.has('INDETERMINATE') ? 'INDETERMINATE' : 'ITEMS_FAILED'
  const error = onlyClosed ? CANCELLED_ERROR : ({ code, retryable: false, errorClass: 'permanent' } as const)
  const [failedItem] = failed
  failStep(ws, parent, { error, forced: true, final: true, ...(failedItem === undefined ? {} : { failedItem }) })
}

/** Of the attempt that ended the item: its fallback's when that failed last. */
function itemErrorCode(ws: Workspace, parent: Unit, item: number): string {
  const { base, fallbackBase } = parent.fan ?? { base: 0, fallbackBase: -1 }
  const primary = unitAt(ws.state, base + item, parent.step, item, false)
  if (fallbackBase < 0) return primary.errorCode
  const fallback = unitAt(ws.state, fallbackBase + item, parent.step, item, true)
  return fallback.failedSeq > primary.failedSeq ? fallback.errorCode : primary.errorCode
}

function* unitsOf(ws: Workspace, set: BitTree): Generator<Unit> {
  for (const index of bitMembers(set)) {
    const unit = vectorGet(ws.state.units, index)
    if (unit !== undefined) yield unit
  }
}
