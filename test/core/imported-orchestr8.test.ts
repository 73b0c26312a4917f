/** Workflows of orchestr8 after their import do what the tests of orchestr8 say they did there: statuses, inputs, calls. */
import { describe, expect, it } from 'vitest'
import { importPlan } from '../../src/main.ts'
import { failing, flow, gives, played, refusals, type Agent, type Fields } from '../fixtures/orchestr8.ts'

describe('order and failures', () => {
  it('a step runs after what it depends on, with its output; roots run side by side [X-60, X-107]', async () => {
    const done = await played(
      flow([
        { id: 'pick', agentId: 'one', input: { message: 'hello' } },
        { id: 'pack', agentId: 'two', dependsOn: ['pick'], input: { data: '${steps.pick.output}' } },
      ]),
      { one: gives({ result: 'picked' }), two: gives(null) },
    )
    expect(done).toEqual({
      status: 'COMPLETED',
      steps: { pick: 'completed', pack: 'completed' },
      calls: [
        ['one', { message: 'hello' }],
        ['two', { data: { result: 'picked' } }],
      ],
    })
    const { plan } = importPlan(
      JSON.stringify(
        flow([
          { id: 'a', agentId: 'x' },
          { id: 'b', agentId: 'x' },
        ]),
      ),
    )
    expect(plan.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], []])
  })

  it('without a retry policy a step is called once, and its failure ends the run and calls nothing after it [X-107]', async () => {
    const done = await played(
      flow([
        { id: 'a', agentId: 'bad' },
        { id: 'b', agentId: 'next', dependsOn: ['a'] },
      ]),
      {
        bad: failing(),
        next: gives(1),
      },
    )
    expect([done.status, done.steps['a'], done.calls.map(([name]) => name)]).toEqual(['FAILED', 'failed', ['bad']])
  })

  it('a failure lets a sibling in flight finish, where it was cancelled there, and never calls what depends on both [X-76, X-107]', async () => {
    const [fails, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const done = await played(
      flow([
        { id: 'a', agentId: 'bad' },
        { id: 'b', agentId: 'slow' },
        { id: 'c', agentId: 'next', dependsOn: ['a', 'b'] },
      ]),
      {
        bad: async () => {
          await begun.promise
          fails.resolve()
          throw new Error('no')
        },
        slow: async () => {
          begun.resolve()
          await fails.promise
          return 'done'
        },
        next: gives(1),
      },
    )
    expect([done.status, done.steps['a'], done.steps['b']]).toEqual(['FAILED', 'failed', 'completed'])
    const called = done.calls.map(([name]) => name).toSorted()
    expect([done.steps['c'], called]).toEqual(['PENDING', ['bad', 'slow']])
  })

  it('onError: retry tries three times, and succeeds with the second [X-107]', async () => {
    let calls = 0
    const flaky: Agent = () => {
      calls += 1
      if (calls < 2) throw new Error('not yet')
      return { result: 'success' }
    }
    const retry = { maxAttempts: 3, initialDelay: 1, backoffStrategy: 'fixed' }
    const done = await played(flow([{ id: 'a', agentId: 'flaky', onError: 'retry', resilience: { retry } }]), { flaky })
    expect([done.status, done.calls.length]).toEqual(['COMPLETED', 2])
    const { plan } = importPlan(JSON.stringify(flow([{ id: 'a', agentId: 'flaky', onError: 'retry' }])))
    expect(plan.steps[0]?.retry).toMatchObject({ maxAttempts: 3, initialBackoffMs: 1000, maxBackoffMs: 10_000 })
  })

  it('onError: continue lets the run complete, and what depends on the step is skipped [X-107]', async () => {
    const done = await played(
      flow([
        { id: 'good', agentId: 'ok' },
        { id: 'bad', agentId: 'bad', onError: 'continue' },
        { id: 'both', agentId: 'ok', dependsOn: ['good', 'bad'], if: 'variables.yes' },
        { id: 'after', agentId: 'ok', dependsOn: ['both'] },
      ]),
      { ok: gives(1), bad: failing() },
      { yes: true },
    )
    expect(done.status).toBe('COMPLETED')
    expect(done.steps).toEqual({ good: 'completed', bad: 'failed', both: 'skipped', after: 'skipped' })
    expect(done.calls.map(([name]) => name)).toEqual(['ok', 'bad'])
  })

  it('what depends on a skipped step is skipped [X-107]', async () => {
    const done = await played(
      flow([
        { id: 'a', agentId: 'x', if: 'variables.no' },
        { id: 'b', agentId: 'x', dependsOn: ['a'] },
      ]),
      {
        x: gives(1),
      },
    )
    expect(done).toEqual({ status: 'COMPLETED', steps: { a: 'skipped', b: 'skipped' }, calls: [] })
  })

  it('a result of 600 KB is kept whole', async () => {
    const done = await played(flow([{ id: 'a', agentId: 'big' }]), { big: gives({ data: 'x'.repeat(614_400) }) })
    expect(done.status).toBe('COMPLETED')
  })
})

describe('a fallback', () => {
  const steps = (backup: Fields): readonly Fields[] => [
    { id: 'primary', agentId: 'bad', onError: 'fallback', fallbackStepId: 'backup', input: { of: 'primary' } },
    { id: 'backup', agentId: 'other', ...backup },
    { id: 'after', agentId: 'last', dependsOn: ['primary'], input: { data: '${steps.primary.output}' } },
  ]
  const agents = { bad: failing('VALIDATION'), other: gives('saved'), last: gives(1), dep: gives('ok') }

  it('becomes that of its step, after any error; dependents read its output as the step’s [X-101, X-107]', async () => {
    const done = await played(flow(steps({})), agents)
    expect(done.status).toBe('COMPLETED')
    expect(done.steps).toEqual({ primary: 'failed', 'fallback of primary': 'completed', after: 'completed' })
    expect(done.calls.slice(1)).toEqual([
      ['other', { of: 'primary' }],
      ['last', { data: 'saved' }],
    ])
  })

  it('has the input that is written for it, and waits for what it depends on [X-107]', async () => {
    const done = await played(
      flow([
        ...steps({ input: { own: '${steps.dependency.output}' }, dependsOn: ['dependency'] }),
        { id: 'dependency', agentId: 'dep' },
      ]),
      agents,
    )
    expect(done.status).toBe('COMPLETED')
    expect(done.calls.find(([name]) => name === 'other')).toEqual(['other', { own: 'ok' }])
  })

  it('is refused where it depends on what may be skipped, where others depend on it, or with conditions of its own [X-107]', () => {
    const maybe = { id: 'dep', agentId: 'dep', if: 'variables.go' }
    expect(refusals(flow([...steps({ dependsOn: ['dep'] }), maybe]))[0]).toContain(
      `the fallback 'backup' depends on 'dep', which may be skipped`,
    )
    expect(refusals(flow([...steps({}), { id: 'z', agentId: 'x', dependsOn: ['backup'] }]))[0]).toContain(
      `'backup' is a fallback, and 'z' depends on it`,
    )
    expect(refusals(flow(steps({ if: 'variables.go' })))[0]).toContain(`is a fallback and has 'if'`)
    expect(refusals(flow([{ id: 'a', agentId: 'x', onError: 'fallback' }]))[0]).toContain(
      `'onError' means something only together with 'fallbackStepId'`,
    )
    expect(refusals(flow([{ id: 'a', agentId: 'x', onError: 'fallback', fallbackStepId: 'b' }]))[0]).toContain(
      `there is no step 'b'`,
    )
  })
})
