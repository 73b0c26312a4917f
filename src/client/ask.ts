/**
 * One request and its answer. What may be sent twice without doing more (reading, and starting under an idempotency key) is sent
 * again while the server is busy; everything else is sent once.
 */
import type { Contract } from '../core/api/contract.ts'
import { readJsonText } from '../core/json/read-json-text.ts'
import { LIMITS } from '../core/limits.ts'
import { fail } from '../core/problems/problem.ts'
import { unlikeAnswer } from './answer-shape.ts'
import type { Connection } from './connection.ts'
import { addressOf, type AnyGiven } from './request.ts'
import { retryAfterSeconds, serverErrorOf } from './server-error.ts'

export interface Answer<T = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** The answer as JSON, or as text where the route gives text. */
export async function ask(connection: Connection, contract: Contract, given: AnyGiven = {}): Promise<Answer> {
  const response = await respond(connection, contract, given)
  const { status, headers } = response
  if (status === 304) return { status, headers, body: undefined }
  const text = await textOf(connection, response, given.signal)
  if (!isJson(headers)) return { status, headers, body: text }
  const body = jsonOf(connection, text)
  const shape = contract.answers[status]?.body
  const unlike = shape === undefined ? undefined : unlikeAnswer(shape, body)
  if (unlike !== undefined) return notKeelson(connection, unlike)
  return { status, headers, body }
}

/** A response of success whose body was not read yet; a refusal is thrown. */
export async function respond(connection: Connection, contract: Contract, given: AnyGiven): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await sendOnce(connection, contract, given)
    const waitMs = patienceFor(contract, given, response, tries)
    if (waitMs === undefined) return accepted(connection, contract, response, given.signal)
    await response.body?.cancel()
    await connection.sleep(waitMs, given.signal)
  }
}

/** How long to wait before the request is sent again; undefined: it is not. */
function patienceFor(
  contract: Contract,
  given: AnyGiven,
  { status, headers }: Response,
  tries: number,
): number | undefined {
  const isBusy = status === 429 || status === 503
  if (!isBusy || !mayRepeat(contract, given) || tries >= LIMITS.clientTries) return undefined
  const seconds = retryAfterSeconds(headers)
  return seconds === undefined || seconds * 1_000 > LIMITS.clientPatienceMs ? undefined : seconds * 1_000
}

function mayRepeat({ method }: Contract, { headers = {} }: AnyGiven): boolean {
  return method === 'GET' || Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key')
}

async function sendOnce(connection: Connection, contract: Contract, given: AnyGiven): Promise<Response> {
  const { method } = contract
  const { body, headers = {}, signal } = given
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), LIMITS.clientAnswerMs)
  const url = `${connection.base}${addressOf(contract, given)}`
  const own = await connection.headers()
  try {
    return await connection.fetch(url, {
      method,
      // A redirect would carry who asks to an address that nobody named.
      redirect: 'manual',
      headers: {
        accept: acceptOf(contract),
        ...own,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch (thrown) {
    signal?.throwIfAborted()
    const why = late.signal.aborted ? `no answer within ${LIMITS.clientAnswerMs / 1_000} s` : causeOf(thrown)
    return unreachable(connection, contract, why)
  } finally {
    clearTimeout(timer)
  }
}

function acceptOf({ answers }: Contract): string {
  return [
    ...new Set([...Object.values(answers).map(({ type = 'application/json' }) => type), 'application/json']),
  ].join(', ')
}

function unreachable({ base }: Connection, { method }: Pick<Contract, 'method'>, why: string): never {
  const doubt = method === 'GET' ? '' : '; whether the request was carried out is not known'
  return fail('SERVER_UNREACHABLE', `${base} does not answer: ${why}${doubt}`)
}

/** The platform says "fetch failed"; why is in its cause, or in the first of several. */
function causeOf(thrown: unknown): string {
  const cause = (thrown as { readonly cause?: unknown }).cause ?? thrown
  const inner = (cause as { readonly errors?: readonly unknown[] }).errors?.[0] ?? cause
  const message = inner instanceof Error ? inner.message : String(inner)
  return message === '' ? 'the connection failed' : message
}

/** What a proxy says in the place of a server that is being started again, for example. */
const OF_PROXIES: ReadonlySet<number> = new Set([502, 503, 504])

async function accepted(
  connection: Connection,
  contract: Contract,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { status, headers } = response
  if (status === 304) return response
  const known = contract.answers[status]
  const isRead = known !== undefined && status < 400
  const type = known?.type ?? 'application/json'
  if (isRead && typeOf(headers) === typeOf(new Headers({ 'content-type': type }))) return response
  const text = await textOf(connection, response, signal)
  const refused = isJson(headers) ? serverErrorOf(jsonOf(connection, text), status, headers) : undefined
  if (refused === undefined && OF_PROXIES.has(status))
    return unreachable(connection, contract, `a proxy before it answers ${status}`)
  throw refused ?? notKeelson(connection, `it answers ${status} with ${typeOf(headers) || 'no type'}`)
}

async function textOf(connection: Connection, response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text()
  } catch (thrown) {
    signal?.throwIfAborted()
    return unreachable(connection, { method: 'GET' }, `the answer broke off: ${causeOf(thrown)}`)
  }
}

function jsonOf(connection: Connection, text: string): unknown {
  const read = readJsonText(text)
  return read.ok ? read.value : notKeelson(connection, `its JSON cannot be read: ${read.fault.message}`)
}

function notKeelson({ base }: Connection, why: string): never {
  return fail('SERVER_NOT_KEELSON', `${base} is not a Keelson server: ${why}`)
}

function typeOf(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function isJson(headers: Headers): boolean {
  return /^application\/(?:[a-z.]+\+)?json$/.test(typeOf(headers))
}
