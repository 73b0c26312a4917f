/**
 * Names a plan calls that a process has no handler for: of its steps, of what undoes them and of their fallbacks. A
 * process takes only runs it can carry through (DESIGN §9).
 */
import type { Plan } from '../core/plan/plan.ts'
import type { StepHandlers } from '../ports/step-handlers.ts'

export function missingHandlers(plan: Plan, handlers: Pick<StepHandlers, 'missing'>): readonly string[] {
  const actions = plan.steps.flatMap((step) => [step, step.compensate ?? [], step.fallback ?? []].flat())
  return [...new Set(actions.flatMap((action) => handlers.missing(action)))]
}
