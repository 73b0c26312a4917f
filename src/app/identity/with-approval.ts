/** An authorizer that lets chosen signals through only once a second person has accepted them (AUT-04). */
import type { Authorizer } from '../../ports/authorizer.ts'

export function withApproval(authorizer: Authorizer, signalTypes: readonly string[]): Authorizer {
  const chosen = new Set(signalTypes)
  return {
    evaluate: async (request) => {
      const verdict = await authorizer.evaluate(request)
      const isChosen = request.signal !== undefined && chosen.has(request.signal.type)
      return verdict.allowed && isChosen ? { ...verdict, requiresApproval: true } : verdict
    },
  }
}
