/** The default authorizer: the tables of roles, and nothing that they do not name (AUT-05, AUT-13, AUT-14). */
import { isGranted } from '../../core/authority/actions.ts'
import { isSignalType } from '../../core/run/signals/catalogue.ts'
import { sufficientRole } from '../../core/run/signals/roles.ts'
import type { AuthorizationRequest, Authorizer } from '../../ports/authorizer.ts'
import type { Random } from '../../ports/random.ts'

export function roleRules(random: Pick<Random, 'uuid'>): Authorizer {
  return {
    evaluate: (request) => {
      const reason = refusalOf(request)
      return {
        allowed: reason === undefined,
        policyDecisionId: random.uuid(),
        ...(reason === undefined ? {} : { reason }),
      }
    },
  }
}

function refusalOf({ actor, action, signal }: AuthorizationRequest): string | undefined {
  if (!isGranted(action, actor.roles)) return `${action} needs a role that ${actor.userId} does not have`
  if (signal === undefined) return undefined
  const has = isSignalType(signal.type) && sufficientRole(signal.type, actor.roles) !== undefined
  return has ? undefined : `${signal.type} needs a role that ${actor.userId} does not have`
}
