/**
 * Publishes a plan for somebody recognised over the network. A plan may bring a schedule, and then publishing it starts runs: whoever
 * may not start any may not do so by a schedule either.
 */
import type { CompiledPlan } from '../../app/plans/compile.ts'
import type { Asking } from '../../app/signals/authorized-sender.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Keelson } from '../keelson/keelson.ts'

/** `check`: only whether it could be. */
export async function publishFor(
  keelson: Keelson,
  { caller, authorizer }: Asking,
  compiled: CompiledPlan,
  { check, correlationId }: { readonly check: boolean; readonly correlationId: string },
): Promise<void> {
  if (compiled.plan.schedule !== undefined) {
    const { actorId: userId, roles, tenantId } = caller
    const asked = { actor: { userId, roles }, tenantId, action: 'RUN_START', correlationId } as const
    const verdict = await authorizer.evaluate(asked)
    if (!verdict.allowed)
      fail('AUTHZ_DENIED', `${userId} may not publish a plan with a schedule: it starts runs, and needs RUN_START`, {
        details: { action: 'RUN_START', policyDecisionId: verdict.policyDecisionId },
      })
  }
  if (!check) await keelson.publish(compiled)
}
