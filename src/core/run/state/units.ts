/**
 * Where a slot's unit lies and back again. Steps come first, then the fallbacks of plain steps, then the items of
 * each fan-out (and their fallbacks) as it is expanded.
 */
import { vectorGet } from '../../collections/vector.ts'
import { parseStepSlot, stepSlotText, type StepSlot } from '../../events/slot.ts'
import { type ActionKind, type RetryPolicy, type Step, actionKind } from '../../plan/plan.ts'
import { TRAIT, type PlanGraph } from '../../plan/compile/graph.ts'
import type { RunState } from './state.ts'
import type { Unit } from './unit.ts'

const NONE: readonly number[] = []
const NO_TEXTS: readonly string[] = []

/** Spelled out field by field: this is made for every step that becomes ready, and a spread costs several times as much. */
function freshUnit(step: number, item: number, fallback: boolean): Unit {
  return {
    step,
    item,
    fallback,
    status: 'PENDING',
    attempt: 0,
    final: false,
    fallbackOpen: false,
    recovered: false,
    backoff: false,
    inputSeq: 0,
    startedSeq: 0,
    epoch: 0,
    startedAt: -1,
    outputSeq: 0,
    dueAt: -1,
    timeoutAt: -1,
    dueIsActive: false,
    opening: 0,
    ends: NONE,
    late: NO_TEXTS,
    errorCode: '',
    errorClass: '',
    failedSeq: 0,
    freshKey: '',
    ownerRunId: '',
    ownerAttempt: 0,
    undone: '',
    fan: undefined,
  }
}

export function unitAt(state: RunState, index: number, step: number, item: number, fallback: boolean): Unit {
  return vectorGet(state.units, index) ?? freshUnit(step, item, fallback)
}

export function stepUnit(state: RunState, step: number): Unit {
  return unitAt(state, step, step, -1, false)
}

export function stepAt(graph: PlanGraph, index: number): Step {
  const step = graph.steps[index]
  if (step === undefined) throw new RangeError(`no step at ${index}`)
  return step
}

export function maxAttemptsOf(graph: PlanGraph, unit: Pick<Unit, 'step'>): RetryPolicy['maxAttempts'] {
  return stepAt(graph, unit.step).retry.maxAttempts
}

export interface Located {
  readonly index: number
  readonly unit: Unit
}

export function locate(state: RunState, slotText: string): Located | undefined {
  const direct = state.graph.indexOf.get(slotText)
  if (direct !== undefined) return { index: direct, unit: stepUnit(state, direct) }
  const slot = parseStepSlot(slotText)
  return slot === undefined ? undefined : locateSlot(state, slot)
}

function locateSlot(state: RunState, slot: StepSlot): Located | undefined {
  const step = state.graph.indexOf.get(slot.stepId)
  if (step === undefined) return undefined
  const fallback = slot.role === 'fallback'
  if (slot.itemIndex === undefined) {
    if (!fallback) return { index: step, unit: stepUnit(state, step) }
    const index = state.graph.fallbackIndex[step] ?? -1
    if (index < 0) return undefined
    return { index, unit: unitAt(state, index, step, -1, true) }
  }
  const fan = stepUnit(state, step).fan
  if (fan === undefined || slot.itemIndex >= fan.count || (fallback && fan.fallbackBase < 0)) return undefined
  const index = (fallback ? fan.fallbackBase : fan.base) + slot.itemIndex
  return { index, unit: unitAt(state, index, step, slot.itemIndex, fallback) }
}

export function slotOfUnit(graph: PlanGraph, unit: Unit): string {
  const stepId = graph.stepIds[unit.step] ?? ''
  if (unit.item < 0 && !unit.fallback) return stepId
  return stepSlotText({
    stepId,
    ...(unit.item < 0 ? {} : { itemIndex: unit.item }),
    ...(unit.fallback ? { role: 'fallback' as const } : {}),
  })
}

export function hasTrait(graph: PlanGraph, step: number, trait: number): boolean {
  return ((graph.traits[step] ?? 0) & trait) !== 0
}

/** A forEach parent has no work of its own. */
export function isFanParent(graph: PlanGraph, unit: Unit): boolean {
  return unit.item < 0 && !unit.fallback && hasTrait(graph, unit.step, TRAIT.fan)
}

export function kindOfUnit(graph: PlanGraph, unit: Unit): ActionKind {
  const step = stepAt(graph, unit.step)
  if (unit.fallback && step.fallback !== undefined) return actionKind(step.fallback)
  return graph.kinds[unit.step] ?? actionKind(step)
}

/** Its success is undone by a separate run. A fallback that ran in its place did other work. */
export function isChildUndone(graph: PlanGraph, unit: Unit): boolean {
  return !unit.fallback && hasTrait(graph, unit.step, TRAIT.childUndone)
}

/** Waits and manual tasks only wait: they take no slot of the run. A fallback always does work. */
export function isParked(graph: PlanGraph, unit: Unit): boolean {
  return !unit.fallback && hasTrait(graph, unit.step, TRAIT.parked)
}
