/**
 * `http` steps: the request is built from the mapped fields and sent through the one door; the answer becomes the
 * output. Any answer but a success is an error with its status, so that the one table of classes decides (CAN-14).
 */
import { placeOfFault, readJsonText } from '../../core/json/read-json-text.ts'
import { utf8Fault } from '../../core/json/utf8-fault.ts'
import type { HttpAction, Json } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Egress, InboundAnswer, OutboundRequest } from '../../ports/egress.ts'
import type { ActionCall, StepSecrets, TextMask } from '../../ports/step-handlers.ts'
import { asText, isEmptyInput } from './mapped-text.ts'

/** An answer other than a success. In the table a name wins over a status, so this name is not in it. */
class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError'
  readonly code: string
  readonly statusCode: number

  constructor(message: string, statusCode: number) {
    super(message)
    this.statusCode = statusCode
    this.code = `HTTP_${statusCode}`
  }
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])
const TOLD_BODY_CHARS = 500

export async function callHttp(egress: Egress, { http }: HttpAction, call: ActionCall): Promise<unknown> {
  const request = requestOf(http, call)
  const answer = await egress.send(request, call.context.signal)
  if (answer.status < 200 || answer.status > 299) throw statusError(request.method, answer, call.mask)
  return outputOf(http, request.method, answer)
}

function requestOf(http: HttpAction['http'], { input, context, onlyHosts }: ActionCall): OutboundRequest {
  const { method } = http
  const body = http.body ?? (BODILESS.has(method) || isEmptyInput(input) ? undefined : (input as Json))
  const defaults: Record<string, string> = {
    ...(http.expect === 'json' ? { accept: 'application/json' } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    'idempotency-key': context.idempotencyKey,
    'x-correlation-id': headerText(context.execution.correlationId),
  }
  const written = Object.entries(http.headers ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [[name.toLowerCase(), asText(value, `the header '${name}'`)] as const],
  )
  return {
    url: withQuery(asText(http.url, 'the url'), http.query),
    method,
    headers: { ...defaults, ...Object.fromEntries(written), ...secretHeaders(context.secrets) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(onlyHosts === undefined ? {} : { only: onlyHosts }),
  }
}

/** A correlation id may be any text; a header allows fewer characters. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text)
}

/** Each secret becomes the header of its name. */
function secretHeaders(secrets: StepSecrets): Readonly<Record<string, string>> {
  const names = Object.getOwnPropertyNames(secrets)
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), secrets[name] ?? '']))
}

/** A list repeats the parameter; null omits it. */
function withQuery(text: string, query: HttpAction['http']['query']): string {
  if (query === undefined || !URL.canParse(text)) return text
  const url = new URL(text)
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as readonly Json[]) : [value])
      if (one !== null) url.searchParams.append(name, asText(one, `the parameter '${name}'`))
  }
  return url.href
}

/** The query may hold private values that do not belong in a log, so an error names the address without it. */
function placeOf({ url }: InboundAnswer): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function statusError(method: string, answer: InboundAnswer, mask: TextMask | undefined): HttpStatusError {
  const { status, headers } = answer
  const wait = headers['retry-after'] === undefined ? '' : ` (retry after ${headers['retry-after']})`
  const body = new TextDecoder().decode(answer.body).trim()
  const seen = body.slice(0, TOLD_BODY_CHARS + (mask?.reachChars ?? 0))
  const text = mask === undefined ? seen : mask.part(seen, 0, TOLD_BODY_CHARS)
  const told = text === '' ? '' : `: ${text}`
  return new HttpStatusError(`${method} ${placeOf(answer)} answered ${status}${wait}${told}`, status)
}

function outputOf({ expect, bigints }: HttpAction['http'], method: string, answer: InboundAnswer): unknown {
  if (expect === 'none' || method === 'HEAD' || answer.status === 204 || answer.status === 205) return null
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    fail('RESPONSE_INVALID', `${placeOf(answer)} answered in '${encoding}', which was not asked for`)
  return expect === 'text' ? decoded(answer) : parsed(answer, bigints)
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i
const UTF8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii'])

/**
 * Text in another charset than UTF-8 would be decoded wrongly, unless it uses only characters that nearly all charsets
 * share.
 */
function decoded(answer: InboundAnswer): string {
  const { body, headers } = answer
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  if (!UTF8.has(charset) && (/^utf-?(?:16|32)/.test(charset) || body.some((byte) => byte >= 0x80)))
    fail('RESPONSE_INVALID', `${placeOf(answer)} answered in the charset '${charset}'; only UTF-8 is read`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    const { message, line, column } = utf8Fault(body)
    return fail(
      'RESPONSE_INVALID',
      `${placeOf(answer)} did not answer with UTF-8 text: ${message} (line ${line}, column ${column})`,
    )
  }
}

function parsed(answer: InboundAnswer, bigints: 'text' | undefined): unknown {
  const reading = readJsonText(decoded(answer), bigints === undefined ? {} : { bigints })
  if (reading.ok) return reading.value
  const { fault } = reading
  if (fault.kind === 'loss')
    return fail(
      'RESPONSE_INVALID',
      `the answer of ${placeOf(answer)} cannot be kept as it is: ${fault.message} (${placeOfFault(fault)})`,
      { hint: '`bigints: text` keeps such whole numbers as text, `expect: text` the whole answer' },
    )
  const type = answer.headers['content-type'] ?? 'no content-type'
  return fail(
    'RESPONSE_INVALID',
    `${placeOf(answer)} promised JSON and answered ${answer.status} with ${type}: ${fault.message} (${placeOfFault(fault)})`,
  )
}
