/** Retries as the decider schedules them: how often, after how long, and what interrupts the wait. */
import { describe, expect, it } from 'vitest'
import type { ErrorClass } from '../../src/core/events/event.ts'
import { scenario, START, type Scenario } from '../fixtures/scenario.ts'

const one = (retry = '{}'): string => `steps: [{ id: a, run: f, retry: ${retry} }]`

/** Fails every attempt of `a` at once until the run has ended. */
function failing(plan: string, errorClass: ErrorClass): Scenario {
  const run = scenario(plan).start()
  while (run.status === 'RUNNING') run.fails('a', { class: errorClass }).nextDue()
  return run
}

const executions = (run: Scenario): number => run.dispatched().length

describe('how often', () => {
  it('an attempt that fails is tried three times in all by default [RTY-01]', () => {
    expect(executions(failing(one(), 'unknown'))).toBe(3)
  })

  it.each([1, 2, 5, 10])('maxAttempts %i counts the first try [RTY-01]', (maxAttempts) => {
    expect(executions(failing(one(`{ maxAttempts: ${maxAttempts} }`), 'unknown'))).toBe(maxAttempts)
  })

  it.each(['timeout', 'rate_limit', '5xx', 'transport'] as const)('%s is retried [RTY-03, ERR-01]', (errorClass) => {
    expect(executions(failing(one(), errorClass))).toBe(3)
  })

  it.each(['validation', 'policy_deny', 'auth_deny', 'conflict', 'permanent', 'cancelled'] as const)(
    '%s is executed once only [RTY-04, ERR-01]',
    (errorClass) => {
      const run = failing(one(), errorClass)
      expect([executions(run), run.status, run.elapsed]).toEqual([1, 'FAILED', 0])
    },
  )

  it('retryableErrors without timeout fails a timeout at once [RTY-10, RTY-14]', () => {
    expect(executions(failing(one('{ retryableErrors: [transport] }'), 'timeout'))).toBe(1)
    expect(executions(failing(one('{ retryableErrors: [timeout] }'), 'timeout'))).toBe(3)
  })

  it('a list of classes leaves an unknown error out unless it names it [RTY-14]', () => {
    expect(executions(failing(one('{ retryableErrors: [timeout] }'), 'unknown'))).toBe(1)
    expect(executions(failing(one('{ retryableErrors: [unknown] }'), 'unknown'))).toBe(3)
  })
})

describe('how long', () => {
  it('the waits before the retries are 1, 2, 4, 8, 16 and then 30 seconds [RTY-02]', () => {
    const run = failing(one('{ maxAttempts: 8 }'), 'unknown')
    const starts = run.log.filter(({ draft }) => draft.eventType === 'StepStarted').map(({ at }) => at - START)
    expect(starts.map((at, index) => at - (starts[index - 1] ?? 0))).toEqual([
      0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ])
  })

  it('no attempt starts a millisecond early', () => {
    const run = scenario(one()).start().fails('a').at('+999ms')
    expect(executions(run)).toBe(1)
    expect(executions(run.at('+1ms'))).toBe(2)
  })
})

describe('in the log', () => {
  it('a policy retry is a logical attempt of its own: one start and one end each, only the last end final [RTY-08, X-17]', () => {
    const run = failing(one(), 'unknown')
    expect(run.events('StepStarted', 'StepFailed')).toEqual(
      [1, 2, 3].flatMap((attempt) => [`StepStarted a#${attempt}`, `StepFailed a#${attempt}`]),
    )
    const ends = run.log.flatMap(({ draft }) => (draft.eventType === 'StepFailed' ? [draft] : []))
    expect(ends.map(({ payload }) => (payload as { final: boolean }).final)).toEqual([false, false, true])
    expect(ends.map(({ engineAttempt }) => engineAttempt)).toEqual([1, 1, 1])
  })

  it('a platform retry raises the engine attempt of its outcome and adds no event [RTY-08, X-17]', () => {
    const run = scenario(one()).start()
    const before = run.log.length
    run.completes('a', undefined, { engineAttempt: 2 })
    expect(run.log.slice(before).map(({ draft }) => [draft.eventType, draft.attempt, draft.engineAttempt])).toEqual([
      ['StepCompleted', 1, 2],
      ['RunCompleted', 1, 1],
    ])
  })

  it('the run shows RETRYING while a retry is pending and only then [RTY-09]', () => {
    const run = scenario(one()).start()
    expect(run.substatus).toBeUndefined()
    run.fails('a')
    expect([run.status, run.substatus]).toEqual(['RUNNING', 'RETRYING'])
    run.at('+1s')
    expect(run.substatus).toBeUndefined()
    run.completes('a')
    expect([run.status, run.substatus]).toEqual(['COMPLETED', undefined])
  })

  it('a failing run that lets its work settle does not claim to retry [RTY-09]', () => {
    const steps = ['a', 'b', 'c'].map((id) => `{ id: ${id}, run: f, dependsOn: [] }`)
    const run = scenario(`steps: [${steps.join(', ')}]`)
      .start()
      .fails('a')
      .fails('b', { class: 'validation' })
    expect([run.status, run.substatus]).toEqual(['RUNNING', undefined])
    expect(run.settle().dispatched()).toEqual(['a#1', 'b#1', 'c#1'])
    expect(run.completes('c').status).toBe('FAILED')
  })
})

describe('a backoff', () => {
  const slow = one('{ initialBackoffMs: 4000 }')

  it('ends at once with a cancel [RTY-13]', () => {
    const run = scenario(slow).start().fails('a').at('+1s').signals('CANCEL')
    expect([run.status, run.elapsed, executions(run.settle())]).toEqual(['CANCELLED', 1000, 1])
  })

  it('stands still during a pause: paused after 1 of 4 s, resumed at 60 s, it goes on for 3 s [RTY-13]', () => {
    const run = scenario(slow).start().fails('a').at('+1s').signals('PAUSE').at('+59s')
    expect(executions(run)).toBe(1)
    run.signals('RESUME')
    expect(executions(run)).toBe(1)
    run.at('+2999ms')
    expect(executions(run)).toBe(1)
    run.at('+1ms')
    expect(executions(run)).toBe(2)
    expect(executions(run.at('+10min'))).toBe(2)
  })

  it('that begins during a pause runs its whole length after the resume [RTY-13]', () => {
    const run = scenario(slow).start().signals('PAUSE').at('+10s').fails('a').at('+50s').signals('RESUME').at('+3999ms')
    expect(executions(run)).toBe(1)
    expect(executions(run.at('+1ms'))).toBe(2)
  })

  it('is the same after the state was folded anew from the log', () => {
    const run = scenario(slow).start().fails('a').at('+1s').signals('PAUSE').at('+59s').signals('RESUME')
    expect(run.refolded().retries?.timer).toEqual(run.state.retries?.timer)
  })
})
