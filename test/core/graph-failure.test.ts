/** What a failure stops and what it leaves running, under each failure policy. */
import { describe, expect, it } from 'vitest'
import { decide } from '../../src/core/run/decide/decide.ts'
import { scenario } from '../fixtures/scenario.ts'

const steps = `
  - { id: a, run: f, dependsOn: [], retry: { maxAttempts: 1 } }
  - { id: b, run: f, dependsOn: [] }
  - { id: a2, run: f, dependsOn: [a] }
  - { id: a3, run: f, dependsOn: [a2] }
  - { id: b2, run: f, dependsOn: [b] }
  - { id: join, run: f, dependsOn: [a3, b2] }`
const plan = (onFailure: string): string => `policy: { onFailure: ${onFailure} }\nsteps:${steps}`

describe('failFast', () => {
  it('is the default: nothing new is scheduled, what runs may finish, then the run has failed [GRF-07, P-46]', () => {
    const run = scenario(`steps:${steps}`).start().fails('a')
    expect([run.status, run.dispatched()]).toEqual(['RUNNING', ['a#1', 'b#1']])
    expect(run.effects.filter(({ kind }) => kind === 'CancelStep')).toEqual([])
    run.completes('b')
    expect([run.status, run.dispatched()]).toEqual(['FAILED', ['a#1', 'b#1']])
    expect(run.events('StepSkipped')).toEqual([])
  })

  it('lets no retry of another step start any more [GRF-07]', () => {
    const run = scenario(`steps:${steps}`).start().fails('b').fails('a').at('+1h')
    expect([run.status, run.dispatched()]).toEqual(['FAILED', ['a#1', 'b#1']])
  })

  it('closes waits at once, so they hold nothing up [GRF-07]', () => {
    const run = scenario(`steps:${steps}\n  - { id: nap, wait: { forMs: 3600000 }, dependsOn: [] }`)
      .start()
      .completes('b')
      .completes('b2')
      .fails('a')
    expect(run.status).toBe('FAILED')
    expect(run.payload('StepFailed', 'nap')).toMatchObject({ final: true, error: { code: 'CANCELLED' } })
  })

  it('also holds when a step fails on its own facts: what is ready beside it does not start [GRF-07]', () => {
    const facts = { a: { problem: { code: 'EXPR_FAILED', message: 'no' } } }
    const run = scenario('steps: [{ id: a, run: f, if: input.x, dependsOn: [] }, { id: b, run: f, dependsOn: [] }]', {
      facts,
    }).start()
    expect([run.status, run.dispatched()]).toEqual(['FAILED', []])
    expect(run.events('StepStarted', 'StepFailed')).toEqual(['StepStarted a#1', 'StepFailed a#1'])
  })
})

describe('continue', () => {
  it('runs whatever does not depend on the failed step, then skips its dependents and fails [P-46, X-59, SCH-04, SCH-08]', () => {
    const run = scenario(plan('continue')).start().fails('a')
    run.completes('b').completes('b2')
    expect(run.status).toBe('FAILED')
    expect(run.events('StepSkipped', 'RunFailed')).toEqual([
      'StepSkipped a2#1',
      'StepSkipped a3#1',
      'StepSkipped join#1',
      'RunFailed RUN#1',
    ])
    const skips = run.log.flatMap(({ draft }) =>
      draft.eventType === 'StepSkipped' ? [(draft.payload as { reasonCode: string }).reasonCode] : [],
    )
    expect(new Set(skips)).toEqual(new Set(['DEPENDENCY_FAILED']))
  })

  it('writes the skips only at the run’s end, not when the step fails [P-46]', () => {
    const run = scenario(plan('continue')).start().fails('a')
    expect(run.events('StepSkipped')).toEqual([])
  })

  const many = Array.from({ length: 30 }, (_, index) => `  - { id: n${index}, run: f, dependsOn: [a] }`).join('\n')
  const wide = `policy: { onFailure: continue }\nsteps:\n  - { id: a, run: f, dependsOn: [], retry: { maxAttempts: 1 } }\n${many}`

  it('writes the same end when it is cut into many decisions [P-11]', () => {
    const whole = scenario(wide).start().fails('a')
    const cut = scenario(wide, { room: 7 }).start().fails('a')
    expect(cut.events()).toEqual(whole.events())
    expect(cut.inputs.length).toBeGreaterThan(whole.inputs.length)
  })

  it('answers RUN_TERMINAL to signals from the first of these skips on [P-11]', () => {
    const run = scenario(wide).start()
    const error = { code: 'X', retryable: false, errorClass: 'conflict' } as const
    const outcome = {
      kind: 'outcome',
      slot: 'a',
      attempt: 1,
      engineAttempt: 1,
      outcome: { kind: 'failed', error },
    } as const
    const cut = decide(run.graph, run.state, { ...outcome, now: run.now, epoch: 1, room: 10 })
    expect([cut.cut, cut.state.status, cut.drafts.at(-1)?.eventType]).toEqual([true, 'RUNNING', 'StepSkipped'])
    const signal = {
      kind: 'signal',
      signalId: 's',
      signalType: 'SKIP_STEP',
      payload: { stepId: 'n29' },
      authorization: { allowed: true, policyDecisionId: 'd' },
    } as const
    const [answer] = decide(run.graph, cut.state, { ...signal, now: run.now, epoch: 1 }).drafts
    expect(answer).toMatchObject({ eventType: 'SignalRejected', payload: { reasonCode: 'RUN_TERMINAL' } })
  })
})

describe('hold', () => {
  it('keeps the run open with its failed step; a retry that succeeds lets the rest run [SIG-17]', () => {
    const run = scenario(plan('hold')).start().fails('a').completes('b').completes('b2')
    expect([run.status, run.substatus]).toEqual(['RUNNING', 'embedded/HOLDING'])
    expect(run.events('StepSkipped')).toEqual([])
    run.signals('RETRY_STEP', { stepId: 'a' })
    expect(run.dispatched().at(-1)).toBe('a#2')
    run.completes('a').completes('a2').completes('a3').completes('join')
    expect(run.status).toBe('COMPLETED')
  })

  it('skipping the failed step is its next attempt and satisfies its dependents [X-59]', () => {
    const run = scenario(plan('hold')).start().fails('a').signals('SKIP_STEP', { stepId: 'a' })
    expect(run.events('StepSkipped')).toEqual(['StepSkipped a#2'])
    expect(run.dispatched().at(-1)).toBe('a2#1')
  })

  it('that ends by its run’s time limit skips the dependents of the failed step only [P-46]', () => {
    const text = `policy: { onFailure: hold, runTimeoutMs: 60000, concurrency: 1 }\nsteps:${steps}\n  - { id: free, run: f, dependsOn: [] }`
    const run = scenario(text).start().fails('a').at('+2min')
    expect(run.status).toBe('FAILED')
    expect(run.events('StepSkipped')).toEqual(['a2', 'a3', 'b2', 'join'].map((id) => `StepSkipped ${id}#1`))
  })
})
