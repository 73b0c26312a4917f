/** Signals as the decider judges them: who is accepted in which state, and what the log then says. */
import { describe, expect, it } from 'vitest'
import { SIGNALS, SIGNAL_TYPES, type SignalType } from '../../src/core/run/signals/catalogue.ts'
import type { RunStatus } from '../../src/core/run/state/transitions.ts'
import { scenario, type Scenario } from '../fixtures/scenario.ts'

export const TWO = `
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f }, { id: b, run: f }]`
const FAST = `
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f }, { id: b, run: f }]`

const AUTO = { kind: 'admit', policy: 'START', runInput: {}, autoApprove: true } as const
const WAITING = { kind: 'admit', policy: 'QUEUE', runInput: {}, autoApprove: false } as const

/** In every live state step `a` runs, or would; in every ended one it has ended as the run has. */
const RUNS: Readonly<Record<RunStatus, () => Scenario>> = {
  PENDING: () => scenario(FAST).take(WAITING),
  APPROVED: () => scenario(FAST).take(AUTO),
  RUNNING: () => scenario(FAST).start(),
  PAUSED: () => scenario(FAST).start().signals('PAUSE'),
  COMPLETED: () => scenario(FAST).start().completes('a').completes('b'),
  FAILED: () => scenario(FAST).start().fails('a'),
  CANCELLED: () => scenario(FAST).start().signals('CANCEL').fails('a'),
}

const PAYLOADS: Readonly<Record<SignalType, Readonly<Record<string, unknown>>>> = {
  PAUSE: {},
  RESUME: {},
  CANCEL: {},
  RETRY_STEP: { stepId: 'a' },
  RETRY_RUN: {},
  SKIP_STEP: { stepId: 'b' },
  UPDATE_PARAMS: { params: { n: 1 }, reason: 'a mistake' },
  INJECT_OVERRIDE: { stepId: 'b', override: { n: 1 }, reason: 'a mistake' },
  UPDATE_TARGET: { stepId: 'b', newTarget: { schema: 'other' }, reason: 'a mistake' },
  EMERGENCY_STOP: { reason: 'fire' },
  ESCALATE_ALERT: { level: 'P1' },
}

/** `yes`: accepted and applied; `same`: accepted, nothing to do; else the code it is refused with. */
function answer(run: Scenario, signalType: string, payload: Readonly<Record<string, unknown>>): string {
  const before = run.log.length
  run.signals(signalType, payload)
  const decided = run.log[before]?.draft
  const said = decided?.payload as { readonly applied?: boolean; readonly reasonCode?: string }
  const count = run.log
    .slice(before)
    .filter(({ draft }) => draft.eventType === 'SignalAccepted' || draft.eventType === 'SignalRejected').length
  expect(count).toBe(1)
  return decided?.eventType === 'SignalAccepted' ? (said.applied === true ? 'yes' : 'same') : (said.reasonCode ?? '?')
}

describe('the catalogue', () => {
  it('names role and destructiveness of each signal [SIG-01]', () => {
    const rows = SIGNAL_TYPES.map(
      (type) => `${type} ${SIGNALS[type].role}${SIGNALS[type].destructive ? ' destructive' : ''}`,
    )
    expect(rows.sort()).toEqual([
      'CANCEL Operator',
      'EMERGENCY_STOP Admin destructive',
      'ESCALATE_ALERT System',
      'INJECT_OVERRIDE Admin destructive',
      'PAUSE Operator',
      'RESUME Operator',
      'RETRY_RUN Engineer',
      'RETRY_STEP Engineer',
      'SKIP_STEP Engineer',
      'UPDATE_PARAMS Admin destructive',
      'UPDATE_TARGET Admin destructive',
    ])
  })

  it('has an effect for each signal, and an alert for each destructive one [SIG-01]', () => {
    const effects = (type: SignalType, run: Scenario): string[] => {
      const before = run.log.length
      run.signals(type, PAYLOADS[type])
      return run
        .events()
        .slice(before)
        .map((line) => line.replace(/ .*/, ''))
    }
    expect(effects('PAUSE', RUNS.RUNNING())).toEqual(['SignalAccepted', 'RunPaused'])
    expect(effects('RESUME', RUNS.PAUSED())).toEqual(['SignalAccepted', 'RunResumed'])
    expect(effects('CANCEL', RUNS.APPROVED())).toEqual(['SignalAccepted', 'RunCancelled'])
    expect(effects('RETRY_STEP', scenario(TWO).start().fails('a'))).toEqual(['SignalAccepted', 'StepStarted'])
    expect(effects('SKIP_STEP', RUNS.RUNNING())).toEqual(['SignalAccepted', 'StepSkipped'])
    expect(effects('RETRY_RUN', RUNS.FAILED())).toEqual(['SignalAccepted'])
    expect(effects('ESCALATE_ALERT', RUNS.RUNNING())).toEqual(['SignalAccepted', 'AlertEscalated'])
    for (const type of ['UPDATE_PARAMS', 'INJECT_OVERRIDE', 'UPDATE_TARGET'] as const) {
      expect(effects(type, RUNS.RUNNING())).toEqual(['SignalAccepted', 'AlertRaised'])
    }
    expect(effects('EMERGENCY_STOP', RUNS.RUNNING())).toEqual([
      'SignalAccepted',
      'AlertRaised',
      'StepFailed',
      'RunCancelled',
    ])
  })
})

