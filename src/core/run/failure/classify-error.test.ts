import { describe, expect, it } from 'vitest'
import type { ErrorClass } from '../../events/event.ts'
import { classifyError, type ErrorFact, type ErrorFacts } from './classify-error.ts'
import { retryDecision } from './retry.ts'

const facts = (fact: ErrorFact, extra: Partial<ErrorFacts> = {}): ErrorFacts => ({
  message: 'x',
  causes: [],
  ...fact,
  ...extra,
})
const classOf = (fact: ErrorFact, extra: Partial<ErrorFacts> = {}): ErrorClass =>
  classifyError(facts(fact, extra)).errorClass

const NAMES: readonly (readonly [string, ErrorClass])[] = [
  ['TimeoutError', 'timeout'],
  ['ETIMEDOUT', 'timeout'],
  ['TooManyRequests', 'rate_limit'],
  ['ServiceUnavailable', '5xx'],
  ['ECONNREFUSED', 'transport'],
  ['ENOTFOUND', 'transport'],
  ['NetworkError', 'transport'],
  ['ECONNRESET', 'transport'],
  ['ECONNABORTED', 'transport'],
  ['EPIPE', 'transport'],
  ['EAI_AGAIN', 'transport'],
  ['EHOSTUNREACH', 'transport'],
  ['ENETUNREACH', 'transport'],
  ['ENETDOWN', 'transport'],
  ['ValidationError', 'validation'],
  ['BadRequest', 'validation'],
  ['AuthenticationError', 'auth_deny'],
  ['AuthorizationError', 'auth_deny'],
  ['PolicyDeniedError', 'policy_deny'],
  ['ConflictError', 'conflict'],
  ['NotFoundError', 'permanent'],
]
const STATUSES: readonly (readonly [number, ErrorClass])[] = [
  [400, 'validation'],
  [401, 'auth_deny'],
  [403, 'auth_deny'],
  [404, 'permanent'],
  [408, 'timeout'],
  [409, 'conflict'],
  [418, 'validation'],
  [422, 'validation'],
  [429, 'rate_limit'],
  [500, '5xx'],
  [503, '5xx'],
  [302, 'unknown'],
]
const UNDICI: readonly (readonly [string, ErrorClass])[] = [
  ['UND_ERR_SOCKET', 'transport'],
  ['UND_ERR_CONNECT_TIMEOUT', 'transport'],
  ['UND_ERR_HEADERS_TIMEOUT', 'transport'],
  ['UND_ERR_BODY_TIMEOUT', 'transport'],
  ['UND_ERR_CLOSED', 'transport'],
  ['UND_ERR_DESTROYED', 'transport'],
  ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'transport'],
  ['UND_ERR_ABORTED', 'permanent'],
  ['UND_ERR_INVALID_ARG', 'unknown'],
]
const POLICY = { maxAttempts: 3, initialBackoffMs: 0, backoffMultiplier: 2, maxBackoffMs: 0 }

