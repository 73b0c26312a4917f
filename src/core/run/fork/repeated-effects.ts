/**
 * What a fork does a second time in the world: steps of the old run that had their effect, were not undone, and are done
 * again because what they depend on is. An irreversible one among them is repeated only on request.
 */
import { appendAll } from '../../collections/append-all.ts'
import { vectorGet } from '../../collections/vector.ts'
import type { Plan } from '../../plan/plan.ts'
import type { AgainReason, Standing } from './standing.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { slotOfUnit, stepAt, stepUnit } from '../state/units.ts'

export interface RepeatedEffect {
  readonly stepId: string
  readonly effect: Plan['steps'][number]['effect']
  /** It may or may not have happened: nobody knows. */
  readonly inDoubt: boolean
  /** Another run that did it, where the old one did not. */
  readonly inRunId?: string
  /** Why it is done again. */
  readonly reason: AgainReason
}

export interface WhatIsKnown {
  /** Of the old run only a part can be read, so an irreversible step may have begun after it. */
  readonly isPart: boolean
  readonly isUndone: (slot: string, stepId: string, ownerRunId: string) => boolean
  /** A run that shares results with the old one and did the step by itself, or may have. */
  readonly doneElsewhere: (stepId: string) => { readonly runId: string; readonly inDoubt: boolean } | undefined
}

export function repeatedEffects(state: RunState, { again }: Standing, known: WhatIsKnown): readonly RepeatedEffect[] {
  const repeated: RepeatedEffect[] = []
  for (const [stepId, reason] of again) {
    const index = state.graph.indexOf.get(stepId)
    if (index === undefined) continue
    const { effect } = stepAt(state.graph, index)
    if (effect === 'none') continue
    const found = fateOf(state, stepId, index, known) ?? (effect === 'irreversible' ? unseen(stepId, known) : undefined)
    if (found !== undefined) repeated.push({ stepId, effect, ...found, reason })
  }
  return repeated
}

type Fate = Pick<RepeatedEffect, 'inDoubt' | 'inRunId'>

function fateOf(state: RunState, stepId: string, index: number, { isUndone }: WhatIsKnown): Fate | undefined {
  const units = unitsOf(state, index).filter((unit) => {
    return !isUndone(slotOfUnit(state.graph, unit), stepId, unit.ownerRunId)
  })
  if (units.some(({ status }) => status === 'SUCCESS')) return { inDoubt: false }
  return units.some(({ errorCode }) => errorCode === 'INDETERMINATE') ? { inDoubt: true } : undefined
}

/** Not in the part of the old run that can be read, but perhaps after it, or in another run. */
function unseen(stepId: string, { isPart, doneElsewhere }: WhatIsKnown): Fate | undefined {
  const other = doneElsewhere(stepId)
  if (other !== undefined) return { inDoubt: other.inDoubt, inRunId: other.runId }
  return isPart ? { inDoubt: true } : undefined
}

/** Whatever may have acted for a step: itself or its items, and their fallbacks. */
function unitsOf(state: RunState, index: number): readonly Unit[] {
  const { fan, ...unit } = stepUnit(state, index)
  if (fan === undefined) return [{ fan, ...unit }, ...unitAt(state, state.graph.fallbackIndex[index] ?? -1)]
  const units: Unit[] = []
  for (let item = 0; item < fan.count; item += 1) {
    appendAll(units, unitAt(state, fan.base + item))
    if (fan.fallbackBase >= 0) appendAll(units, unitAt(state, fan.fallbackBase + item))
  }
  return units
}

function unitAt(state: RunState, index: number): readonly Unit[] {
  const unit = index < 0 ? undefined : vectorGet(state.units, index)
  return unit === undefined ? [] : [unit]
}
