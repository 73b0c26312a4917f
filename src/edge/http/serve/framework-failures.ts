/** What the framework and the parser of HTTP refuse by themselves, in our words. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { LIMITS } from '../../../core/limits.ts'
import { KeelsonError, problem } from '../../../core/problems/problem.ts'
import type { ProblemCode } from '../../../core/problems/registry.ts'
import { failureOf, type Told } from '../wire/failure.ts'

const FRAMEWORK: Readonly<Record<string, readonly [code: ProblemCode, message: string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['MEDIA_TYPE_UNSUPPORTED', 'send the body as application/json'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['BODY_INVALID', 'the body is empty'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['HEADER_INVALID', 'Content-Length is not the length of the body'],
  FST_ERR_BAD_URL: ['ROUTE_NOT_FOUND', 'the address cannot be decoded'],
  FST_ERR_ASYNC_CONSTRAINT: ['ROUTE_NOT_FOUND', 'there is nothing at this address'],
  FST_ERR_MAX_PARAM_LENGTH: ['ROUTE_NOT_FOUND', 'a part of the address is too long'],
}

export function asProblem(thrown: unknown, request: FastifyRequest): unknown {
  if (thrown instanceof KeelsonError || !(thrown instanceof Error)) return thrown
  const { code } = thrown as NodeJS.ErrnoException
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request)
  // The caller went away in the middle of the body; nobody reads the answer.
  if (code === 'ECONNRESET' && !request.raw.complete) return refusal('BODY_INVALID', 'the body did not arrive whole')
  const [known, message] = told(FRAMEWORK, thrown) ?? []
  return known === undefined ? thrown : refusal(known, message ?? '')
}

/** How large it is, as far as the request says so (API-01). */
function bodyTooLarge({ headers, routeOptions }: FastifyRequest): KeelsonError {
  const limit = routeOptions.bodyLimit
  const said = Number(headers['content-length'])
  const actual = Number.isSafeInteger(said) && said > limit ? said : undefined
  const size = actual === undefined ? `more than ${limit} bytes` : `${actual} bytes`
  const isAsync = limit === LIMITS.asyncBodyBytes
  const message = `the body has ${size}; at most ${limit} are allowed${isAsync ? ' (mode async)' : ''}`
  const details = { ...(actual === undefined ? {} : { actual }), limit, ...(isAsync ? { mode: 'async' } : {}) }
  return new KeelsonError([problem('PAYLOAD_TOO_LARGE', message, { details })])
}

export function refusal(code: ProblemCode, message: string): KeelsonError {
  return new KeelsonError([problem(code, message)])
}

/** Of connections; everything else that the parser refuses is no HTTP that can be read in one way only. */
const PARSER: Readonly<Record<string, readonly [code: ProblemCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', `the headers have more than ${LIMITS.headerBytes} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TOO_SLOW', 'the request did not arrive in time'],
}

/** Answers on a connection whose request nobody could read, and closes it. */
export function refuseConnection(
  socket: Socket,
  thrown: Error,
  headers: Readonly<Record<string, string>>,
  id: Told,
): void {
  const [code, message] = told(PARSER, thrown) ?? ['HEADER_INVALID', 'the request is not HTTP that this server takes']
  const failure = failureOf(refusal(code, message), id, false)
  const body = JSON.stringify(failure.body)
  const all = {
    ...headers,
    ...failure.headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-correlation-id': id.correlationId,
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const first = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}\r\n`
  socket.end(`${first}${lines.join('')}\r\n${body}`, () => socket.destroy())
}

function told<T>(table: Readonly<Record<string, T>>, thrown: Error): T | undefined {
  const { code } = thrown as { readonly code?: unknown }
  return typeof code === 'string' && Object.hasOwn(table, code) ? table[code] : undefined
}
