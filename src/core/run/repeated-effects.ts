/**
 * What a fork does a second time in the world: steps of the old run that had their effect, were not undone, and are done
 * again because what they depend on is. An irreversible one among them is repeated only on request.
 */
import { vectorGet } from '../collections/vector.ts'
import type { Plan } from '../plan/plan.ts'
import type { AgainReason, Standing } from './standing.ts'
import type { RunState, Unit } from './state.ts'
import { stepAt, stepUnit } from './units.ts'

export interface RepeatedEffect {
  readonly stepId: string
  readonly effect: Plan['steps'][number]['effect']
  /** It may or may not have happened: nobody knows. */
  readonly inDoubt: boolean
  /** Why it is done again. */
  readonly reason: AgainReason
}

/** `isPart`: of the old run only a part can be read, so an irreversible step may have begun after it. */
export function repeatedEffects(state: RunState, { again }: Standing, isPart: boolean): readonly RepeatedEffect[] {
  const repeated: RepeatedEffect[] = []
  for (const [stepId, reason] of again) {
    const index = state.graph.indexOf.get(stepId)
    if (index === undefined || reason.kind === 'undone') continue
    const { effect } = stepAt(state.graph, index)
    const units = unitsOf(state, index)
    const happened = units.some(({ status }) => status === 'SUCCESS')
    const isUnseen = isPart && effect === 'irreversible'
    const inDoubt = !happened && (isUnseen || units.some(({ errorCode }) => errorCode === 'INDETERMINATE'))
    if (effect !== 'none' && (happened || inDoubt)) repeated.push({ stepId, effect, inDoubt, reason })
  }
  return repeated
}

/** Whatever may have acted for a step: itself or its items, and their fallbacks. */
function unitsOf(state: RunState, index: number): readonly Unit[] {
  const { fan, ...unit } = stepUnit(state, index)
  if (fan === undefined) return [{ fan, ...unit }, ...unitAt(state, state.graph.fallbackIndex[index] ?? -1)]
  const units: Unit[] = []
  for (let item = 0; item < fan.count; item += 1) {
    units.push(...unitAt(state, fan.base + item))
    if (fan.fallbackBase >= 0) units.push(...unitAt(state, fan.fallbackBase + item))
  }
  return units
}

function unitAt(state: RunState, index: number): readonly Unit[] {
  const unit = index < 0 ? undefined : vectorGet(state.units, index)
  return unit === undefined ? [] : [unit]
}
