/** Retry around the breaker, the breaker around the timeout: in what order an attempt meets them, and that no plan can say otherwise. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { compilePlan } from '../../src/app/plans/compile.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { World } from '../fixtures/virtual-world.ts'

/** Writes down what is asked of the breaker and told to it, and what happens to the operation, each with its second. */
function spied(world: World): { readonly order: string[]; readonly wrapStore: (store: RunStore) => RunStore } {
  const order: string[] = []
  const began = world.time.now()
  const note = (what: string): void => void order.push(`${Math.round((world.time.now() - began) / 1000)} s ${what}`)
  const wrapStore = (store: RunStore): RunStore => ({
    ...store,
    commit: async (batch) => {
      const results = await store.commit(batch)
      batch.forEach(({ claims = [], releases }, at) => {
        for (const { attempt, result } of releases === undefined || releases === 'all' ? [] : releases)
          note(`breaker told ${attempt} ${result}`)
        const granted = results[at]?.kind === 'committed'
        for (const { attempt } of claims) note(`breaker ${granted ? 'lets through' : 'holds'} ${attempt}`)
      })
      return results
    },
  })
  return { order, wrapStore }
}

describe('an attempt', () => {
  it('is let through by the breaker, then timed; its timeout is told to the breaker, then comes the retry [RTY-11]', async () => {
    const world = new World()
    const { order, wrapStore } = spied(world)
    const began = world.time.now()
    const note = (what: string): void => void order.push(`${Math.round((world.time.now() - began) / 1000)} s ${what}`)
    const process = world.process('p', {
      wrapStore,
      script: {
        f: ({ context }) => {
          note(`operation ${context.attempt} begins`)
          context.signal.addEventListener('abort', () => note(`operation ${context.attempt} timed out`))
          return new Promise(() => undefined)
        },
      },
    })
    const key = await process.start(
      `steps: [{ id: a, run: f, agent: shaky, timeoutMs: 30000, retry: { maxAttempts: 3 } }]`,
    )
    await world.runUntil(() => world.hasEnded(key))
    expect(order).toEqual([
      '0 s breaker lets through 1',
      '0 s operation 1 begins',
      '30 s operation 1 timed out',
      '30 s breaker told 1 failed',
      '31 s breaker lets through 2',
      '31 s operation 2 begins',
      '61 s operation 2 timed out',
      '61 s breaker told 2 failed',
      '63 s breaker lets through 3',
      '63 s operation 3 begins',
      '93 s operation 3 timed out',
      '93 s breaker told 3 failed',
    ])
    const errors = world.records(key).filter(({ eventType }) => eventType === 'StepFailed')
    expect(errors.map(({ payload }) => payload?.['error'])).toEqual(
      [1, 2, 3].map(() => expect.objectContaining({ code: 'TIMEOUT' }) as unknown),
    )
  })

  it('that an open breaker holds back is not timed meanwhile, and is one attempt: the retry counts operations [RTY-11]', async () => {
    const world = new World()
    const { order, wrapStore } = spied(world)
    const isFailing = (): boolean => world.calls.length <= 5
    const process = world.process('p', {
      wrapStore,
      script: { f: () => (isFailing() ? Promise.reject(Object.assign(new Error('bad'), { status: 502 })) : 'done') },
    })
    const retry = 'retry: { maxAttempts: 7, initialBackoffMs: 1000, backoffMultiplier: 1 }'
    const key = await process.start(`steps: [{ id: a, run: f, agent: shaky, timeoutMs: 30000, ${retry} }]`)
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key).status).toBe('COMPLETED')
    expect(world.called()).toEqual(['a#1/1', 'a#2/1', 'a#3/1', 'a#4/1', 'a#5/1', 'a#6/1'])
    const waited = (world.calls[5]?.at ?? 0) - (world.calls[4]?.at ?? 0)
    // Twice its own timeout: it did not run yet, so it could not time out.
    expect(waited).toBeGreaterThanOrEqual(60_000)
    expect(order.some((one) => one.endsWith('breaker holds 6'))).toBe(true)
    expect(order.slice(-2).map((one) => one.replace(/^\d+ s /, ''))).toEqual([
      'breaker lets through 6',
      'breaker told 6 ok',
    ])
    expect(world.log(key, 'StepFailed')).toHaveLength(5)
  })

  it('frees its place for the time of its backoff: the retry lies outside the breaker [RTY-11]', async () => {
    const world = new World()
    const fails = ({ context }: { context: { attempt: number } }): unknown =>
      context.attempt === 1 ? Promise.reject(new Error('not yet')) : 'done'
    const process = world.process('p', { script: { f: fails } })
    await process.store.putPool({ pool: 'agent:one', capacity: 1 })
    const retry = 'retry: { maxAttempts: 2, initialBackoffMs: 10000 }'
    const first = await process.start(`steps: [{ id: a, run: f, agent: one, ${retry} }]`)
    const second = await process.start(`steps: [{ id: b, run: g, agent: one }]`)
    await world.advanceBy(5_000)
    expect([world.row(first).status, world.row(second).status]).toEqual(['RUNNING', 'COMPLETED'])
  })
})

describe('another order', () => {
  it.each([
    ['a timeout around the retries', 'retry: { maxAttempts: 3, timeoutMs: 90000 }'],
    ['a breaker around the retries', 'retry: { maxAttempts: 3, breaker: { failures: 5 } }'],
    ['a retry inside the breaker', 'agent: { id: shaky, retry: { maxAttempts: 3 } }'],
    ['an order of its own', 'resilience: [timeout, breaker, retry]'],
  ])('is refused, for a plan has no words for it: %s [RTY-11]', (_what, fields) => {
    const plan = `plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, ${fields} }]`
    const compiled = compilePlan(plan, { file: 'p.yaml' })
    expect(compiled.ok ? [] : compiled.problems.map(({ code }) => code)).toEqual([
      expect.stringMatching(/^(INVALID_STEP_SCHEMA|PLAN_FIELD_INVALID)$/),
    ])
  })
})

describe('the stricter values of the guide', () => {
  const [, preset = ''] =
    /## Retry, breaker, timeout[\s\S]*?```yaml\n([\s\S]*?)```/.exec(
      readFileSync(join(ROOT, 'docs/guides/steps.md'), 'utf8'),
    ) ?? []

  it('end an agent that never answers after three attempts of 30 s, 90 s at work [RTY-11]', async () => {
    const world = new World()
    const process = world.process('p', { script: { f: 'hold' } })
    const began = world.time.now()
    const key = await process.start(`${preset}steps: [{ id: a, run: f, agent: shaky }]`)
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called()).toEqual(['a#1/1', 'a#2/1', 'a#3/1'])
    expect(world.row(key)).toMatchObject({ status: 'FAILED' })
    expect(world.time.now() - began).toBe(90_000 + 1_000 + 2_000)
  })

  it('end a run that waits for its agent too long after 120 s [RTY-11]', async () => {
    const world = new World()
    const process = world.process('p', { script: { f: 'hold' } })
    await process.store.putPool({ pool: 'agent:busy', capacity: 1 })
    await process.start(`steps: [{ id: a, run: f, agent: busy }]`)
    const began = world.time.now()
    const key = await process.start(`${preset}steps: [{ id: b, run: f, agent: busy }]`)
    await world.runUntil(() => world.hasEnded(key))
    expect(world.time.now() - began).toBe(120_000)
    expect(world.log(key, 'StepStarted')).toEqual([])
    const end = world.records(key).at(-1)
    expect(end).toMatchObject({ eventType: 'RunFailed', payload: { error: { code: 'RUN_TIMEOUT' } } })
  })
})
