/** What cannot be undone, and what the end of a run says about its compensations. */
import { describe, expect, it } from 'vitest'
import { scenario } from '../fixtures/scenario.ts'
import { step, undone, plan, broken } from './compensation-plans.ts'

describe('what cannot be undone', () => {
  it('is not what only waited, for a time or for a person [CMP-09]', () => {
    const wait = '{ id: nap, wait: { forMs: 5 }, dependsOn: [] }'
    const manual = '{ id: sign, manual: { title: Sign }, dependsOn: [] }'
    const run = scenario(plan(undone('a'), wait, manual, broken)).start()
    run.completes('a').at('+3s').completes('sign')
    expect(run.payload('StepCompleted', 'sign')['durationMs']).toBe(3000)
    expect(run.payload('StepCompleted', 'nap')['durationMs']).toBe(5)
    run.fails('bad').completes('COMP:a')
    expect(run.payload('RunFailed')['compensation']).toMatchObject({ done: 1, notCompensable: 0 })
  })

  it('is counted and passed over: a mixed plan undoes the rest [CMP-09]', () => {
    const run = scenario(plan(undone('a'), step('mail'), step('look', 'effect: none'), undone('b'), broken)).start()
    run
      .completes('a')
      .completes('mail')
      .completes('look')
      .completes('b')
      .fails('bad')
      .completes('COMP:b')
      .completes('COMP:a')
    expect(run.payload('RunFailed')['compensation']).toEqual({
      done: 2,
      failed: 0,
      notCompensable: 1,
      unfinished: 0,
      slots: ['b', 'a'],
      actions: [
        { slot: 'b', result: 'undone', attempts: 1 },
        { slot: 'a', result: 'undone', attempts: 1 },
      ],
    })
  })

  it('is recorded even when there is nothing to undo at all [CMP-09]', () => {
    const run = scenario(plan(step('mail'), broken))
      .start()
      .completes('mail')
      .fails('bad')
    expect(run.payload('RunFailed')['compensation']).toMatchObject({ done: 0, notCompensable: 1 })
  })
})

describe('the end of the run', () => {
  it('names every action with its result and its tries [CMP-06]', () => {
    const run = scenario(plan(undone('a'), undone('b'), broken))
      .start()
      .completes('a')
      .completes('b')
      .fails('bad')
    run.fails('COMP:b').nextDue().completes('COMP:b').fails('COMP:a').nextDue().fails('COMP:a')
    expect(run.status).toBe('FAILED')
    expect(run.payload('RunFailed')).toMatchObject({
      error: { code: 'UNKNOWN' },
      rootCause: { slot: 'bad' },
      compensation: { done: 1, failed: 1, slots: ['b', 'a'] },
    })
    expect(run.events('CompensationCompleted', 'CompensationFailed')).toEqual([
      'CompensationFailed COMP:b#1',
      'CompensationCompleted COMP:b#2',
      'CompensationFailed COMP:a#1',
      'CompensationFailed COMP:a#2',
    ])
  })

  it('is not changed by CANCEL or PAUSE during compensation [X-76]', () => {
    const run = scenario(plan(undone('a'), broken))
      .start()
      .completes('a')
      .fails('bad')
      .signals('CANCEL')
      .signals('PAUSE')
    expect(run.events('RunPaused', 'RunCancelled')).toEqual([])
    expect(run.payload('SignalAccepted')).toMatchObject({ applied: false })
    expect(run.completes('COMP:a').status).toBe('FAILED')
    expect(run.payload('RunFailed')['compensation']).toMatchObject({ done: 1, unfinished: 0 })
  })

  it('comes at once with EMERGENCY_STOP, which names the compensations left undone and stops the one at work [X-76]', () => {
    const run = scenario(plan(undone('a'), undone('b'), undone('c'), broken)).start()
    run
      .completes('a')
      .completes('b')
      .completes('c')
      .fails('bad')
      .completes('COMP:c')
      .signals('EMERGENCY_STOP', { reason: 'fire' })
    expect(run.status).toBe('FAILED')
    expect(run.payload('RunFailed')['compensation']).toMatchObject({ done: 1, unfinished: 2, slots: ['c', 'b'] })
    expect(run.effects.at(-1)).toMatchObject({ kind: 'CancelStep', slot: 'COMP:b' })
  })

  it('is the same when a new driver takes over in the middle: the compensation at work is owed again [X-76]', () => {
    const run = scenario(plan(undone('a'), undone('b'), broken))
      .start()
      .completes('a')
      .completes('b')
      .fails('bad')
      .adopted()
    run.completes('COMP:b', undefined, { engineAttempt: 2 }).completes('COMP:a')
    expect(run.payload('RunFailed')['compensation']).toMatchObject({ done: 2, failed: 0 })
  })
})
