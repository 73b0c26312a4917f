/**
 * The state under construction inside one `evolve`: a private copy whose fields may be assigned. The persistent
 * collections it points to are never changed in place, so every earlier state stays as it was.
 */
import { appendAll } from '../../collections/append-all.ts'
import { bitAdd, bitHas, bitRemove } from '../../collections/bit-tree.ts'
import { vectorGet, vectorSet } from '../../collections/vector.ts'
import { hasTrait, isParked, stepUnit } from '../state/units.ts'
import { TRAIT } from '../../plan/compile/graph.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'

export type NextState = { -readonly [K in keyof RunState]: RunState[K] }

export function setUnit(next: NextState, index: number, unit: Unit): void {
  next.units = vectorSet(next.units, index, unit)
}

export function setReady(next: NextState, step: number, ready: boolean, free: boolean): void {
  const change = ready ? bitAdd : bitRemove
  if (free) next.readyFree = change(next.readyFree, step)
  else next.ready = change(next.ready, step)
}

/** Puts a unit where its attempt now is: with an executor (and a slot of the run), or merely waiting. */
export function enterFlight(next: NextState, index: number, unit: Unit): void {
  if (isParked(next.graph, unit)) {
    next.parked = bitAdd(next.parked, index)
  } else {
    next.inFlight = bitAdd(next.inFlight, index)
    next.slotsInUse += 1
  }
}

export function leaveFlight(next: NextState, index: number, unit: Unit): void {
  if (isParked(next.graph, unit)) {
    next.parked = bitRemove(next.parked, index)
  } else {
    next.inFlight = bitRemove(next.inFlight, index)
    next.slotsInUse -= 1
  }
}

/** Marks something of this unit as dispatchable: the step itself, or the item within its fan-out. */
export function makeReady(next: NextState, unit: Unit, kindUnit: Unit = unit): void {
  const free = isParked(next.graph, kindUnit)
  if (unit.item >= 0) {
    const parent = stepUnit(next, unit.step)
    if (parent.fan === undefined) return
    setUnit(next, unit.step, { ...parent, fan: { ...parent.fan, ready: bitAdd(parent.fan.ready, unit.item) } })
    next.doneFans = bitRemove(next.doneFans, unit.step)
  }
  setReady(next, unit.step, true, free)
}

/** Counts one dependency as satisfied. A step with a single one needs no counter. */
function waitsForMore(next: NextState, dependent: number): boolean {
  const count = next.graph.dependencyCount[dependent] ?? 0
  if (count <= 1) return false
  const open = (vectorGet(next.pending, dependent) ?? count) - 1
  next.pending = vectorSet(next.pending, dependent, open)
  return open > 0
}

/** From this rules version on, a step that was skipped early lets its dependents start only when its own predecessors do. */
const SKIPS_KEEP_THEIR_PLACE = 2

/**
 * A step is settled. One dependency of each dependent is satisfied; dependents with none left become ready, and dependents that
 * were skipped before their turn are settled now.
 */
export function settle(next: NextState, step: number): void {
  next.satisfied += 1
  passOver(next, step)
}

/** Dependents may start: the step is settled, or the plan itself handles its failure (P-46). */
export function passOver(next: NextState, step: number): void {
  const skipped = satisfyDependents(next, step)
  if (skipped.length === 0) return
  const open = [...skipped]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    next.satisfied += 1
    appendAll(open, satisfyDependents(next, at))
  }
}

const NONE: readonly number[] = []

/** Returns the steps that were skipped early and whose turn has come now. */
function satisfyDependents(next: NextState, step: number): readonly number[] {
  const { dependentsFlat, dependentsFrom } = next.graph
  const end = dependentsFrom[step + 1] ?? 0
  let skipped: number[] | undefined
  for (let at = dependentsFrom[step] ?? 0; at < end; at += 1) {
    const dependent = dependentsFlat[at] ?? 0
    if (waitsForMore(next, dependent)) continue
    const unit = vectorGet(next.units, dependent)
    // A step without events gets its unit only when it is dispatched.
    if (unit === undefined) setReady(next, dependent, true, hasTrait(next.graph, dependent, TRAIT.parked))
    else if (unit.status === 'PENDING' && unit.attempt === 0) makeReady(next, unit)
    else if (bitHas(next.early, dependent)) {
      next.early = bitRemove(next.early, dependent)
      skipped ??= []
      skipped.push(dependent)
    }
  }
  return skipped ?? NONE
}

/** It is not this step's turn yet: a predecessor is not satisfied. */
export function isEarly(next: NextState, { step, status, attempt }: Unit): boolean {
  if (next.rulesVersion < SKIPS_KEEP_THEIR_PLACE || status !== 'PENDING' || attempt > 0) return false
  return !bitHas(next.ready, step) && !bitHas(next.readyFree, step)
}
