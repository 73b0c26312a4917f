/** Which units a slot claims with an attempt, and whether it must wait for them (docs/adr/0002-grants.md). */
import { bitHas } from '../../collections/bit-tree.ts'
import type { Units } from '../../plan/compile/wants.ts'
import type { GrantsAtHand } from '../input.ts'
import type { RunState } from './state.ts'
import type { Unit } from './unit.ts'
import { isFanParent, locate, stepUnit, unitAt } from './units.ts'

/** Undefined when the attempt claims nothing. */
export function wantsOf(state: RunState, unit: Unit): Units | undefined {
  const wants = state.graph.wants[unit.step]
  if (wants === undefined || isFanParent(state.graph, unit)) return undefined
  if (!unit.fallback) return wants.step
  return Object.keys(wants.fallback).length === 0 ? undefined : wants.fallback
}

export function mustWait(grants: GrantsAtHand | undefined, slot: string, wants: Units | undefined): boolean {
  if (grants === undefined || wants === undefined || grants.tried.has(slot) || grants.impossible.has(slot)) return false
  for (const pool in wants) {
    const from = grants.held.get(pool)
    if (from !== undefined && (wants[pool] ?? 0) >= from) return true
  }
  return false
}

/** Would this attempt start now if it had its units? A slot that started, was held back or went another way waits no more. */
export function stillWants(state: RunState, slot: string, attempt: number): boolean {
  if (state.status !== 'RUNNING' || state.failing || state.cancelling !== undefined) return false
  if (state.compensation !== undefined || state.endSkipsFrom >= 0) return false
  const unit = locate(state, slot)?.unit
  return unit !== undefined && unit.attempt === attempt - 1 && (unit.backoff || isReady(state, unit))
}

/** The step is ready itself or, after its failure, its fallback is. */
function isReady(state: RunState, unit: Unit): boolean {
  const step = stepUnit(state, unit.step)
  if (unit.item < 0) return step.fallbackOpen === unit.fallback && bitHas(state.ready, unit.step)
  const { fan } = step
  if (fan === undefined || !bitHas(fan.ready, unit.item)) return false
  return unitAt(state, fan.base + unit.item, unit.step, unit.item, false).fallbackOpen === unit.fallback
}
