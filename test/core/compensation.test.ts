/** Undoing finished work when a run fails, as the decider alone decides it. */
import { describe, expect, it } from 'vitest'
import { scenario } from '../fixtures/scenario.ts'
import { step, undone, plan, broken, HOOKS } from './compensation-plans.ts'

describe('when it starts', () => {
  it('not when only read-only steps have succeeded [CMP-01]', () => {
    const run = scenario(plan(step('look', 'effect: none'), broken))
      .start()
      .completes('look')
      .fails('bad')
    expect(run.status).toBe('FAILED')
    expect(run.events(...HOOKS)).toEqual([])
    expect(run.payload('RunFailed')['compensation']).toBeUndefined()
  })

  it('when a step with an effect has succeeded, before the run has failed [CMP-01, GRF-08, X-76]', () => {
    const run = scenario(plan(undone('a'), broken))
      .start()
      .completes('a')
      .fails('bad')
    expect([run.status, run.substatus]).toEqual(['RUNNING', 'embedded/COMPENSATING'])
    expect(run.events(...HOOKS)).toEqual(['CompensationStarted COMP:a#1'])
    run.completes('COMP:a')
    expect(run.status).toBe('FAILED')
    expect(run.log.at(-1)?.draft.eventType).toBe('RunFailed')
  })

  it('only once the attempts in flight have settled, those that succeeded meanwhile included [CMP-11, X-76]', () => {
    const run = scenario(plan(undone('a'), undone('late'), broken))
      .start()
      .completes('a')
      .fails('bad')
    expect(run.events(...HOOKS)).toEqual([])
    run.at('+1min').completes('late')
    expect(run.events(...HOOKS)).toEqual(['CompensationStarted COMP:late#1'])
    run.completes('COMP:late').completes('COMP:a')
    expect(run.payload('RunFailed')['compensation']).toMatchObject({ done: 2, slots: ['late', 'a'] })
  })

  it('at once when only people are waited for: their tasks are closed as cancelled [X-76]', () => {
    const run = scenario(plan(undone('a'), '{ id: sign, manual: { title: Sign }, dependsOn: [] }', broken))
      .start()
      .completes('a')
      .fails('bad')
    expect(run.payload('StepFailed', 'sign')).toMatchObject({ final: true, error: { code: 'CANCELLED' } })
    expect(run.events(...HOOKS)).toEqual(['CompensationStarted COMP:a#1'])
    const before = run.log.length
    run.completes('sign')
    expect(run.log.slice(before).map(({ draft }) => draft.eventType)).toEqual(['LateOutcomeRecorded'])
  })

  it('not when a run completes or is cancelled [X-76]', () => {
    expect(
      scenario(plan(undone('a')))
        .start()
        .completes('a')
        .events(...HOOKS),
    ).toEqual([])
    const cancelled = scenario(plan(undone('a'), step('b')))
      .start()
      .completes('a')
      .signals('CANCEL')
      .completes('b')
    expect([cancelled.status, cancelled.events(...HOOKS)]).toEqual(['CANCELLED', []])
  })
})

describe('its order', () => {
  it('is the reverse of completion, not of order, one compensation at a time [CMP-03]', () => {
    const run = scenario(plan(undone('a'), undone('b'), undone('c'), broken)).start()
    run.completes('b').completes('c').completes('a').fails('bad')
    for (const compensation of ['a', 'c', 'b']) {
      expect(run.events('CompensationStarted').at(-1)).toBe(`CompensationStarted COMP:${compensation}#1`)
      expect(run.effects.filter(({ kind }) => kind === 'Compensate')).toHaveLength(
        run.events('CompensationStarted').length,
      )
      run.completes(`COMP:${compensation}`)
    }
    expect(run.status).toBe('FAILED')
    expect(run.events('CompensationStarted')).toHaveLength(3)
  })

  it('leaves out steps that failed, were skipped or never started [CMP-03]', () => {
    const text = plan(
      undone('a'),
      undone('b').replace('run: f', 'run: f, if: input.x'),
      step('bad', 'retry: { maxAttempts: 1 }, compensate: { run: undo }'),
      step('never', 'compensate: { run: undo }').replace('dependsOn: []', 'dependsOn: [bad]'),
    )
    const run = scenario(text, { facts: { b: { condition: false } } })
      .start()
      .completes('a')
      .fails('bad')
      .completes('COMP:a')
    expect(run.status).toBe('FAILED')
    expect(run.events('CompensationStarted')).toEqual(['CompensationStarted COMP:a#1'])
  })

  it('undoes what a fallback did in its step’s place [CMP-03]', () => {
    const run = scenario(
      plan(
        step('a', 'retry: { maxAttempts: 1 }, fallback: { run: g }, compensate: { run: undo }'),
        step('next', 'retry: { maxAttempts: 1 }').replace('dependsOn: []', 'dependsOn: [a]'),
      ),
    ).start()
    run.fails('a').completes('FALLBACK:a').fails('next').completes('COMP:FALLBACK:a')
    expect(run.payload('RunFailed')['compensation']).toMatchObject({ done: 1, slots: ['FALLBACK:a'] })
  })

  it('undoes the finished items of a fan-out one by one, newest first [CMP-03]', () => {
    const run = scenario(plan(step('all', 'forEach: input.list, compensate: { run: undo }'), broken), {
      facts: { all: { items: 3 } },
    }).start()
    run.completes('all[1]').completes('all[0]').fails('bad').completes('all[2]')
    for (const compensation of ['all[2]', 'all[0]', 'all[1]']) run.completes(`COMP:${compensation}`)
    expect(run.events('CompensationStarted')).toEqual(
      ['COMP:all[2]#1', 'COMP:all[0]#1', 'COMP:all[1]#1'].map((slot) => `CompensationStarted ${slot}`),
    )
    expect(run.status).toBe('FAILED')
  })
})

