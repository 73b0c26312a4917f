/** From what a handler throws to what happens next: how often it is called, and which class stands in log and evidence. */
import { describe, expect, it } from 'vitest'
import { evidenceOf } from '../../src/core/view/show/evidence.ts'
import { World } from '../fixtures/virtual-world.ts'

async function thrown(reason: unknown, plan = 'steps: [{ id: a, run: f, retry: { initialBackoffMs: 1 } }]') {
  const world = new World()
  const run = await world.process('p', { script: { f: () => Promise.reject(reason) } }).start(plan)
  await world.runUntil(() => world.hasEnded(run))
  const records = world.records(run)
  const failed = records.filter(({ eventType, stepId }) => eventType === 'StepFailed' && stepId === 'a')
  const errors = failed.map(({ payload }) => payload?.['error'] as { code: string; errorClass: string })
  return {
    world,
    run,
    records,
    status: world.row(run).status,
    executions: world.called('f').length,
    error: errors.at(-1),
  }
}

const named = (name: string, more: object = {}): Error => Object.assign(new Error('no'), { name }, more)

describe('an error that may pass', () => {
  it.each([
    ['by name', named('NetworkError'), 'transport'],
    ['by name', named('ServiceUnavailable'), '5xx'],
    ['by name', named('TooManyRequests'), 'rate_limit'],
    ['by name', named('TimeoutError'), 'timeout'],
    ['by code', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'transport'],
    ['by code', Object.assign(new Error('connect'), { code: 'ETIMEDOUT' }), 'timeout'],
    [
      'by its cause',
      new TypeError('fetch failed', { cause: Object.assign(new Error('dns'), { code: 'ENOTFOUND' }) }),
      'transport',
    ],
    ['by status', Object.assign(new Error('no'), { status: 503 }), '5xx'],
    ['by statusCode', Object.assign(new Error('no'), { statusCode: 429 }), 'rate_limit'],
    ['by status', Object.assign(new Error('no'), { status: 408 }), 'timeout'],
  ])('%s is called three times with backoff (%s) [ERR-01, ERR-02, ERR-04]', async (_by, error, errorClass) => {
    const seen = await thrown(error)
    expect([seen.executions, seen.status, seen.error?.errorClass]).toEqual([3, 'FAILED', errorClass])
  })
})

describe('an error that will not pass', () => {
  it.each([
    ['ValidationError', 'validation'],
    ['BadRequest', 'validation'],
    ['AuthenticationError', 'auth_deny'],
    ['AuthorizationError', 'auth_deny'],
    ['NotFoundError', 'permanent'],
    ['ConflictError', 'conflict'],
  ])('%s is called once and the run has failed [ERR-03, RTY-04]', async (name, errorClass) => {
    const seen = await thrown(named(name))
    expect([seen.executions, seen.status, seen.error?.errorClass]).toEqual([1, 'FAILED', errorClass])
  })

  it.each([400, 401, 404, 409])('status %i is called once [ERR-04]', async (status) => {
    expect((await thrown(Object.assign(new Error('no'), { status }))).executions).toBe(1)
  })

  it('a name beats a status: ValidationError with 503 is called once [ERR-05]', async () => {
    expect((await thrown(named('ValidationError', { status: 503 }))).executions).toBe(1)
  })

  it('is named as the cause of the run’s failure [ERR-01]', async () => {
    const { records } = await thrown(named('ConflictError', { code: 'SEAT_TAKEN' }))
    expect(records.at(-1)?.payload).toMatchObject({
      error: { code: 'SEAT_TAKEN', errorClass: 'conflict' },
      rootCause: { slot: 'a', attempt: 1 },
    })
  })
})

describe('the class of an error', () => {
  it.each([
    named('TimeoutError'),
    named('ValidationError'),
    new Error('plain'),
    Object.assign(new Error('no'), { status: 409 }),
  ])('is the same in StepFailed and in the evidence (%s) [ERR-11]', async (error) => {
    const { records, error: recorded } = await thrown(error)
    const attempts = evidenceOf(records).filter(({ kind, actionId }) => kind === 'attempt' && actionId === 'a')
    expect(new Set(attempts.map(({ errorClass }) => errorClass))).toEqual(new Set([recorded?.errorClass]))
  })
})

describe('the error taxonomy', () => {
  it.each([
    ['TIMEOUT', 3],
    ['CIRCUIT_OPEN', 1],
    ['CANCELLED', 1],
    ['VALIDATION', 1],
    ['RETRYABLE', 3],
  ])(
    '%s leads to %i executions, and the record tells the attempts, the cause and the context [ERR-10]',
    async (code, executions) => {
      const seen = await thrown(Object.assign(new Error(`because of ${code}`), { code }))
      expect(seen.executions).toBe(executions)
      const last = seen.records.findLast(({ eventType }) => eventType === 'StepFailed')
      expect(last).toMatchObject({
        logicalAttemptId: executions,
        stepId: 'a',
        planId: 'story',
        data: { errorText: { message: `because of ${code}` } },
      })
    },
  )
})

describe('a handler that uses a code of ours', () => {
  it('cannot hold the run by calling its error indeterminate', async () => {
    const seen = await thrown(Object.assign(new Error('no'), { code: 'INDETERMINATE' }))
    expect([seen.status, seen.error?.code, seen.executions]).toEqual(['FAILED', 'HANDLER_FAILED', 3])
  })

  it('cannot pass its error for a cancellation: the run names it as the cause', async () => {
    const { records } = await thrown(Object.assign(new Error('no'), { code: 'CANCELLED' }))
    expect(records.at(-1)?.payload).toMatchObject({ rootCause: { slot: 'a' }, error: { code: 'HANDLER_FAILED' } })
  })
})
