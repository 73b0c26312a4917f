/**
 * The one table from what is known of an error to its class (ERR-11). The flag of the run's cancellation is checked first,
 * because a timeout aborts the same signal. Then each error of the cause chain is checked from the outside in, by name,
 * code and status in that order: what an error says itself comes before what its cause says.
 */
import type { ErrorClass, ErrorInfo } from '../../events/event.ts'
import { REGISTRY, isProblemCode } from '../../problems/registry.ts'

export interface ErrorFact {
  readonly name?: string
  readonly code?: string
  readonly status?: number
  /** The call of the operating system that failed, such as `connect`. */
  readonly syscall?: string
}

export interface ErrorFacts extends ErrorFact {
  readonly message: string
  /** The cause chain from the outside in. */
  readonly causes: readonly ErrorFact[]
  /** Why the attempt's signal was aborted, if it was: told by whoever aborted it, never guessed from the error. */
  readonly aborted?: 'cancel' | 'timeout'
}

export type ErrorClassification = Pick<ErrorInfo, 'errorClass' | 'retryable' | 'category' | 'failureCategory'>

/** Error names and error codes share one table: Node puts ECONNREFUSED in `code`, others in `name`. */
const BY_NAME: ReadonlyMap<string, ErrorClass> = new Map<string, ErrorClass>([
  ['TimeoutError', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['TIMEOUT', 'timeout'],
  ['TooManyRequests', 'rate_limit'],
  ['ServiceUnavailable', '5xx'],
  ['ECONNREFUSED', 'transport'],
  ['ENOTFOUND', 'transport'],
  ['NetworkError', 'transport'],
  ['ECONNRESET', 'transport'],
  ['ECONNABORTED', 'transport'],
  ['EPIPE', 'transport'],
  ['EAI_AGAIN', 'transport'],
  ['EAI_FAIL', 'transport'],
  ['EAI_NODATA', 'transport'],
  ['EHOSTDOWN', 'transport'],
  ['EHOSTUNREACH', 'transport'],
  ['ENETDOWN', 'transport'],
  ['ENETRESET', 'transport'],
  ['ENETUNREACH', 'transport'],
  ['ENOTCONN', 'transport'],
  ['ESOCKETTIMEDOUT', 'transport'],
  ['ERR_STREAM_PREMATURE_CLOSE', 'transport'],
  ['ValidationError', 'validation'],
  ['BadRequest', 'validation'],
  ['VALIDATION', 'validation'],
  ['AuthenticationError', 'auth_deny'],
  ['AuthorizationError', 'auth_deny'],
  ['PolicyDeniedError', 'policy_deny'],
  ['POLICY_DENIED', 'policy_deny'],
  ['EGRESS_REFUSED', 'policy_deny'],
  ['ConflictError', 'conflict'],
  ['NotFoundError', 'permanent'],
  ['CIRCUIT_OPEN', 'permanent'],
  ['RETRYABLE', 'unknown'],
  // An abort that this process did not ask for is still a cancellation by somebody: it is never retried (ERR-09).
  ['AbortError', 'permanent'],
  ['CANCELLED', 'permanent'],
])

type Categories = Pick<ErrorInfo, 'category' | 'failureCategory'>

const INFRASTRUCTURE: Categories = { category: 'infrastructure', failureCategory: 'SYSTEM' }
const BUSINESS: Categories = { category: 'business', failureCategory: 'USER' }

const CLASSES: Readonly<Record<ErrorClass, Categories & { readonly retryable: boolean }>> = {
  timeout: { retryable: true, category: 'timeout', failureCategory: 'TIMEOUT' },
  rate_limit: { retryable: true, ...INFRASTRUCTURE },
  '5xx': { retryable: true, ...INFRASTRUCTURE },
  transport: { retryable: true, ...INFRASTRUCTURE },
  unknown: { retryable: true },
  validation: { retryable: false, category: 'validation', failureCategory: 'USER' },
  auth_deny: { retryable: false, ...BUSINESS },
  policy_deny: { retryable: false, ...BUSINESS },
  conflict: { retryable: false, ...BUSINESS },
  permanent: { retryable: false, ...BUSINESS },
  cancelled: { retryable: false },
}

export function classifyError(facts: ErrorFacts): ErrorClassification {
  return describeClass(errorClassOf(facts))
}

/** What a class means: whether it may be repeated, and the categories the event schema knows. */
export function describeClass(errorClass: ErrorClass): ErrorClassification {
  return { errorClass, ...CLASSES[errorClass] }
}

function errorClassOf(facts: ErrorFacts): ErrorClass {
  if (facts.aborted === 'cancel') return 'cancelled'
  if (facts.aborted === 'timeout') return 'timeout'
  for (const fact of [facts, ...facts.causes]) {
    const found = classOfFact(fact)
    if (found !== undefined) return found
  }
  return 'unknown'
}

function classOfFact(fact: ErrorFact): ErrorClass | undefined {
  // A connection that the operating system gave up is a network error, not a time limit of ours.
  if (fact.code === 'ETIMEDOUT' && fact.syscall !== undefined) return 'transport'
  return (
    (fact.name === undefined ? undefined : BY_NAME.get(fact.name)) ??
    (fact.code === undefined ? undefined : (BY_NAME.get(fact.code) ?? classOfUndici(fact.code))) ??
    classOfOwnCode(fact) ??
    (fact.status === undefined ? undefined : classOfStatus(fact.status))
  )
}

/**
 * undici, and so `fetch`, gives the codes `UND_ERR_…` to errors of the connection. Not errors of the connection: a request that
 * was made wrongly, a request that its caller gave up, and an answer, which has a status.
 */
function classOfUndici(code: string): ErrorClass | undefined {
  if (!code.startsWith('UND_ERR_')) return undefined
  if (code === 'UND_ERR_ABORTED' || code === 'UND_ERR_ABORT') return 'permanent'
  return NOT_ON_THE_WAY.test(code) ? undefined : 'transport'
}

const NOT_ON_THE_WAY = /^UND_ERR_(INVALID_|NOT_SUPPORTED$|RESPONSE)/

/** The registry says of our own errors whether a retry can help. An equal code on somebody else's error says nothing. */
function classOfOwnCode(fact: ErrorFact): ErrorClass | undefined {
  const { code } = fact
  if (fact.name !== 'KeelsonError' || code === undefined || !isProblemCode(code)) return undefined
  // This error only says how another error reached us; its cause says what kind of error it is.
  if (code === 'STRAY_ERROR') return undefined
  if (code.startsWith('EXPR_') || code.endsWith('_INVALID')) return 'validation'
  return REGISTRY[code].retryable ? 'unknown' : 'permanent'
}

function classOfStatus(status: number): ErrorClass | undefined {
  if (status >= 500) return '5xx'
  if (status === 408) return 'timeout'
  if (status === 429) return 'rate_limit'
  if (status === 401 || status === 403) return 'auth_deny'
  if (status === 409) return 'conflict'
  if (status === 404) return 'permanent'
  return status >= 400 ? 'validation' : undefined
}
