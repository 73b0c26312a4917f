/**
 * Who forks does what `RETRY_RUN` does and more: a new run goes on from the results of an ended one. So whoever may not send that signal,
 * or may send it only with a second person (AUT-04, AUT-05), does not fork either.
 */
import type { Asking } from '../../app/signals/authorized-sender.ts'
import { fail } from '../../core/problems/problem.ts'

export async function needForkRight(
  { caller, authorizer }: Asking,
  runId: string,
  correlationId: string,
): Promise<void> {
  const { actorId: userId, roles, tenantId } = caller
  const { allowed, reason, requiresApproval, policyDecisionId } = await authorizer.evaluate({
    actor: { userId, roles },
    tenantId,
    action: 'SIGNAL_SEND',
    resource: runId,
    correlationId,
    signal: { type: 'RETRY_RUN', payload: {} },
  })
  const details = { action: 'RETRY_RUN', policyDecisionId }
  if (!allowed)
    fail(
      'AUTHZ_DENIED',
      `${userId} may not fork a run, which needs the right to RETRY_RUN: ${reason ?? 'it is denied'}`,
      {
        details,
      },
    )
  if (requiresApproval === true)
    fail('AUTHZ_DENIED', 'RETRY_RUN needs a second person here, whom a fork would leave out: send the signal', {
      details,
    })
}
