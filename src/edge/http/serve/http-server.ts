/**
 * The HTTP server: every route of the table, the files of the page, and nothing else. What a request needs before its handler is done here once, in one
 * order: form, host, origin, room for it, who asks, how often, may they, size, content. So no route can forget a part of it.
 */
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify'
import type { Caller } from '../../../app/identity/caller.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Contract } from '../../../core/api/contract.ts'
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { Asked, BoundRoute } from './bound-route.ts'
import { refuseConnection } from './framework-failures.ts'
import { answerOrigin, needKnownOrigin, needOwnPage } from '../defence/origins.ts'
import { needForm } from '../defence/request-form.ts'
import { addPage, sendNothingHere } from '../page/add-page.ts'
import type { PageFiles } from '../page/page-files.ts'
import { callerOf, correlationIdOf, headerOf, needHost, needRight, partsOf } from './request-of.ts'
import { SAFE_HEADERS, sendFailure, sendReply } from './send.ts'
import { unknownAddress, wordsOverNames } from './unknown-address.ts'
import type { World } from './world.ts'

export function httpServer(world: World, routes: readonly BoundRoute[], page?: PageFiles): FastifyInstance {
  const server = newServer(world)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const unknown = unknownAddress(routes)
  // Without a route nothing else of the framework's counts: not a method that it does not know, nor the type of the body.
  server.setErrorHandler((error, request, reply) => {
    const isUnknown = request.is404 && !(error instanceof KeelsonError)
    return sendFailure(world, request, reply, isUnknown ? unknown(request, reply) : error)
  })
  server.setNotFoundHandler((request, reply) => {
    const refused = unknown(request, reply)
    const shown = refused.code === 'ROUTE_NOT_FOUND' ? sendNothingHere(page, request, reply) : undefined
    return shown ?? sendFailure(world, request, reply, refused)
  })
  server.decorateRequest('correlation', '')
  server.decorateRequest('caller', undefined)
  server.decorateRequest('vouched', undefined)
  server.addHook('onRequest', async (request, reply) => receive(world, request, reply))
  server.addHook('onResponse', async (request, reply) => answered(world, request, reply))
  const refused = wordsOverNames(routes).map(({ path, methods }): RouteOptions => {
    const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
      throw unknown(request, reply)
    }
    // Before the body is looked at, as where there is no route at all.
    return { method: [...methods], url: urlOf(path), onRequest: refuse, handler: refuse }
  })
  for (const route of [...routes.map((one) => routeOf(world, one)), ...refused]) server.route(route)
  if (page !== undefined) addPage(server, page)
  return server
}

declare module 'fastify' {
  interface FastifyRequest {
    correlation: string
    /** Undefined until it is known, and on routes for anyone. */
    caller: Caller | undefined
    /** Called when a signature, or the issuer, has shown who sent it. */
    vouched: (() => void) | undefined
  }
}

function newServer(world: World): FastifyInstance {
  const { headersMs, requestMs, silentMs, slowLookMs, connections } = world.limits
  const server = Fastify({
    bodyLimit: LIMITS.asyncBodyBytes,
    requestTimeout: requestMs,
    connectionTimeout: silentMs,
    keepAliveTimeout: LIMITS.keepAliveMs,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    trustProxy: world.trustProxy.length === 0 ? false : [...world.trustProxy],
    routerOptions: { maxParamLength: LIMITS.urlChars },
    http: {
      maxHeaderSize: LIMITS.headerBytes,
      // Refused with the others of a wrong form, in the same words.
      requireHostHeader: false,
      headersTimeout: headersMs,
      connectionsCheckingInterval: slowLookMs,
    },
    // What comes before a route, such as a URL that cannot be decoded, is told in the same form.
    frameworkErrors: (error, request, reply) => {
      request.correlation = correlationIdOf(request, world.uuid)
      reply.headers(SAFE_HEADERS)
      sendFailure(world, request, reply, error)
    },
    clientErrorHandler: (error, socket) => refuseSocket(world, error, socket),
  })
  server.server.maxConnections = connections
  return server
}

function refuseSocket(world: World, error: Error, socket: Socket): void {
  if (!socket.writable || world.underWay.isAnswered(socket)) return void socket.destroy()
  const told = { timestamp: isoFromMs(world.now()), correlationId: world.uuid() }
  return refuseConnection(socket, error, SAFE_HEADERS, told)
}

