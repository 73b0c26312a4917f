/** The state machine against a table of its own, and the runs that walk through it. */
import { describe, expect, it } from 'vitest'
import { EVENTS, EVENT_TYPES, type EventType } from '../../src/core/events/event.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import { emit, openWorkspace } from '../../src/core/run/proceed/workspace.ts'
import { evolve } from '../../src/core/run/evolve/evolve.ts'
import type { FoldEvent } from '../../src/core/run/fold-event.ts'
import type { RunState } from '../../src/core/run/state/state.ts'
import {
  AFTER_END,
  ATTEMPT_TRANSITIONS,
  RUN_TRANSITIONS,
  runTransition,
  type RunStatus,
} from '../../src/core/run/state/transitions.ts'
import { scenario, START, type Scenario } from '../fixtures/scenario.ts'

export const ONE = `steps: [{ id: a, run: f }]`
export const TWO = `steps: [{ id: a, run: f }, { id: b, run: f }]`

/** Written from the requirement, not from the code. */
const MOVES: Readonly<Record<RunStatus, Readonly<Partial<Record<EventType, RunStatus>>>>> = {
  PENDING: {
    RunQueued: 'PENDING',
    RunValidated: 'PENDING',
    RunApproved: 'APPROVED',
    RunFailed: 'FAILED',
    RunCancelled: 'CANCELLED',
  },
  APPROVED: { RunQueued: 'APPROVED', RunStarted: 'RUNNING', RunFailed: 'FAILED', RunCancelled: 'CANCELLED' },
  RUNNING: { RunPaused: 'PAUSED', RunCompleted: 'COMPLETED', RunFailed: 'FAILED', RunCancelled: 'CANCELLED' },
  PAUSED: { RunResumed: 'RUNNING', RunCancelled: 'CANCELLED' },
  COMPLETED: {},
  FAILED: {},
  CANCELLED: {},
}
const STATUSES = Object.keys(MOVES) as RunStatus[]
const RUN_EVENTS = [
  'RunQueued',
  'RunValidated',
  'RunApproved',
  'RunStarted',
  'RunPaused',
  'RunResumed',
  'RunCompleted',
  'RunFailed',
  'RunCancelled',
] as const

const AUTO = { kind: 'admit', policy: 'START', runInput: {}, autoApprove: true } as const
const IN_STATUS: Readonly<Record<RunStatus, () => Scenario>> = {
  PENDING: () => scenario(ONE),
  APPROVED: () => scenario(ONE).take(AUTO),
  RUNNING: () => scenario(ONE).start(),
  PAUSED: () => scenario(ONE).start().signals('PAUSE'),
  COMPLETED: () => scenario(ONE).start().completes('a'),
  FAILED: () => scenario(ONE).start().fails('a', { class: 'permanent' }),
  CANCELLED: () => scenario(ONE).take(AUTO).signals('CANCEL'),
}

function eventFor(state: RunState, eventType: string, more: Partial<FoldEvent> = {}): FoldEvent {
  const payload = { epoch: 1, maxInFlight: 10, rulesVersion: 1, engineType: 'embedded' }
  return { runSeq: state.seq + 1, eventType, slot: 'RUN', attempt: 1, engineAttempt: 1, at: START, payload, ...more }
}

function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (thrown) {
    return thrown instanceof KeelsonError ? thrown.code : String(thrown)
  }
  return 'nothing thrown'
}

