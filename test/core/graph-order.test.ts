/** Order within a run as the decider alone decides it: sequences, joins, dispatch order, skips. */
import { describe, expect, it } from 'vitest'
import { scenario } from '../fixtures/scenario.ts'

const DIAMOND = `
steps:
  - { id: top, run: f, dependsOn: [] }
  - { id: left, run: f, dependsOn: [top] }
  - { id: right, run: f, dependsOn: [top] }
  - { id: join, run: f, dependsOn: [left, right] }`

describe('a plan without dependsOn', () => {
  it('runs one step after another by order, however its steps are listed [GRF-02]', () => {
    const run = scenario(
      'steps: [{ id: a, order: 3, run: f }, { id: b, order: 1, run: f }, { id: c, order: 2, run: f }]',
    ).start()
    for (const [step, seen] of [
      ['b', ['b#1']],
      ['c', ['b#1', 'c#1']],
      ['a', ['b#1', 'c#1', 'a#1']],
    ] as const) {
      expect(run.dispatched()).toEqual(seen)
      expect(run.state.inFlight.size).toBe(1)
      run.completes(step)
    }
    expect(run.status).toBe('COMPLETED')
  })

  it('never has two steps in flight, whatever its concurrency [GRF-04, X-60]', () => {
    const run = scenario(
      'policy: { concurrency: 50 }\nsteps: [{ id: c, run: f }, { id: a, run: f }, { id: b, run: f }]',
    ).start()
    for (const step of ['c', 'a', 'b']) {
      expect(run.state.inFlight.size).toBe(1)
      run.completes(step)
    }
    expect(run.dispatched()).toEqual(['c#1', 'a#1', 'b#1'])
  })

  it('takes the steps in the order they are written when none says its order [GRF-18]', () => {
    const run = scenario('steps: [{ id: c, run: f }, { id: a, run: f }, { id: b, run: f }]').start()
    run.completes('c').completes('a').completes('b')
    expect(run.events('StepStarted')).toEqual(['StepStarted c#1', 'StepStarted a#1', 'StepStarted b#1'])
  })

  it('does not go past a manual step before a person has ended it [GRF-03]', () => {
    const run = scenario('steps: [{ id: sign, manual: { title: Sign } }, { id: send, run: f }]').start()
    run.at('+24h')
    expect(run.dispatched()).toEqual([])
    run.completes('sign')
    expect(run.dispatched()).toEqual(['send#1'])
  })

  it('stops at a failed step by default and goes on under continue [GRF-03, X-58, P-46]', () => {
    const steps = 'steps: [{ id: a, run: f, retry: { maxAttempts: 1 } }, { id: b, run: f }]'
    const stopped = scenario(steps).start().fails('a')
    expect([stopped.status, stopped.dispatched()]).toEqual(['FAILED', ['a#1']])
    const gone = scenario(`policy: { onFailure: continue }\n${steps}`).start().fails('a')
    expect(gone.dispatched()).toEqual(['a#1', 'b#1'])
    gone.completes('b')
    expect([gone.status, gone.payload('RunFailed')['rootCause']]).toMatchObject(['FAILED', { slot: 'a' }])
    expect(gone.events('StepSkipped')).toEqual([])
  })
})

describe('a graph', () => {
  it('starts a join only after every predecessor has succeeded [GRF-05, SCH-04]', () => {
    const run = scenario(DIAMOND).start().completes('top')
    expect(run.dispatched()).toEqual(['top#1', 'left#1', 'right#1'])
    run.completes('right')
    expect(run.dispatched()).toHaveLength(3)
    run.completes('left')
    expect(run.dispatched().at(-1)).toBe('join#1')
    expect(run.completes('join').status).toBe('COMPLETED')
  })

  it('runs roots side by side as soon as any step has dependsOn, even an empty one [X-60]', () => {
    const run = scenario('steps: [{ id: a, run: f }, { id: b, run: f, dependsOn: [] }, { id: c, run: f }]').start()
    expect(run.dispatched()).toEqual(['a#1', 'b#1', 'c#1'])
  })

  it('dispatches what is runnable together by order, not by list, name or kind of step [GRF-06]', () => {
    const run = scenario(
      `steps:
        - { id: z, order: 1, run: f, dependsOn: [] }
        - { id: d, order: 5, wait: { forMs: 1000 }, dependsOn: [] }
        - { id: c, order: 3, run: f, dependsOn: [], if: 'input.x' }
        - { id: b, order: 2, manual: { title: Look }, dependsOn: [] }
        - { id: a, order: 4, run: f, dependsOn: [] }`,
    ).start()
    expect(run.events('StepStarted')).toEqual(['z', 'b', 'c', 'a', 'd'].map((step) => `StepStarted ${step}#1`))
    expect(run.dispatched()).toEqual(['z#1', 'c#1', 'a#1'])
  })

  it('gives a freed slot to the lowest order, a due retry included [GRF-06]', () => {
    const steps = ['a', 'b', 'c', 'd'].map((id) => `{ id: ${id}, run: f, dependsOn: [] }`)
    const run = scenario(`policy: { concurrency: 2 }\nsteps: [${steps.join(', ')}]`)
      .start()
      .fails('a')
    expect(run.dispatched()).toEqual(['a#1', 'b#1', 'c#1'])
    run.until(run.now + 5_000)
    expect(run.dispatched()).toHaveLength(3)
    run.completes('c')
    expect(run.dispatched().slice(3)).toEqual(['a#2'])
    run.completes('b')
    expect(run.dispatched().slice(4)).toEqual(['d#1'])
  })

  it('starts a step whose condition must be asked for before a due retry of higher order [GRF-06]', () => {
    const run = scenario(
      "steps: [{ id: x, run: f, if: 'input.go', dependsOn: [z] }, { id: y, run: f, dependsOn: [] }, { id: z, run: f, dependsOn: [] }]",
    ).start()
    run.fails('y')
    // The outcome comes before anybody has woken the run for the backoff that is over.
    run.now += 5_000
    run.completes('z')
    expect(run.dispatched()).toEqual(['y#1', 'z#1', 'x#1', 'y#2'])
  })

  it('lets a skipped step satisfy its dependents: the run completes with skips [X-59, DFL-07]', () => {
    const run = scenario(DIAMOND.replace('left, run: f', 'left, run: f, if: input.x'), {
      facts: { left: { condition: false } },
    }).start()
    run.completes('top').completes('right').completes('join')
    expect(run.status).toBe('COMPLETED')
    expect(run.payload('StepSkipped', 'left')).toMatchObject({ reasonCode: 'CONDITION_FALSE' })
    expect(run.dispatched()).not.toContain('left#1')
  })

  it('lets a step an operator skipped satisfy its dependents too [X-59]', () => {
    const run = scenario(DIAMOND)
      .start()
      .signals('SKIP_STEP', { stepId: 'left' })
      .completes('top')
      .completes('right')
      .completes('join')
    expect(run.status).toBe('COMPLETED')
    expect(run.payload('StepSkipped', 'left')).toMatchObject({ reasonCode: 'OPERATOR_SKIP' })
    expect(run.dispatched()).toEqual(['top#1', 'right#1', 'join#1'])
  })
})
