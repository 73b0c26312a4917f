/** An address that no route has; one that exists for other methods says which. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Contract } from '../../../core/api/contract.ts'
import type { KeelsonError } from '../../../core/problems/problem.ts'
import type { BoundRoute } from './bound-route.ts'
import { refusal } from './framework-failures.ts'

export function unknownAddress(
  routes: readonly BoundRoute[],
): (request: FastifyRequest, reply: FastifyReply) => KeelsonError {
  const patterns = routes.map(({ contract: { method, path } }) => ({ method, path, pattern: patternOf(path) }))
  return (request, reply) => {
    const address = (request.raw.url ?? '/').split('?', 1)[0] ?? '/'
    const fitting = patterns.filter(({ pattern }) => pattern.test(address))
    const meant = fitting.toSorted((one, other) => namesIn(one.path) - namesIn(other.path))[0]?.path
    if (meant === undefined) return refusal('ROUTE_NOT_FOUND', 'there is nothing at this address')
    const allowed = fitting.flatMap(({ method, path }) => (path === meant ? [method] : [])).join(', ')
    reply.header('allow', allowed)
    return refusal('METHOD_NOT_ALLOWED', `this address takes ${allowed}`)
  }
}

/**
 * A word of an address is never a name: `GET /v1/operations/preview` asks for no operation of that id. These are such addresses, with the
 * methods that only the address with the name has.
 */
export function wordsOverNames(
  routes: readonly BoundRoute[],
): readonly { readonly path: string; readonly methods: readonly Contract['method'][] }[] {
  const methodsAt = (path: string): readonly Contract['method'][] =>
    routes.flatMap(({ contract }) => (contract.path === path ? [contract.method] : []))
  const paths = [...new Set(routes.map(({ contract }) => contract.path))]
  return paths.flatMap((path) => {
    const named = paths.filter((other) => other !== path && hasNameFor(other, path))
    const own = methodsAt(path)
    const methods = new Set(named.flatMap(methodsAt).filter((method) => !own.includes(method)))
    return methods.size === 0 ? [] : [{ path, methods: [...methods] }]
  })
}

function hasNameFor(other: string, path: string): boolean {
  const [words, names] = [path.split('/'), other.split('/')]
  return words.length === names.length && names.every((name, at) => name.startsWith('{') || name === words[at])
}

function namesIn(path: string): number {
  return path.split('{').length
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, '\\.').replaceAll(/\{[a-zA-Z0-9]+\}/g, '[^/]+')}$`)
}
