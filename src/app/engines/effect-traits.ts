/**
 * What an outside engine must know of an effect to dispatch it: how long it may take, its kind of action and the queue
 * that the plan names. So the engine itself needs no plan (TMP-01).
 */
import { compensationSlot } from '../../core/events/slot.ts'
import { actionKind } from '../../core/plan/plan.ts'
import type { Effect } from '../../core/run/effect.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { EffectTraits } from '../../ports/engine.ts'
import type { LoadedRun } from '../loaded/load-run.ts'

/** Undefined for an effect that is no work: a manual task, a signal to a child run. */
export function effectTraits({ state }: Pick<LoadedRun, 'state'>, effect: Effect): EffectTraits | undefined {
  if (effect.kind !== 'ExecuteStep' && effect.kind !== 'Compensate' && effect.kind !== 'CancelStep') return undefined
  const undoes = effect.slot.startsWith(compensationSlot(''))
  const slot = undoes ? effect.slot.slice(compensationSlot('').length) : effect.slot
  const unit = locate(state, slot)?.unit
  if (unit === undefined) return undefined
  const step = stepAt(state.graph, unit.step)
  const where = {
    isolated: step.isolation !== 'inline',
    ...(step.dispatch?.taskQueue === undefined ? {} : { taskQueue: step.dispatch.taskQueue }),
  }
  if (undoes && step.compensate !== undefined)
    return { timeoutMs: step.compensate.timeoutMs, actionKind: actionKind(step.compensate), ...where }
  const action = unit.fallback && step.fallback !== undefined ? step.fallback : step
  return { timeoutMs: step.timeoutMs, actionKind: actionKind(action), ...where }
}
