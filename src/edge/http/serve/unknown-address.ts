/** An address that no route has; one that exists for other methods says which. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeelsonError } from '../../../core/problems/problem.ts'
import type { BoundRoute } from './bound-route.ts'
import { refusal } from './framework-failures.ts'

export function unknownAddress(
  routes: readonly BoundRoute[],
): (request: FastifyRequest, reply: FastifyReply) => KeelsonError {
  const patterns = routes.map(({ contract }) => ({ method: contract.method, pattern: patternOf(contract.path) }))
  return (request, reply) => {
    const path = (request.raw.url ?? '/').split('?', 1)[0] ?? '/'
    const others = new Set(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))
    if (others.size === 0) return refusal('ROUTE_NOT_FOUND', 'there is nothing at this address')
    const allowed = [...others].join(', ')
    reply.header('allow', allowed)
    return refusal('METHOD_NOT_ALLOWED', `this address takes ${allowed}`)
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, '\\.').replaceAll(/\{[a-zA-Z0-9]+\}/g, '[^/]+')}$`)
}
