/** Steps of the old run that the plan of the new one does not have: what they did stays as it is, and nothing undoes it. */
import type { Plan } from '../../plan/plan.ts'
import type { RunState } from '../state/state.ts'
import { stepUnit } from '../state/units.ts'
import type { OldRun } from './standing.ts'

export function droppedSteps(state: RunState, { steps }: Plan, undoingOf: OldRun['undoingOf']): readonly string[] {
  const kept = new Set(steps.map(({ stepId }) => stepId))
  return state.graph.stepIds.filter((stepId, index) => {
    if (kept.has(stepId)) return false
    const { status, recovered, ownerRunId } = stepUnit(state, index)
    return (status === 'SUCCESS' || recovered) && undoingOf(stepId, ownerRunId) !== 'undone'
  })
}
