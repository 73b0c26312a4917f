/** Failures of steps that something makes up for: a fallback that succeeds, or a plan that goes on. */
import type { Unit } from '../state/unit.ts'
import { locate, slotOfUnit } from '../state/units.ts'
import { setUnit, settle, type NextState } from './next-state.ts'

/** A fallback that succeeded handles its primary's failure. */
export function recover(next: NextState, fallback: Unit): void {
  const slot = slotOfUnit(next.graph, { ...fallback, fallback: false })
  const primary = locate(next, slot)
  if (primary !== undefined) setUnit(next, primary.index, { ...primary.unit, recovered: true, fallbackOpen: false })
}

/** The plan handles the failure: dependents run, and the run may complete. */
export function passFailure(next: NextState, index: number, unit: Unit): void {
  const step = unit.fallback ? locate(next, slotOfUnit(next.graph, { ...unit, fallback: false })) : { index, unit }
  if (step !== undefined) setUnit(next, step.index, { ...step.unit, recovered: true, fallbackOpen: false })
  settle(next, unit.step)
}

/** The fallback failed too. */
export function closeFallback(next: NextState, fallback: Unit): void {
  const primary = locate(next, slotOfUnit(next.graph, { ...fallback, fallback: false }))
  if (primary !== undefined) setUnit(next, primary.index, { ...primary.unit, fallbackOpen: false })
}
