/** The default authorizer: the tables of roles, and nothing that they do not name (AUT-05, AUT-13, AUT-14). */
import { isGranted, rolesWith } from '../../core/authority/actions.ts'
import { lackedRole } from '../../core/authority/lacked-role.ts'
import { isSignalType } from '../../core/run/signals/catalogue.ts'
import { rolesFor, sufficientRole } from '../../core/run/signals/roles.ts'
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

function refusalOf({ actor: { userId, roles }, action, signal }: AuthorizationRequest): string | undefined {
  if (!isGranted(action, roles)) return lackedRole(action, rolesWith(action), userId)
  if (signal === undefined) return undefined
  const { type } = signal
  if (!isSignalType(type)) return lackedRole(type, [], userId)
  return sufficientRole(type, roles) === undefined ? lackedRole(type, rolesFor(type), userId) : undefined
}