/** For every address, also one that no route has. */
async function receive(world: World, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  world.underWay.add(reply.raw)
  request.correlation = correlationIdOf(request, world.uuid)
  reply.headers(SAFE_HEADERS)
  needForm(request)
  needHost(request, world.hosts)
  if (answerOrigin(request, reply, world.origins)) return reply
  needKnownOrigin(request, world.origins, world.login?.browser?.origin)
  return undefined
}

function answered(world: World, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime: ms } = reply
  const { method, caller, correlation: correlationId } = request
  const route = request.routeOptions.url ?? 'none'
  world.metrics.answered(route, status, ms)
  const who = caller === undefined ? {} : { tenantId: caller.tenantId, actorId: caller.actorId, kind: caller.kind }
  world.served({ method, route, status, ms, ...who, correlationId })
}

function routeOf(world: World, { contract, handle }: BoundRoute): RouteOptions {
  const { access } = contract
  return {
    method: contract.method,
    url: urlOf(contract.path),
    bodyLimit: access === 'anyone' || access === 'signature' ? LIMITS.strangerBodyBytes : LIMITS.asyncBodyBytes,
    onRequest: async (request) => {
      const own = world.login?.browser?.origin
      if (access === 'anyone') {
        // Nobody has to say who they are, so a browser has to say that the page is ours.
        if (contract.method !== 'GET') needOwnPage(request, own)
        // Else one stranger makes the server flood the issuer, and takes the room of all who log in.
        if (contract.asksIssuer === true) request.vouched = world.rates.takeUnknown(request.ip, 'logins')
        return
      }
      needRoom(world)
      if (access === 'signature') {
        request.vouched = world.rates.takeUnknown(request.ip, 'deliveries')
        return
      }
      const caller = await callerOf(request, world)
      request.caller = caller
      if (caller.session !== undefined && contract.method !== 'GET') needOwnPage(request, own)
      world.rates.take(caller)
      await needRight(caller, access, world, request)
    },
    handler: async (request, reply) => {
      const caller = await callerNow(world, request, reply, access)
      let gone: AbortSignal | undefined
      const leaving = (): AbortSignal => (gone ??= goneOf(world, request, reply))
      // A session may end at any time.
      if (caller?.session !== undefined) leaving()
      const asked: Asked = {
        // Routes for anyone do not look at who asks.
        caller: caller as never,
        keelson: (caller === undefined ? world.keelson : world.of(caller)) as never,
        world,
        ...partsOf(request, contract),
        header: headerOf(request),
        correlationId: request.correlation,
        // Few ask, and one for each request would be felt.
        get gone() {
          return leaving()
        },
      }
      const answer = await vouchedBy(request, () => handle(asked))
      return sendReply(world, request, reply, answer)
    },
  }
}

/** Whoever keeps the last byte of a body back could act for as long as that goes on after their key was revoked: they are found again. */
async function callerNow(
  world: World,
  request: FastifyRequest,
  { elapsedTime }: FastifyReply,
  access: Contract['access'],
): Promise<Caller | undefined> {
  const { caller } = request
  if (caller === undefined || access === 'anyone' || access === 'signature') return caller
  if (elapsedTime <= world.limits.slowBodyMs) return caller
  const now = await callerOf(request, world)
  await needRight(now, access, world, request)
  return (request.caller = now)
}

const IN_VAIN: ReadonlySet<string> = new Set(['NOT_AUTHENTICATED', 'LOGIN_FAILED'])

/** What is genuine does not count against the address it came from. */
async function vouchedBy<T>({ vouched }: FastifyRequest, answer: () => Promise<T> | T): Promise<T> {
  try {
    const given = await answer()
    vouched?.()
    return given
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError) || !IN_VAIN.has(thrown.code)) vouched?.()
    throw thrown
  }
}

/** Aborted when the reader has left, or when the session ends that the reader was known by. */
function goneOf({ login }: World, { caller }: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const { session } = caller ?? {}
  const forget = session === undefined ? undefined : login?.browser?.onEnd(session, () => gone.abort())
  const close = (): void => {
    forget?.()
    if (!raw.writableFinished) gone.abort()
  }
  if (raw.closed) close()
  else raw.once('close', close)
  return gone.signal
}

/** As the router writes names: `/v1/executions/:executionId`. */
function urlOf(path: string): string {
  return path.replaceAll(/\{([a-zA-Z0-9]+)\}/g, ':$1')
}

function needRoom({ stopping, pressure }: World): void {
  if (stopping.aborted) fail('SERVER_BUSY', 'the server is stopping')
  if (pressure.why !== undefined) fail('SERVER_BUSY', `the server has no room for the request: ${pressure.why}`)
}
