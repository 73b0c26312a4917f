/**
 * Who is refused a request is told as a security alert (OBS-05): once a minute for each person and action, however often they try. A
 * refused signal to a run stands in its log, and is an alert of that log.
 */
import { BoundedCache } from '../../../app/schemas/bounded-cache.ts'
import { ALERTS, type Alert } from '../../../core/alerts/catalogue.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { AuthorizationRequest, Authorizer } from '../../../ports/authorizer.ts'

const KEPT = 10_000
const CODE = 'AUTHORIZATION_FAILED'

export function alertingAuthorizer(
  authorizer: Authorizer,
  { tell, now }: { readonly tell: (alert: Alert) => void; readonly now: () => number },
): Authorizer {
  const told = new BoundedCache<string, number>(KEPT)
  return {
    evaluate: async (request) => {
      const verdict = await authorizer.evaluate(request)
      const isInLog = request.signal !== undefined && request.resource !== undefined
      if (verdict.allowed || isInLog) return verdict
      const key = JSON.stringify([request.tenantId, request.actor.userId, request.action])
      const before = told.get(key)
      if (before === undefined || now() - before >= LIMITS.securityAlertMs) {
        told.set(key, now())
        tell(alertOf(request, verdict.policyDecisionId))
      }
      return verdict
    },
  }
}

function alertOf({ tenantId, actor, action, signal }: AuthorizationRequest, policyDecisionId: string): Alert {
  const what = signal === undefined ? action : `${action} ${signal.type}`
  return {
    alertId: `${policyDecisionId}:${CODE}`,
    code: CODE,
    priority: ALERTS[CODE].priority,
    tenantId,
    actorId: actor.userId,
    detail: `${actor.userId} was refused ${what}.`,
  }
}