describe('the states', () => {
  it('of a run are seven words in upper case [SSM-01]', () => {
    expect(Object.keys(RUN_TRANSITIONS)).toEqual([
      'PENDING',
      'APPROVED',
      'RUNNING',
      'PAUSED',
      'COMPLETED',
      'FAILED',
      'CANCELLED',
    ])
    expect(STATUSES.map((status) => IN_STATUS[status]().status)).toEqual(STATUSES)
  })

  it('of an attempt are five words in upper case [SSM-07]', () => {
    expect(Object.keys(ATTEMPT_TRANSITIONS)).toEqual(['PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'SKIPPED'])
    expect(ATTEMPT_TRANSITIONS).toEqual({
      PENDING: { StepStarted: 'RUNNING', StepSkipped: 'SKIPPED' },
      RUNNING: { StepCompleted: 'SUCCESS', StepFailed: 'FAILED' },
      SUCCESS: {},
      FAILED: {},
      SKIPPED: {},
    })
  })

  it('allow exactly the run moves of the requirement, in the table and in the fold [SSM-02, X-33]', () => {
    for (const status of STATUSES) {
      for (const eventType of EVENT_TYPES)
        expect(`${status} ${eventType} ${runTransition(status, eventType)}`).toBe(
          `${status} ${eventType} ${MOVES[status][eventType]}`,
        )
      const { state } = IN_STATUS[status]()
      for (const eventType of RUN_EVENTS) {
        const to = MOVES[status][eventType]
        const fold = () => evolve(state, eventFor(state, eventType)).status
        if (to === undefined)
          expect(`${status} ${eventType} ${codeOf(fold)}`).toBe(`${status} ${eventType} INVALID_TRANSITION`)
        else expect(`${status} ${eventType} ${fold()}`).toBe(`${status} ${eventType} ${to}`)
      }
    }
  })

  it('PENDING and APPROVED are never reached by an event of the engine [SSM-03]', () => {
    const byEngine = new Map<string, string>()
    for (const moves of Object.values(RUN_TRANSITIONS)) {
      for (const [eventType, to] of Object.entries(moves))
        if (EVENTS[eventType as EventType].emittedBy === 'engine') byEngine.set(eventType, to)
    }
    expect(Object.fromEntries(byEngine)).toEqual({
      RunStarted: 'RUNNING',
      RunPaused: 'PAUSED',
      RunResumed: 'RUNNING',
      RunCompleted: 'COMPLETED',
      RunFailed: 'FAILED',
      RunCancelled: 'CANCELLED',
    })
    expect(EVENTS.RunApproved.emittedBy).toBe('planner')
  })
})

describe('an ended run', () => {
  it('takes only the few events that may follow its end, and never changes its status [P-48]', () => {
    const mayFollow = [
      'SignalAccepted',
      'SignalRejected',
      'LateOutcomeRecorded',
      'RunForked',
      'AlertRaised',
      'AlertEscalated',
      'ErasureRecorded',
    ]
    expect([...AFTER_END].sort()).toEqual(mayFollow.sort())
    for (const status of ['COMPLETED', 'FAILED', 'CANCELLED'] as const) {
      const { state } = IN_STATUS[status]()
      for (const eventType of EVENT_TYPES) {
        const about = EVENTS[eventType].level === 'run' || AFTER_END.has(eventType) ? 'RUN' : 'a'
        const fold = () =>
          evolve(state, eventFor(state, eventType, { slot: about, payload: { signalType: 'PAUSE', applied: false } }))
        if (mayFollow.includes(eventType)) expect(fold().status).toBe(status)
        else expect(`${eventType} ${codeOf(fold)}`).toBe(`${eventType} INVALID_TRANSITION`)
      }
    }
  })

  it('decides nothing more, whatever timer, outcome or hand-over still arrives [P-48]', () => {
    const run = IN_STATUS.COMPLETED()
    const length = run.log.length
    run.take({ kind: 'timer', timer: 'grace' }).take({ kind: 'continue', cause: 'cut:1', facts: new Map() }).adopted()
    run.take({ kind: 'approve', approvedBy: 'someone' }).take(AUTO).completes('a').take({ kind: 'upgrade', to: 9 })
    run.take({
      kind: 'handoff',
      payload: { fromEngine: 'embedded', toEngine: 'temporal', engineRunRef: 'x', maxInFlight: 5 },
    })
    expect(run.log).toHaveLength(length)
  })

  it('is reached with RunFailed or RunCancelled although nothing was started [SSM-15, X-33]', () => {
    const cancelled = scenario(ONE)
      .take({ kind: 'admit', policy: 'QUEUE', runInput: {}, autoApprove: false })
      .signals('CANCEL')
    expect(cancelled.events()).toEqual(['RunQueued RUN#1', 'SignalAccepted SIGNAL:s1#1', 'RunCancelled RUN#1'])
    const failed = scenario(ONE)
      .take(AUTO)
      .take({ kind: 'start', details: DETAILS, integrityFailure: { message: 'other bytes' } })
    expect(failed.status).toBe('FAILED')
    expect(failed.events('RunStarted', 'StepStarted')).toEqual([])
    expect(failed.payload('AlertRaised')).toMatchObject({ code: 'PLAN_INTEGRITY_VALIDATION_FAILED', priority: 'P1' })
    expect(failed.payload('RunFailed')).toMatchObject({ error: { code: 'PLAN_INTEGRITY_VALIDATION_FAILED' } })
    expect(failed.effects).toEqual([])
  })
})

export const DETAILS = {
  engineRunRef: 'embedded://story',
  engineType: 'embedded',
  planRef: { uri: 'plan:x', sha256: '0'.repeat(64), schemaVersion: 'v1.0', planId: 'story', planVersion: '1.0.0' },
  context: { tenantId: 'local', projectId: 'default', environmentId: 'local' },
} as const

describe('each ending has its own cause', () => {
  it('all steps done or skipped completes, a step out of attempts fails, a cancel cancels [SSM-06]', () => {
    const skipped = scenario(`steps: [{ id: a, run: f }, { id: b, if: "input.go", run: f }]`, {
      facts: { b: { condition: false } },
    })
    expect(skipped.start().completes('a').status).toBe('COMPLETED')
    const retried = scenario(`steps: [{ id: a, run: f, retry: { maxAttempts: 2 } }]`).start().fails('a')
    expect(retried.status).toBe('RUNNING')
    expect(retried.at('+1s').fails('a').status).toBe('FAILED')
    expect(scenario(ONE).start().signals('CANCEL').fails('a').status).toBe('CANCELLED')
    const stopped = scenario(ONE).start().signals('EMERGENCY_STOP', { reason: 'fire' })
    expect(stopped.status).toBe('CANCELLED')
    expect(stopped.payload('RunCancelled')).toMatchObject({ cause: 'EMERGENCY_STOP' })
  })

  it('every canonical event of an engine comes up in some run [EVT-05]', () => {
    const seen = new Set(
      [
        scenario(TWO).start().signals('PAUSE').signals('RESUME').completes('a').completes('b'),
        scenario(ONE).start().fails('a', { class: 'permanent' }),
        scenario(ONE).start().signals('CANCEL').fails('a'),
        scenario(`steps: [{ id: a, if: "input.go", run: f }]`, { facts: { a: { condition: false } } }).start(),
      ].flatMap((run) => run.log.map(({ draft }) => draft.eventType)),
    )
    const wanted = [
      'RunStarted',
      'StepStarted',
      'StepCompleted',
      'StepFailed',
      'StepSkipped',
      'RunPaused',
      'RunResumed',
      'RunCompleted',
      'RunFailed',
      'RunCancelled',
    ]
    expect(wanted.filter((eventType) => !seen.has(eventType as EventType))).toEqual([])
  })
})

describe('the guard of the producer', () => {
  const workspace = (run: Scenario) =>
    openWorkspace(run.state, { kind: 'continue', cause: 'test', facts: new Map(), now: START, epoch: 1 }, 500)
  const started = { startedAt: '2030-01-01T00:00:00.000Z', epoch: 1 }
  const completed = { completedAt: '2030-01-01T00:00:00.000Z', artifactRefs: [] }

  it('refuses a start of a skipped attempt and of a step the plan does not have, and drafts nothing [SSM-08]', () => {
    const run = scenario(TWO).start().signals('SKIP_STEP', { stepId: 'b' })
    for (const slot of ['b', 'nowhere']) {
      const ws = workspace(run)
      expect(codeOf(() => emit(ws, 'StepStarted', slot, 1, started))).toBe('INVALID_TRANSITION')
      expect(ws.drafts).toEqual([])
      expect(ws.state).toBe(run.state)
    }
  })

  it('refuses an end of an attempt that is not running [SSM-09]', () => {
    const run = scenario(TWO).start().completes('a')
    const error = { code: 'X', retryable: false, errorClass: 'permanent' } as const
    const ws = workspace(run)
    expect(codeOf(() => emit(ws, 'StepCompleted', 'a', 1, completed))).toBe('INVALID_TRANSITION')
    expect(codeOf(() => emit(ws, 'StepFailed', 'a', 1, { error, failedAt: completed.completedAt, final: true }))).toBe(
      'INVALID_TRANSITION',
    )
    expect(codeOf(() => emit(ws, 'StepCompleted', 'b', 2, completed))).toBe('INVALID_TRANSITION')
    expect(ws.drafts).toEqual([])
  })

  it('tells what it expected and what it found on a forced double completion [SSM-14]', () => {
    const ws = workspace(scenario(TWO).start())
    emit(ws, 'StepCompleted', 'a', 1, completed)
    let details: unknown
    try {
      emit(ws, 'StepCompleted', 'a', 1, completed)
    } catch (thrown) {
      details = thrown instanceof KeelsonError ? thrown.problems[0]?.details : thrown
    }
    expect(details).toEqual({
      invalidTransitionDetected: true,
      expectedState: ['RUNNING'],
      actualState: 'SUCCESS',
      attemptedEventType: 'StepCompleted',
    })
    expect(ws.drafts).toHaveLength(1)
  })
})
