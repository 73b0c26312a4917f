/**
 * The names in a plan for which a process has no handler: of steps, compensations and fallbacks. A process takes only runs that
 * it can complete.
 */
import type { Action, Compensation, Fallback, Plan } from '../../core/plan/plan.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import type { StepHandlers } from '../../ports/step-handlers.ts'

function actionsOf(plan: Plan): readonly (Action | Compensation | Fallback)[] {
  return plan.steps.flatMap((step) => {
    const actions = [step, step.compensate ?? [], step.fallback ?? []].flat()
    // Functions of a queue are those of its workers.
    return step.dispatch?.queue === undefined ? actions : actions.filter((action) => !('run' in action))
  })
}

export function missingHandlers(plan: Plan, handlers: Pick<StepHandlers, 'missing'>): readonly string[] {
  return [...new Set(actionsOf(plan).flatMap((action) => handlers.missing(action)))]
}

/** Throws when this process cannot complete the plan. What is switched off is reported first, with the way to switch it on. */
export function needHandlers(plan: Plan, handlers: Pick<StepHandlers, 'missing' | 'refusal'>): void {
  for (const action of actionsOf(plan)) {
    const refusal = handlers.refusal?.(action)
    if (refusal !== undefined) throw new KeelsonError([refusal])
  }
  const missing = missingHandlers(plan, handlers)
  if (missing.length > 0) fail('NO_HANDLER', `this process has no ${missing.map((name) => `'${name}'`).join(', ')}`)
}
