/**
 * Pages of other origins: they may change nothing here, whatever the browser sends along, and read nothing, unless their origin is
 * configured. Then they are answered as CORS asks, always without cookies.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../../core/problems/problem.ts'

const ASKED = 'authorization, content-type, idempotency-key, if-none-match, last-event-id, prefer, x-correlation-id'
const SHOWN = 'etag, location, retry-after, www-authenticate, x-correlation-id'
const PREFLIGHT_S = '600'

/** True when the request was a question of the browser, and is answered. */
export function answerOrigin(request: FastifyRequest, reply: FastifyReply, origins: ReadonlySet<string>): boolean {
  if (origins.size === 0) return false
  // Also without an origin: a cache must not give this answer to a page.
  reply.header('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined || !origins.has(origin)) return false
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': SHOWN,
    'cross-origin-resource-policy': 'cross-origin',
  })
  const asked = request.headers['access-control-request-method']
  if (request.method !== 'OPTIONS' || asked === undefined) return false
  reply.headers({
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': ASKED,
    'access-control-max-age': PREFLIGHT_S,
  })
  void reply.code(204).send()
  return true
}

/** `own`: the server's address as browsers know it, where that is configured. */
export function needKnownOrigin(request: FastifyRequest, origins: ReadonlySet<string>, own: string | undefined): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && origins.has(origin)) return
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none'
  if (!isOwnSite || (origin !== undefined && !isOwn(request, origin, own)))
    fail('ORIGIN_REFUSED', 'a page of another origin cannot change anything here')
}

/**
 * A browser sends its cookies whatever page made it ask, so who is known by a cookie alone changes something only from a page of this
 * server: the browser must say so. Configured origins do not count; they ask without cookies.
 */
export function needOwnPage(request: FastifyRequest, own: string | undefined): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isSaid = origin !== undefined || site !== undefined
  const isOwnSite = site === undefined || site === 'same-origin'
  if (!isSaid || !isOwnSite || (origin !== undefined && !isOwn(request, origin, own)))
    fail('ORIGIN_REFUSED', 'with the session of a browser only a page of this server can change anything')
}

function isOwn(request: FastifyRequest, origin: string, own: string | undefined): boolean {
  return origin === own || origin === ownOrigin(request)
}

function ownOrigin({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}`
}
