import { describe, expect, it } from 'vitest'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { retryDecision } from '../../core/run/failure/retry.ts'
import { describeError, errorFacts } from './describe-error.ts'

const withFields = (fields: object): Error => Object.assign(new Error('boom'), fields)

describe('facts of a thrown value', () => {
  it.each([400, 404, 408, 409, 429, 500, 503])(
    'read status %i from statusCode and from status [ERR-04, X-63]',
    (status) => {
      expect(errorFacts(withFields({ statusCode: status })).status).toBe(status)
      expect(errorFacts(withFields({ status })).status).toBe(status)
      expect(describeError(withFields({ statusCode: status })).error).toEqual(
        describeError(withFields({ status })).error,
      )
    },
  )

  it.each(['ECONNREFUSED', 'ENOTFOUND'])('find %s by name, by code and by cause.code [ERR-02, X-63]', (code) => {
    const fetchFailed = new TypeError('fetch failed', { cause: withFields({ code }) })
    for (const thrown of [withFields({ name: code }), withFields({ code }), fetchFailed]) {
      expect(describeError(thrown).error).toMatchObject({ errorClass: 'transport', retryable: true })
    }
  })

  it('look into the members of an AggregateError', () => {
    const thrown = new AggregateError([new Error('a'), withFields({ code: 'ECONNREFUSED' })], 'all failed')
    expect(describeError(thrown).error.errorClass).toBe('transport')
  })

  it('end on a circle of causes and on a very long chain', () => {
    const circle = withFields({})
    Object.assign(circle, { cause: new Error('inner', { cause: circle }) })
    expect(errorFacts(circle).causes).toHaveLength(1)
    let deep: Error = withFields({ code: 'ECONNREFUSED' })
    for (let i = 0; i < 10_000; i++) deep = new Error('outer', { cause: deep })
    expect(errorFacts(deep).causes.length).toBeLessThanOrEqual(16)
  })
})

describe('a plain error', () => {
  it('is unknown and is tried three times by the default policy [RTY-05, ERR-05]', () => {
    const policy = { maxAttempts: 3, initialBackoffMs: 1000, backoffMultiplier: 2, maxBackoffMs: 30_000 }
    const { errorClass } = describeError(new Error('x')).error
    expect([1, 2, 3].map((attempt) => retryDecision(policy, errorClass, attempt))).toEqual([
      'retry',
      'retry',
      'exhausted',
    ])
  })
})

describe('an aborted attempt', () => {
  const aborted = new AbortController()
  aborted.abort()
  const reasons = [
    'stop please',
    new DOMException('gone', 'AbortError'),
    withFields({ name: 'AbortError' }),
    aborted.signal.reason,
    undefined,
  ]

  it('is CANCELLED and not retried when the run was cancelled, whatever was thrown [ERR-09, X-62]', () => {
    for (const reason of reasons) {
      expect(describeError(reason, 'cancel').error).toEqual({
        code: 'CANCELLED',
        errorClass: 'cancelled',
        retryable: false,
      })
    }
  })

  it('is TIMEOUT and retryable when its time was up, whatever was thrown [X-62]', () => {
    for (const reason of reasons) {
      expect(describeError(reason, 'timeout').error).toMatchObject({
        code: 'TIMEOUT',
        errorClass: 'timeout',
        retryable: true,
      })
    }
  })
})

describe('the code of an error', () => {
  it.each([
    [withFields({ code: 'CARD_DECLINED' }), 'CARD_DECLINED'],
    [withFields({ code: 'not a code' }), 'HANDLER_FAILED'],
    [withFields({ code: 42 }), 'HANDLER_FAILED'],
    [withFields({ code: 'A'.repeat(129) }), 'HANDLER_FAILED'],
    [new DOMException('slow', 'TimeoutError'), 'TIMEOUT'],
    [new KeelsonError([problem('OUTPUT_INVALID', 'no')]), 'OUTPUT_INVALID'],
    ['just a text', 'HANDLER_FAILED'],
  ])('of %s is %s', (thrown, code) => {
    expect(describeError(thrown).error.code).toBe(code)
  })

  it('goes with the class that the facts give, the same for evidence and event [ERR-11]', () => {
    const described = describeError(withFields({ name: 'ConflictError', status: 503 }))
    expect(described.error).toEqual({
      code: 'HANDLER_FAILED',
      errorClass: 'conflict',
      statusCode: 503,
      retryable: false,
      category: 'business',
      failureCategory: 'USER',
    })
    expect(described.errorText.message).toBe('boom')
    expect(described.errorText.stackTrace).toContain('boom')
  })
})

describe('hostile values', () => {
  const bomb = (): never => {
    throw new Error('a getter that throws')
  }
  const getters = Object.defineProperties(
    {},
    Object.fromEntries(
      ['name', 'code', 'message', 'stack', 'cause', 'status', 'statusCode', 'errors', 'toJSON'].map((key) => [
        key,
        { get: bomb },
      ]),
    ),
  )
  const proxy = new Proxy(() => undefined, { get: bomb, getPrototypeOf: bomb, ownKeys: bomb, has: bomb, apply: bomb })
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a number', Number.NaN],
    ['a bigint', 10n],
    ['a symbol', Symbol('s')],
    ['throwing getters', getters],
    ['a proxy that throws', proxy],
    ['a revoked proxy', revoked.proxy],
    ['a circle', cyclic],
    ['no prototype', Object.create(null)],
    ['a function', bomb],
    ['a hostile cause', new Error('outer', { cause: getters })],
  ])('are described without a throw: %s', (_, thrown) => {
    const { error, errorText } = describeError(thrown)
    expect(error).toMatchObject({ code: 'HANDLER_FAILED', errorClass: 'unknown', retryable: true })
    expect(errorText.message).not.toBe('')
  })

  it('leave a text of at most 8 KiB that is well-formed', () => {
    for (const text of [
      'x'.repeat(1_000_000),
      '😀'.repeat(10_000),
      `${'x'.repeat(8_191)}😀`,
      `${'é'.repeat(5_000)}`,
      'half \ud800',
    ]) {
      const { message } = describeError(text).errorText
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(8_192)
      expect(message.isWellFormed()).toBe(true)
    }
    expect(describeError('😀'.repeat(3_000)).errorText.message).toBe('😀'.repeat(2_048))
  })
})
