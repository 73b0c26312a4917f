/** One request of the wire, read for its route: who asks, may they, what do they ask. In this order, so that nobody learns from a later check. */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../../app/identity/caller.ts'
import type { Contract } from '../../../core/api/contract.ts'
import type { Action } from '../../../core/authority/actions.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { ACT_AS } from '../who/who-asks.ts'
import { checked, readBody, readQuery } from '../wire/read-request.ts'
import type { Asked } from './bound-route.ts'
import type { World } from './world.ts'

const WITH_PORT = /^(?:\[[^\]]*\]|[^:]*)(?::[0-9]{1,5})?$/
const CORRELATION = /^[A-Za-z0-9._:@/+-]{1,255}$/

/** The id that ties a request, its log lines and its runs together; the caller's own where it has the form of one. */
export function correlationIdOf(request: FastifyRequest, uuid: () => string): string {
  const given = request.headers['x-correlation-id']
  return typeof given === 'string' && CORRELATION.test(given) ? given : uuid()
}

/** Names in `Host` that are not this server's are refused: a web page could have had its own name lead here (DNS rebinding). */
export function needHost(request: FastifyRequest, hosts: ReadonlySet<string>): void {
  const name = request.hostname.toLowerCase()
  // What stands behind the name is a port or nothing: a list of names would be another's to choose from.
  if (!hosts.has(name) || !WITH_PORT.test(request.host))
    fail('HOST_REFUSED', `this server does not answer for '${name.slice(0, 100)}'`)
}

/** Who asks; nobody is not answered. */
export async function callerOf(request: FastifyRequest, world: World): Promise<Caller> {
  const header = headerOf(request)
  const actsAs = header(ACT_AS) !== undefined
  if (actsAs && !world.dev) fail('HEADER_INVALID', `${ACT_AS} is for development: keelson dev`)
  const caller = await world.who({ header, sourceIp: request.ip })
  if (caller === undefined) return fail('NOT_AUTHENTICATED', 'the request does not say who asks')
  if (actsAs && caller.kind !== 'local') fail('HEADER_INVALID', `${ACT_AS} is for the local user alone`)
  return caller
}

export async function needRight(
  caller: Caller,
  action: Action,
  { door }: World,
  { correlation: correlationId, params }: Pick<FastifyRequest, 'correlation' | 'params'>,
): Promise<void> {
  const { actorId: userId, roles, tenantId } = caller
  const { executionId = '' } = params as { readonly executionId?: string }
  // The shape of an address is checked later. What is too long for an id is none: a denial would keep it, and from the audit log nothing is erased.
  const isId = executionId !== '' && executionId.length <= LIMITS.runIdChars
  const about = { correlationId, ...(isId ? { resource: executionId } : {}) }
  const verdict = await door.evaluate({ actor: { userId, roles }, tenantId, action, ...about })
  if (!verdict.allowed)
    fail('AUTHZ_DENIED', verdict.reason ?? `${userId} may not do this (${action})`, {
      details: { action, policyDecisionId: verdict.policyDecisionId },
    })
}

/** The parts of the request, each checked against its shape. */
export function partsOf(
  request: FastifyRequest,
  { access, params, query, body }: Contract,
): Pick<Asked, 'params' | 'query' | 'body' | 'bodyBytes'> {
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array()
  const target = request.raw.url ?? '/'
  const asked = target.indexOf('?')
  const search = new URLSearchParams(asked === -1 ? '' : target.slice(asked + 1))
  if (body === undefined && bytes.length > 0) fail('BODY_INVALID', 'body: this request takes none')
  // Who signs has a secret: nothing is read before the handler has seen that the signature fits the bytes.
  const isRead = body !== undefined && access !== 'signature'
  return {
    params: (params === undefined ? undefined : checked(params, request.params, 'path')) as never,
    query: readQuery(query, search) as never,
    body: (isRead ? checked(body, bytes.length === 0 ? {} : readBody(bytes), 'body') : undefined) as never,
    bodyBytes: bytes,
  }
}

export function headerOf(request: FastifyRequest): (name: string) => string | undefined {
  return (name) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
}