describe('the table of error classes', () => {
  it('puts a connection that the system gave up in class transport, and a time limit in class timeout [ERR-02, ERR-11]', () => {
    expect(classOf({ code: 'ETIMEDOUT', syscall: 'connect' })).toBe('transport')
    expect(classOf({ code: 'ETIMEDOUT' })).toBe('timeout')
  })

  it.each(NAMES)(
    'puts %s in class %s by name, by code and by the code of its cause [ERR-11, ERR-02, X-63]',
    (name, expected) => {
      expect(classOf({ name })).toBe(expected)
      expect(classOf({ name: 'Error', code: name })).toBe(expected)
      expect(classOf({ name: 'TypeError' }, { causes: [{ name: 'Error', code: name }] })).toBe(expected)
      expect(classOf({ name: 'TypeError' }, { causes: [{ name: 'Error' }, { name }] })).toBe(expected)
    },
  )

  it.each(UNDICI)('puts %s of fetch in class %s, thrown or as a cause [ERR-11, X-63]', (code, expected) => {
    expect(classOf({ name: 'Error', code })).toBe(expected)
    expect(classOf({ name: 'TypeError' }, { causes: [{ name: 'SocketError', code }] })).toBe(expected)
    expect(classOf({ name: 'AggregateError' }, { causes: [{ name: 'Error' }, { code }] })).toBe(expected)
  })

  it('goes by the status of an answer that undici made an error of [ERR-11, ERR-04]', () => {
    expect(classOf({ name: 'ResponseError', code: 'UND_ERR_RESPONSE', status: 404 })).toBe('permanent')
    expect(classOf({ name: 'ResponseError', code: 'UND_ERR_RESPONSE_STATUS_CODE', status: 503 })).toBe('5xx')
  })

  it.each(STATUSES)('puts status %i in class %s [ERR-11, ERR-04, X-63]', (status, expected) => {
    expect(classOf({ name: 'Error', status })).toBe(expected)
    expect(classOf({ name: 'Error' }, { causes: [{ status }] })).toBe(expected)
  })

  it('lets the name win over the status, and calls the rest unknown and retryable [ERR-05]', () => {
    expect(classifyError(facts({ name: 'ValidationError', status: 503 }))).toMatchObject({
      errorClass: 'validation',
      retryable: false,
    })
    expect(classifyError(facts({ name: 'Error' }))).toMatchObject({ errorClass: 'unknown', retryable: true })
    expect(classifyError(facts({}))).toMatchObject({ errorClass: 'unknown', retryable: true })
  })

  it('lets what an error says of itself beat its cause [ERR-11]', () => {
    expect(classOf({ name: 'ValidationError' }, { causes: [{ code: 'ECONNREFUSED' }] })).toBe('validation')
    expect(classOf({ name: 'NetworkError' }, { causes: [{ name: 'ValidationError' }] })).toBe('transport')
    expect(classOf({ name: 'Error', status: 503 }, { causes: [{ name: 'ValidationError' }] })).toBe('5xx')
  })

  it('routes transient errors to a retry, permanent ones to an end, timeouts to a retry if configured [ERR-01]', () => {
    const route = (fact: ErrorFact, retryableErrors?: readonly ['transport']): string =>
      retryDecision({ ...POLICY, ...(retryableErrors ? { retryableErrors } : {}) }, classOf(fact), 1)
    expect(route({ code: 'ECONNREFUSED' })).toBe('retry')
    expect(route({ name: 'ConflictError' })).toBe('permanent')
    expect(route({ name: 'TimeoutError' })).toBe('retry')
    expect(route({ name: 'TimeoutError' }, ['transport'])).toBe('permanent')
  })

  it.each([
    'ValidationError',
    'AuthenticationError',
    'AuthorizationError',
    'NotFoundError',
    'ConflictError',
    'BadRequest',
  ])('ends after one attempt on %s, under every list of retryable classes [ERR-03]', (name) => {
    const { errorClass, retryable } = classifyError(facts({ name }))
    expect(retryable).toBe(false)
    expect(retryDecision(POLICY, errorClass, 1)).toBe('permanent')
    const all = ['timeout', 'rate_limit', '5xx', 'transport', 'unknown'] as const
    expect(retryDecision({ ...POLICY, retryableErrors: all }, errorClass, 1)).toBe('permanent')
  })

  it('calls an error retryable exactly when the default policy would repeat its class', () => {
    for (const fact of [...NAMES.map(([name]) => ({ name })), ...STATUSES.map(([status]) => ({ status }))]) {
      const { errorClass, retryable } = classifyError(facts(fact))
      expect(retryDecision(POLICY, errorClass, 1) === 'retry').toBe(retryable)
    }
  })
})

describe('cancellation', () => {
  it('is asked first and is never retryable, whatever the handler threw [ERR-09, X-62]', () => {
    for (const fact of [{}, { name: 'AbortError' }, { name: 'Error' }, { code: 'ECONNREFUSED' }, { status: 503 }]) {
      expect(classifyError(facts(fact, { aborted: 'cancel' }))).toMatchObject({
        errorClass: 'cancelled',
        retryable: false,
      })
    }
  })

  it('is not what a timeout is, though both abort the same signal [X-62]', () => {
    expect(classifyError(facts({ name: 'AbortError' }, { aborted: 'timeout' }))).toMatchObject({
      errorClass: 'timeout',
      retryable: true,
      category: 'timeout',
    })
  })

  it('of somebody else is not repeated either [ERR-09]', () => {
    expect(classifyError(facts({ name: 'AbortError', code: 'ABORT_ERR' })).retryable).toBe(false)
  })
})

describe('the taxonomy of codes', () => {
  it.each([
    ['TIMEOUT', true],
    ['CIRCUIT_OPEN', false],
    ['CANCELLED', false],
    ['VALIDATION', false],
    ['RETRYABLE', true],
  ] as const)('%s is retryable: %s', (code, retryable) => {
    expect(classifyError(facts({ name: 'Error', code })).retryable).toBe(retryable)
  })

  it('takes the word of the registry for our own errors only', () => {
    expect(classOf({ name: 'KeelsonError', code: 'INPUT_INVALID' })).toBe('validation')
    expect(classOf({ name: 'KeelsonError', code: 'EXPR_FAILED' })).toBe('validation')
    expect(classOf({ name: 'KeelsonError', code: 'NO_HANDLER' })).toBe('permanent')
    expect(classOf({ name: 'KeelsonError', code: 'STORE_UNAVAILABLE' })).toBe('unknown')
    expect(classOf({ name: 'Error', code: 'NO_HANDLER' })).toBe('unknown')
  })
})
