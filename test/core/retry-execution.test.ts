/** Retries and timeouts with real handlers, engine and store under a virtual clock. */
import { describe, expect, it } from 'vitest'
import { World, type Behaviour } from '../fixtures/virtual-world.ts'

const ONE = 'steps: [{ id: a, run: f, with: { order: 7 } }]'

async function ended(behaviour: Behaviour, plan = ONE) {
  const world = new World()
  const run = await world.process('p', { script: { f: behaviour } }).start(plan)
  const began = world.time.now()
  await world.runUntil(() => world.hasEnded(run), 86_400_000)
  return { world, run, row: world.row(run), records: world.records(run), took: world.time.now() - began }
}

describe('a step that throws', () => {
  it('a plain Error is executed three times, then the run has failed [RTY-05, RTY-01]', async () => {
    const { world, row, took } = await ended(() => {
      throw new Error('x')
    })
    expect(world.called('f')).toEqual(['a#1/1', 'a#2/1', 'a#3/1'])
    expect([row.status, took]).toEqual(['FAILED', 3000])
  })

  it('leaves logical attempts 1, 2, 3 in the log, each with its own key and engine attempt 1 [RTY-08, X-17]', async () => {
    const { records } = await ended(() => {
      throw new Error('x')
    })
    const failed = records.filter(({ eventType }) => eventType === 'StepFailed')
    expect(failed.map(({ logicalAttemptId, engineAttemptId }) => [logicalAttemptId, engineAttemptId])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ])
    expect(new Set(failed.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3)
  })

  it('sees the same idempotency key on every attempt, and another step sees another [GRF-13]', async () => {
    const { world } = await ended(({ context }) => {
      if (context.attempt < 3) throw new Error('x')
      return null
    }, 'steps: [{ id: a, run: f, with: { order: 7 } }, { id: b, run: f, with: { order: 7 } }]')
    const keys = (step: string): string[] =>
      world.calls.filter(({ context }) => context.stepId === step).map(({ context }) => context.idempotencyKey)
    expect(keys('a')).toHaveLength(3)
    expect(new Set(keys('a')).size).toBe(1)
    expect(keys('a')[0]).toMatch(/^[a-f0-9]{64}$/)
    expect(keys('b')).not.toContain(keys('a')[0])
  })
})

describe('a step whose process dies', () => {
  it('sees the same key and input when it is sent again, as engine attempt 2 of the same attempt [GRF-13, IDC-11, P-17]', async () => {
    const world = new World()
    const first = world.process('first', { script: { f: 'hold' } })
    const run = await first.start(ONE)
    first.kill()
    world.process('second', { script: { f: () => null }, adoptOthers: true })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.called('f')).toEqual(['a#1/1', 'a#1/2'])
    const [before, after] = world.calls
    expect(after?.context.idempotencyKey).toBe(before?.context.idempotencyKey)
    expect(after?.input).toEqual(before?.input)
    expect(world.row(run).status).toBe('COMPLETED')
  })

  it('keeps its key over retries before and after the crash [GRF-13, IDC-11]', async () => {
    const world = new World()
    const first = world.process('first', {
      script: {
        f: ({ context }) => (context.attempt < 2 ? Promise.reject(new Error('x')) : new Promise(() => undefined)),
      },
    })
    const run = await first.start(ONE)
    await world.runUntil(() => world.calls.length === 2)
    first.kill()
    world.process('second', {
      script: { f: ({ context }) => (context.attempt < 3 ? Promise.reject(new Error('y')) : null) },
      adoptOthers: true,
    })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.called('f')).toEqual(['a#1/1', 'a#2/1', 'a#2/2', 'a#3/1'])
    expect(new Set(world.calls.map(({ context }) => context.idempotencyKey)).size).toBe(1)
  })

  it('gets a new key only on purpose: RETRY_STEP with freshKey [GRF-13]', async () => {
    const world = new World()
    const process = world.process('p', {
      script: { f: ({ context }) => (context.attempt < 3 ? Promise.reject(new Error('x')) : null) },
    })
    const run = await process.start(
      'policy: { onFailure: hold, retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: f }]',
    )
    await process.signal(run, 'RETRY_STEP', { stepId: 'a' })
    await process.signal(run, 'RETRY_STEP', { stepId: 'a', freshKey: true })
    await world.runUntil(() => world.hasEnded(run))
    const [one, two, three] = world.calls.map(({ context }) => context.idempotencyKey)
    expect(two).toBe(one)
    expect(three).not.toBe(one)
  })
})