describe('signals and the state of the run', () => {
  it('each signal in each state gets the answer the rules give it [SIG-05, X-98]', () => {
    const TERMINAL = 'RUN_TERMINAL'
    const before = {
      PAUSE: 'RUN_NOT_RUNNING',
      RESUME: 'RUN_NOT_RUNNING',
      CANCEL: 'yes',
      RETRY_STEP: 'STEP_NOT_FAILED',
      RETRY_RUN: 'RUN_NOT_TERMINAL',
      SKIP_STEP: 'RUN_NOT_RUNNING',
    }
    const changes = {
      UPDATE_PARAMS: 'yes',
      INJECT_OVERRIDE: 'yes',
      UPDATE_TARGET: 'yes',
      EMERGENCY_STOP: 'yes',
      ESCALATE_ALERT: 'yes',
    }
    const after = Object.fromEntries(SIGNAL_TYPES.map((type) => [type, TERMINAL]))
    const expected: Readonly<Record<RunStatus, Readonly<Record<string, string>>>> = {
      PENDING: { ...before, ...changes },
      APPROVED: { ...before, ...changes },
      RUNNING: {
        PAUSE: 'yes',
        RESUME: 'same',
        CANCEL: 'yes',
        RETRY_STEP: 'STEP_NOT_TERMINAL',
        RETRY_RUN: 'RUN_NOT_TERMINAL',
        SKIP_STEP: 'yes',
        ...changes,
      },
      PAUSED: {
        PAUSE: 'same',
        RESUME: 'yes',
        CANCEL: 'yes',
        RETRY_STEP: 'STEP_NOT_TERMINAL',
        RETRY_RUN: 'RUN_NOT_TERMINAL',
        SKIP_STEP: 'yes',
        ...changes,
      },
      COMPLETED: { ...after, ESCALATE_ALERT: 'yes' },
      FAILED: { ...after, RETRY_RUN: 'yes', ESCALATE_ALERT: 'yes' },
      CANCELLED: { ...after, RETRY_RUN: 'yes', ESCALATE_ALERT: 'yes' },
    }
    for (const [status, wanted] of Object.entries(expected)) {
      const given = Object.fromEntries(
        SIGNAL_TYPES.map((type) => [type, answer(RUNS[status as RunStatus](), type, PAYLOADS[type])]),
      )
      expect({ status, ...given }).toEqual({ status, ...wanted })
    }
  })

  it('an ended run never changes, and the refusal names RETRY_RUN [SIG-05, SIG-17, X-19]', () => {
    for (const status of ['COMPLETED', 'FAILED', 'CANCELLED'] as const) {
      const run = RUNS[status]()
      for (const type of SIGNAL_TYPES) run.signals(type, PAYLOADS[type])
      expect(run.status).toBe(status)
    }
    expect(RUNS.FAILED().signals('RETRY_STEP', { stepId: 'a' }).payload('SignalRejected')).toMatchObject({
      reasonCode: 'RUN_TERMINAL',
      reason: expect.stringContaining('RETRY_RUN') as string,
    })
  })
})

