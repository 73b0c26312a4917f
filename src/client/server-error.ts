/**
 * What a server refused, as the error that the library throws for the same: code, message, hint and problems are those of the server.
 * A code that this version does not know is told in the message, under SERVER_REFUSED.
 */
import { KeelsonError, problem, type Problem, type Problems } from '../core/problems/problem.ts'
import { isProblemCode } from '../core/problems/registry.ts'

export interface Refusal {
  /** Of HTTP. */
  readonly status: number
  /** The code as the server wrote it, whether this version knows it or not. */
  readonly serverCode: string
  /** What the log of the server has the request under. */
  readonly correlationId?: string
  /** When it may be tried again, as the server says. */
  readonly retryAfterSeconds?: number
}

export class ServerError extends KeelsonError implements Refusal {
  readonly status: number
  readonly serverCode: string
  readonly correlationId?: string
  readonly retryAfterSeconds?: number

  constructor(problems: Problems, refusal: Refusal) {
    super(problems)
    this.status = refusal.status
    this.serverCode = refusal.serverCode
    if (refusal.correlationId !== undefined) this.correlationId = refusal.correlationId
    if (refusal.retryAfterSeconds !== undefined) this.retryAfterSeconds = refusal.retryAfterSeconds
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Undefined: the body is not the error of a Keelson server (API-13). */
export function serverErrorOf(body: unknown, status: number, headers: Headers): ServerError | undefined {
  const error = fieldsOf(fieldsOf(body)?.['error'])
  const code = error?.['code']
  if (error === undefined || typeof code !== 'string') return undefined
  const first = problemOf(error)
  const [, ...others] = Array.isArray(error['problems'])
    ? error['problems'].map((one) => problemOf(fieldsOf(one) ?? {}))
    : []
  const [placed] = Array.isArray(error['problems']) ? (error['problems'] as readonly unknown[]) : []
  const correlationId = fieldsOf(body)?.['correlationId']
  const seconds = retryAfterSeconds(headers)
  return new ServerError([{ ...placeOf(fieldsOf(placed)), ...first }, ...others], {
    status,
    serverCode: code,
    ...(typeof correlationId === 'string' ? { correlationId } : {}),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  })
}

/** In whole seconds; a date is not what a Keelson server sends. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined
}

function problemOf(found: Fields): Problem {
  const { code, message, hint, retryable, details } = found
  const text = typeof message === 'string' ? message : ''
  const extras = {
    ...placeOf(found),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(fieldsOf(details) === undefined ? {} : { details: fieldsOf(details) as Fields }),
  }
  if (typeof code === 'string' && isProblemCode(code)) return problem(code, text, extras)
  const told = problem('SERVER_REFUSED', `${String(code)}: ${text}`, extras)
  return typeof retryable === 'boolean' ? { ...told, retryable } : told
}

/** Where in the text or document that was sent. */
function placeOf(found: Fields | undefined): Pick<Problem, 'at' | 'pointer'> {
  const at = fieldsOf(found?.['at'])
  const pointer = found?.['pointer']
  return {
    ...(typeof at?.['line'] === 'number' && typeof at['column'] === 'number' ? { at: at as never } : {}),
    ...(typeof pointer === 'string' ? { pointer } : {}),
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}