describe('a step that takes too long', () => {
  it('times out after 300 s by default; three timeouts fail the run with TIMEOUT [RTY-06]', async () => {
    const { world, row, records, took } = await ended('hold')
    expect(took).toBe(3 * 300_000 + 3000)
    expect(world.calls.map(({ at }) => at - (world.calls[0]?.at ?? 0))).toEqual([0, 301_000, 603_000])
    expect([row.status, row.errorCode]).toEqual(['FAILED', 'TIMEOUT'])
    const failed = records.filter(({ eventType }) => eventType === 'StepFailed')
    expect(failed.map(({ payload }) => payload?.['error'])).toMatchObject(
      Array.from({ length: 3 }, () => ({ code: 'TIMEOUT', errorClass: 'timeout' })),
    )
  })

  it('has its signal aborted, and its late result changes nothing [RTY-07]', async () => {
    const world = new World()
    const run = await world
      .process('p', {
        script: { f: ({ context }) => (context.attempt === 1 ? new Promise(() => undefined) : 'second') },
      })
      .start(ONE)
    await world.advanceBy(299_999)
    const [call] = world.calls
    expect(call?.context.signal.aborted).toBe(false)
    await world.advanceBy(1)
    expect(call?.context.signal.aborted).toBe(true)
    call?.resolve('late')
    await world.runUntil(() => world.hasEnded(run))
    const completed = world.records(run).filter(({ eventType }) => eventType === 'StepCompleted')
    expect(completed.map(({ logicalAttemptId, data }) => [logicalAttemptId, data?.['result']])).toEqual([[2, 'second']])
  })

  it('fails at once when the policy does not list timeouts [RTY-10]', async () => {
    const { world, row } = await ended(
      'hold',
      'steps: [{ id: a, run: f, timeoutMs: 50, retry: { retryableErrors: [5xx] } }]',
    )
    expect([world.calls.length, row.status, row.errorCode]).toEqual([1, 'FAILED', 'TIMEOUT'])
  })

  it('is a timeout even when the aborted handler throws what looks like a cancellation [X-62]', async () => {
    const { world, records } = await ended(
      ({ context }) =>
        new Promise((_resolve, reject) =>
          context.signal.addEventListener('abort', () => reject(new DOMException('gone', 'AbortError'))),
        ),
      'steps: [{ id: a, run: f, timeoutMs: 50, retry: { maxAttempts: 2 } }]',
    )
    expect(world.calls).toHaveLength(2)
    const failed = records.filter(({ eventType }) => eventType === 'StepFailed')
    expect(failed.map(({ payload }) => payload?.['error'])).toMatchObject([
      { errorClass: 'timeout' },
      { errorClass: 'timeout' },
    ])
  })
})

describe('a step that is cancelled', () => {
  it.each([
    ['with a string', () => 'stop' as unknown],
    ['with an AbortError', () => Object.assign(new Error('gone'), { name: 'AbortError' })],
    ['with a DOMException', () => new DOMException('gone', 'AbortError')],
    ['with an error of its own', () => new Error('x')],
  ])('and answers the abort %s is not retried [ERR-09, X-62]', async (_how, thrown) => {
    const world = new World()
    const process = world.process('p', {
      script: {
        f: ({ context }) =>
          new Promise((_resolve, reject) => context.signal.addEventListener('abort', () => reject(thrown() as Error))),
      },
    })
    const run = await process.start(ONE)
    await process.signal(run, 'CANCEL', { reason: 'enough' })
    await world.runUntil(() => world.hasEnded(run))
    await world.advanceBy(3_600_000)
    expect(world.calls).toHaveLength(1)
    expect(world.row(run).status).toBe('CANCELLED')
    const failed = world.records(run).find(({ eventType }) => eventType === 'StepFailed')
    expect(failed?.payload).toMatchObject({ final: true, error: { code: 'CANCELLED', errorClass: 'cancelled' } })
  })
})

describe('while a retry is pending', () => {
  it('the run’s row shows RETRYING [RTY-09]', async () => {
    const world = new World()
    const run = await world.process('p', { script: { f: () => Promise.reject(new Error('x')) } }).start(ONE)
    expect(world.row(run)).toMatchObject({ status: 'RUNNING', substatus: 'RETRYING' })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.row(run).substatus).toBeUndefined()
  })
})
