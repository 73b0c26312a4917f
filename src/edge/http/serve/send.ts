/** How answers leave the server: JSON as bytes, tags, text as it comes, and failures in the one form (API-13). */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOfMachine } from '../../../core/problems/outside.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { isKnown, etagOf } from '../wire/etag.ts'
import { failureOf } from '../wire/failure.ts'
import type { Reply } from './bound-route.ts'
import { asProblem } from './framework-failures.ts'
import { correlationIdOf, headerOf } from './request-of.ts'
import type { World } from './world.ts'

const JSON_TYPE = 'application/json'

/** Nothing here is a page, a script or an image of another one; the headers say so on every answer. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export async function sendReply(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Reply,
): Promise<FastifyReply> {
  const { status = 200, headers = {}, cookies = [], body, tag, text } = answer
  reply.headers({ 'x-correlation-id': request.correlation, ...goodbye(world), ...headers })
  if (cookies.length > 0) reply.header('set-cookie', [...cookies])
  if (tag !== undefined) {
    const etag = etagOf(body, tag)
    reply.headers({ etag, 'cache-control': 'max-age=0, must-revalidate' })
    if (status === 200 && request.method === 'GET' && isKnown(headerOf(request)('if-none-match'), etag))
      return reply.code(304).send()
  } else if (headers['cache-control'] === undefined) reply.header('cache-control', 'no-store')
  if (text !== undefined) return sendText(reply, status, text, (thrown) => world.tell(thrown, request.correlation))
  if (body === undefined) return reply.code(status).send()
  return sendJson(reply, status, JSON_TYPE, body)
}

export function sendFailure(world: World, request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const correlationId = request.correlation === '' ? correlationIdOf(request, world.uuid) : request.correlation
  const known = asProblem(thrown, request)
  // Whose message does not leave the process is in its log.
  if (!(known instanceof KeelsonError) || known.problems.some(({ code }) => isOfMachine(code)))
    world.tell(thrown, correlationId)
  world.metrics.failed(known)
  const asProblemJson = (request.headers.accept ?? '').includes('application/problem+json')
  const told = { timestamp: isoFromMs(world.now()), correlationId }
  const { status, headers, body } = failureOf(known, told, asProblemJson)
  // The framework closes the connection under a body that is too large. Who still sends it would find it broken, and not read why: the rest
  // is taken and thrown away, for as long as a request may take.
  reply.removeHeader('connection')
  reply.headers({ 'x-correlation-id': correlationId, 'cache-control': 'no-store', ...goodbye(world), ...headers })
  return sendJson(reply, status, asProblemJson ? 'application/problem+json' : JSON_TYPE, body)
}

/** A server that stops keeps no connection: the next request is for another one. */
function goodbye({ stopping }: World): Readonly<Record<string, string>> {
  return stopping.aborted ? { connection: 'close' } : {}
}

/**
 * Head and body as one text are one write. The framework would write twice, and add a charset, which JSON does not have (API-03). The head
 * says how long the text is, so that a part of it is not taken for the whole. The text is made first: whoever has taken the answer over
 * from the framework has to end it, and a body without a JSON form would be waited for without end.
 */
function sendJson(reply: FastifyReply, status: number, type: string, body: unknown): FastifyReply {
  const text = JSON.stringify(body)
  reply.code(status).headers({ 'content-type': type, 'content-length': Buffer.byteLength(text) })
  const { raw } = reply.hijack()
  raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders).end(text)
  return reply
}

/**
 * Piece by piece, the next one when the last was taken. Streams stay open for hours: nothing but the source stands between it and
 * the socket. What fails before the first piece is refused as usual; later the connection is cut, so that nobody
 * takes a part for the whole.
 */
async function sendText(
  reply: FastifyReply,
  status: number,
  { type, chunks }: NonNullable<Reply['text']>,
  tell: (thrown: unknown) => void,
): Promise<FastifyReply> {
  const source = chunks[Symbol.asyncIterator]()
  const first = await source.next()
  const { raw } = reply.code(status).type(type).hijack()
  raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders)
  void write(raw, source, first).catch((thrown: unknown) => {
    tell(thrown)
    raw.destroy()
  })
  return reply
}

type Piece = string | Uint8Array

async function write(raw: ServerResponse, source: AsyncIterator<Piece>, first: IteratorResult<Piece>): Promise<void> {
  for (let next = first; next.done !== true; next = await source.next()) {
    if (!raw.write(next.value)) await taken(raw)
    if (!raw.destroyed) continue
    await source.return?.()
    return
  }
  raw.end()
}

/** Or the reader has gone. */
function taken(raw: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = (): void => {
    raw.off('drain', done).off('close', done)
    resolve()
  }
  if (raw.destroyed) resolve()
  else raw.on('drain', done).on('close', done)
  return promise
}