describe('a compensation that fails', () => {
  it('is tried twice with a second between by default [CMP-04]', () => {
    const run = scenario(plan(undone('a'), broken))
      .start()
      .completes('a')
      .fails('bad')
      .fails('COMP:a')
    expect(run.payload('CompensationFailed')).toMatchObject({ final: false })
    run.at('+999ms')
    expect(run.events('CompensationStarted')).toHaveLength(1)
    run.at('+1ms')
    expect(run.events('CompensationStarted')).toHaveLength(2)
    run.fails('COMP:a')
    expect([run.status, run.payload('CompensationFailed')['final']]).toEqual(['FAILED', true])
  })

  it('waits 1, 2, 4, 8, then 10 seconds when it may try more often [CMP-04]', () => {
    const run = scenario(plan(step('a', 'compensate: { run: undo, retry: { maxAttempts: 7 } }'), broken))
      .start()
      .completes('a')
      .fails('bad')
    while (run.status === 'RUNNING') run.fails('COMP:a').nextDue()
    const starts = run.log.flatMap(({ draft, at }) => (draft.eventType === 'CompensationStarted' ? [at] : []))
    expect(starts.slice(1).map((at, index) => at - (starts[index] ?? 0))).toEqual([
      1000, 2000, 4000, 8000, 10_000, 10_000,
    ])
  })

  it('does not stop the rest; the summary has the result and tries of each [CMP-05, CMP-06]', () => {
    const run = scenario(plan(undone('a'), undone('b'), undone('c'), broken)).start()
    run.completes('a').completes('b').completes('c').fails('bad')
    run.completes('COMP:c').fails('COMP:b').nextDue().fails('COMP:b').completes('COMP:a')
    expect(run.status).toBe('FAILED')
    expect(run.payload('RunFailed')['compensation']).toEqual({
      done: 2,
      failed: 1,
      notCompensable: 0,
      unfinished: 0,
      slots: ['c', 'b', 'a'],
      actions: [
        { slot: 'c', result: 'undone', attempts: 1 },
        { slot: 'b', result: 'failed', attempts: 2 },
        { slot: 'a', result: 'undone', attempts: 1 },
      ],
    })
  })

  it('for good is not tried again: the next compensation runs at once [CMP-05, RTY-04]', () => {
    const run = scenario(plan(undone('a'), undone('b'), broken))
      .start()
      .completes('a')
      .completes('b')
      .fails('bad')
    run.fails('COMP:b', { class: 'validation' })
    expect(run.events('CompensationStarted')).toEqual(['CompensationStarted COMP:b#1', 'CompensationStarted COMP:a#1'])
  })
})

describe('a compensation that was sent out again', () => {
  it('says that it may have run twice, done or failed, as steps do [CMP-04]', () => {
    const again = (): ReturnType<typeof scenario> =>
      scenario(plan(undone('a'), broken))
        .start()
        .completes('a')
        .fails('bad')
        .adopted()
    const done = again().completes('COMP:a', undefined, { engineAttempt: 2 })
    expect(done.payload('CompensationCompleted')).toMatchObject({ mayHaveRunTwice: true })
    const failed = again().fails('COMP:a', { engineAttempt: 2 })
    expect(failed.payload('CompensationFailed')).toMatchObject({ mayHaveRunTwice: true })
    const once = scenario(plan(undone('a'), broken))
      .start()
      .completes('a')
      .fails('bad')
      .completes('COMP:a')
    expect(once.payload('CompensationCompleted')).not.toHaveProperty('mayHaveRunTwice')
  })
})
