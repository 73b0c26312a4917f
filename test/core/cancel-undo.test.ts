/** A cancellation that asks for undoing, as the decider alone decides it. */
import { describe, expect, it } from 'vitest'
import { scenario, type Scenario } from '../fixtures/scenario.ts'

const undone = (id: string): string => `{ id: ${id}, run: f, dependsOn: [], compensate: { run: undo } }`
const plan = (...steps: readonly string[]): string => `steps: [${steps.join(', ')}]`
const HOOKS = ['CompensationStarted', 'CompensationCompleted', 'CompensationFailed'] as const

const twoDone = (): Scenario =>
  scenario(plan(undone('a'), undone('b'), undone('late')))
    .start()
    .completes('b')
    .completes('a')

describe('CANCEL with undo', () => {
  it('undoes what was finished, newest first, one at a time, and ends CANCELLED with what became of it [CMP-03, X-76]', () => {
    const run = twoDone().signals('CANCEL', { undo: true, reason: 'wrong order' })
    expect(run.events(...HOOKS)).toEqual([])
    run.completes('late')
    expect(run.events(...HOOKS)).toEqual(['CompensationStarted COMP:late#1'])
    run.completes('COMP:late').completes('COMP:a')
    expect([run.status, run.substatus]).toEqual(['RUNNING', 'embedded/CANCELLING'])
    run.completes('COMP:b')
    expect(run.status).toBe('CANCELLED')
    expect(run.payload('SignalAccepted')).toMatchObject({ undo: true, applied: true, reason: 'wrong order' })
    expect(run.payload('RunCancelled')).toMatchObject({
      cause: 'CANCEL',
      compensation: { done: 3, failed: 0, unfinished: 0, slots: ['late', 'a', 'b'] },
    })
    expect(run.refolded()).toEqual(run.state)
  })

  it('waits for the grace of what is in flight before it undoes, and not for what was forced to end [CMP-11, CAN-01]', () => {
    const run = twoDone().signals('CANCEL', { undo: true })
    run.at('+4s')
    expect(run.events(...HOOKS)).toEqual([])
    run.at('+1s')
    expect(run.events(...HOOKS)).toEqual(['CompensationStarted COMP:a#1'])
    run.completes('COMP:a').completes('COMP:b')
    expect(run.payload('RunCancelled')['compensation']).toMatchObject({ done: 2, slots: ['a', 'b'] })
  })

  it('tries a hook that fails again, goes on after it gave up, and still ends CANCELLED [CMP-04, CMP-05]', () => {
    const run = twoDone().signals('CANCEL', { undo: true }).completes('late').completes('COMP:late')
    run.fails('COMP:a').at('+1s').fails('COMP:a').completes('COMP:b')
    expect(run.status).toBe('CANCELLED')
    expect(run.payload('RunCancelled')['compensation']).toMatchObject({ done: 2, failed: 1 })
  })

  it('goes on where it was under a new driver [CMP-03]', () => {
    const run = twoDone().signals('CANCEL', { undo: true }).completes('late').completes('COMP:late').adopted()
    run.outcome('COMP:a', { kind: 'completed', payload: { artifactRefs: [] }, data: {} }, { engineAttempt: 2 })
    run.completes('COMP:b')
    expect([run.status, run.payload('RunCancelled')['compensation']]).toMatchObject(['CANCELLED', { done: 3 }])
  })

  it('undoes a paused run, and a run that is held, too [CAN-13]', () => {
    const paused = twoDone().signals('PAUSE').signals('CANCEL', { undo: true }).completes('late')
    paused.completes('COMP:late').completes('COMP:a').completes('COMP:b')
    expect(paused.status).toBe('CANCELLED')
    const held = scenario(
      `policy: { onFailure: hold, retry: { maxAttempts: 1 } }\n${plan(undone('a'), '{ id: bad, run: f, dependsOn: [] }')}`,
    )
    held.start().completes('a').fails('bad').signals('CANCEL', { undo: true }).completes('COMP:a')
    expect([held.status, held.payload('RunCancelled')['compensation']]).toMatchObject(['CANCELLED', { done: 1 }])
  })

  it.each([
    ['a run that goes on', false, 'late', { done: 0, unfinished: 3 }],
    ['a paused run', true, 'late', { done: 0, unfinished: 3 }],
    ['a run whose undoing had not begun', false, undefined, { done: 0, unfinished: 2 }],
    ['a paused run whose undoing had not begun', true, undefined, { done: 0, unfinished: 2 }],
  ])(
    'is cut short in %s by an emergency stop, and what was left is on record [X-76, SSM-02]',
    (_, isPaused, ends, left) => {
      const run = isPaused ? twoDone().signals('PAUSE') : twoDone()
      run.signals('CANCEL', { undo: true })
      if (ends !== undefined) run.completes(ends)
      run.signals('EMERGENCY_STOP', { reason: 'fire' })
      expect(run.status).toBe('CANCELLED')
      expect(run.payload('RunCancelled')).toMatchObject({ cause: 'EMERGENCY_STOP', compensation: left })
    },
  )

  it('changes nothing once the run is being cancelled or undone [SIG-16]', () => {
    const run = twoDone().signals('CANCEL').signals('CANCEL', { undo: true })
    expect(run.payload('SignalAccepted')).toMatchObject({ applied: false })
    expect(run.payload('SignalAccepted')['undo']).toBeUndefined()
    run.completes('late')
    expect([run.status, run.events(...HOOKS)]).toEqual(['CANCELLED', []])
    expect(run.payload('RunCancelled')['compensation']).toBeUndefined()
  })

  it('is refused by a run of older rules, whose drivers would undo nothing', () => {
    const run = twoDone()
    run.state = { ...run.state, rulesVersion: 5 }
    run.signals('CANCEL', { undo: true })
    expect(run.payload('SignalRejected')).toMatchObject({
      reasonCode: 'SIGNAL_INVALID_PAYLOAD',
      reason: expect.stringContaining('rules version 5') as string,
    })
    expect(run.status).toBe('RUNNING')
  })
})