describe('signals and the state of a step', () => {
  const steps: Readonly<Record<string, () => Scenario>> = {
    PENDING: () => scenario(TWO).start(),
    RUNNING: () => scenario(TWO).start().completes('a'),
    SUCCESS: () => scenario(`steps: [{ id: b, run: f }, { id: c, run: f }]`).start().completes('b'),
    FAILED: () => scenario(TWO).start().completes('a').fails('b'),
    SKIPPED: () => scenario(TWO).start().signals('SKIP_STEP', { stepId: 'b' }),
  }

  it('RETRY_STEP leaves FAILED only, SKIP_STEP neither RUNNING nor SUCCESS nor SKIPPED [SIG-16]', () => {
    const given = Object.entries(steps).map(
      ([state, run]) =>
        `${state} ${answer(run(), 'RETRY_STEP', { stepId: 'b' })} ${answer(run(), 'SKIP_STEP', { stepId: 'b' })}`,
    )
    expect(given).toEqual([
      'PENDING STEP_NOT_FAILED yes',
      'RUNNING STEP_NOT_TERMINAL STEP_RUNNING',
      'SUCCESS STEP_NOT_FAILED STEP_TERMINAL',
      'FAILED yes yes',
      'SKIPPED STEP_NOT_FAILED STEP_TERMINAL',
    ])
  })

  it('a step in backoff, or whose fallback runs, still runs in the eyes of a person [SIG-16]', () => {
    const backoff = scenario(`steps: [{ id: b, run: f }]`).start().fails('b')
    expect([answer(backoff, 'RETRY_STEP', { stepId: 'b' }), answer(backoff, 'SKIP_STEP', { stepId: 'b' })]).toEqual([
      'STEP_NOT_TERMINAL',
      'STEP_RUNNING',
    ])
    const fallback = scenario(`steps: [{ id: b, run: f, retry: { maxAttempts: 1 }, fallback: { run: g } }]`)
      .start()
      .fails('b')
    expect([answer(fallback, 'RETRY_STEP', { stepId: 'b' }), answer(fallback, 'SKIP_STEP', { stepId: 'b' })]).toEqual([
      'STEP_NOT_TERMINAL',
      'STEP_RUNNING',
    ])
  })

  it('force does not open a step that succeeded: that is a fork [SIG-16, P-31]', () => {
    const run = steps['SUCCESS']?.()
    if (run === undefined) throw new Error('no story')
    run.signals('RETRY_STEP', { stepId: 'b', force: true })
    expect(run.payload('SignalRejected')).toMatchObject({
      reasonCode: 'STEP_NOT_FAILED',
      reason: expect.stringContaining('fork') as string,
    })
    expect(run.events('StepStarted')).toEqual(['StepStarted b#1', 'StepStarted c#1'])
  })

  it('a step of another plan is unknown [SIG-15]', () => {
    expect(answer(scenario(TWO).start(), 'SKIP_STEP', { stepId: 'zzz' })).toBe('STEP_UNKNOWN')
  })
})

describe('what a failed step leaves to do', () => {
  const under = (policy: string): Scenario =>
    scenario(`
policy: { onFailure: ${policy}, retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [a] }]`)
      .start()
      .fails('a')

  it('is nothing under failFast and continue, and a retry or a skip under hold [SIG-17, X-19]', () => {
    expect(under('failFast').status).toBe('FAILED')
    expect(under('failFast').events('StepSkipped')).toEqual([])
    expect(under('continue').status).toBe('FAILED')
    expect(under('continue').events('StepSkipped')).toEqual(['StepSkipped b#1'])
    const held = under('hold')
    expect([held.status, held.substatus]).toEqual(['RUNNING', 'embedded/HOLDING'])
    expect(under('hold').signals('RETRY_STEP', { stepId: 'a' }).completes('a').completes('b').status).toBe('COMPLETED')
    const skipped = under('hold').signals('SKIP_STEP', { stepId: 'a' })
    expect(skipped.events('StepSkipped', 'StepStarted')).toEqual([
      'StepStarted a#1',
      'StepSkipped a#2',
      'StepStarted b#1',
    ])
    expect(skipped.completes('b').status).toBe('COMPLETED')
    expect(answer(under('failFast'), 'RETRY_STEP', { stepId: 'a' })).toBe('RUN_TERMINAL')
  })

  it('can be retried while other branches still run, though the policy is failFast [X-19]', () => {
    const run = scenario(`
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }]`)
      .start()
      .fails('a')
    expect(run.status).toBe('RUNNING')
    run.signals('RETRY_STEP', { stepId: 'a' })
    expect(run.events('StepStarted')).toEqual(['StepStarted a#1', 'StepStarted b#1', 'StepStarted a#2'])
    expect(run.completes('a').completes('b').status).toBe('COMPLETED')
  })
})
