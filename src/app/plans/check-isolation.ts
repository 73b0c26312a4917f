/** A plan that wants functions run apart from this process is refused where that cannot be done, before anything starts. */
import type { Plan } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import type { StepHandlers } from '../../ports/step-handlers.ts'

export function checkIsolation(plan: Plan, handlers: Pick<StepHandlers, 'isolates'>): void {
  if (handlers.isolates === true) return
  const apart = plan.steps.find((step) => 'run' in step && step.isolation !== 'inline')
  if (apart === undefined) return
  fail('ISOLATION_UNAVAILABLE', `step '${apart.stepId}' wants ${apart.isolation} isolation, but no steps file is known`)
}
