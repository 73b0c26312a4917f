import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { at, buildLog, type LogBuilder } from '../../../test/fixtures/log-builder.ts'
import { EVENT_TYPES } from '../events/event.ts'
import { recordSchema } from '../events/schemas.ts'
import type { ForeignRecord } from '../events/event.ts'
import { checkOf } from '../schema/check.ts'
import { detectNonContiguous, incrementalProject, projectRun } from './project-run.ts'
import type { RunMeta } from './run-meta.ts'
import type { StepSnapshot } from './run-snapshot.ts'
import { emptyView, type RunView } from './run-view.ts'
import { itemsOf, snapshotOf } from './snapshot-of.ts'

const META: RunMeta = { runId: 'run-1', stepIds: ['a', 'b', 'c'] }
const seed = process.env['KEELSON_SEED'] === undefined ? Date.now() % 2 ** 31 : Number(process.env['KEELSON_SEED'])

function started(): LogBuilder {
  return buildLog().add('RunApproved').add('RunStarted')
}
function see(log: LogBuilder, meta: RunMeta = META) {
  const { view, alerts, notes } = projectRun(meta, log.records)
  const snapshot = snapshotOf(view)
  const step = (stepId: string, role?: 'fallback'): StepSnapshot | undefined =>
    snapshot.steps.find((one) => one.stepId === stepId && one.role === role)
  return { view, alerts, notes, snapshot, step }
}
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
/** A log with every kind of event that a view folds. */
function richLog(): LogBuilder {
  const failed = { code: 'TIMEOUT', retryable: true, errorClass: 'timeout' } as const
  return started()
    .add('StepStarted', { stepId: 'a' })
    .add('StepFailed', { stepId: 'a', payload: { final: false, error: failed, retryAt: at(60_000) } })
    .add('RunPaused')
    .add('RunResumed')
    .add('StepStarted', { stepId: 'a', attempt: 2 })
    .add('StepCompleted', { stepId: 'a', attempt: 2, payload: { artifactRefs: [{ uri: 's3://b/x', kind: 'table' }] } })
    .add('StepStarted', { stepId: 'b' })
    .add('FanOutExpanded', { stepId: 'b' })
    .add('StepStarted', { stepId: 'b', itemIndex: 0 })
    .add('StepStarted', { stepId: 'b', itemIndex: 1 })
    .addForeign('FutureEvent', { payload: { any: 1 } })
    .add('StepCompleted', { stepId: 'b', itemIndex: 1 })
    .add('StepCompleted', { stepId: 'b', itemIndex: 0 })
    .add('StepCompleted', { stepId: 'b' })
    .add('StepStarted', { stepId: 'c' })
    .add('ManualTaskOpened', { stepId: 'c' })
    .add('RunPaused', { attempt: 2 })
    .add('RunResumed', { attempt: 2 })
    .add('StepFailed', { stepId: 'c' })
    .add('StepStarted', { stepId: 'c', role: 'fallback' })
    .add('StepCompleted', { stepId: 'c', role: 'fallback' })
    .add('RunCompleted')
}

describe('the log builder', () => {
  it('makes records that fit the published schema of every event type', () => {
    for (const type of EVENT_TYPES) {
      const [record] = buildLog().add(type, { stepId: 'a' }).records
      expect(checkOf(recordSchema(type))(record), type).toBeUndefined()
    }
  })
})

describe('reduction rules', () => {
  it('shows a run without events as PENDING with every step of its metadata PENDING [SSM-22]', () => {
    const { snapshot } = see(buildLog())
    expect(snapshot).toMatchObject({ runId: 'run-1', status: 'PENDING', lastEventSeq: 0, failedSteps: 0, artifacts: [] })
    expect(snapshot.steps.map((one) => [one.stepId, one.status])).toEqual([
      ['a', 'PENDING'],
      ['b', 'PENDING'],
      ['c', 'PENDING'],
    ])
  })

  it.each([
    ['RunQueued leaves PENDING', buildLog().add('RunQueued'), 'PENDING'],
    ['RunApproved gives APPROVED', buildLog().add('RunApproved'), 'APPROVED'],
    ['RunStarted gives RUNNING', started(), 'RUNNING'],
    ['SignalAccepted leaves RUNNING', started().add('SignalAccepted'), 'RUNNING'],
    ['SignalRejected leaves RUNNING', started().add('SignalRejected'), 'RUNNING'],
    ['RunPaused gives PAUSED', started().add('RunPaused'), 'PAUSED'],
    ['RunResumed gives RUNNING', started().add('RunPaused').add('RunResumed'), 'RUNNING'],
    ['RunCompleted gives COMPLETED', started().add('RunCompleted'), 'COMPLETED'],
    ['RunFailed gives FAILED', started().add('RunFailed'), 'FAILED'],
    ['RunCancelled gives CANCELLED', started().add('RunCancelled'), 'CANCELLED'],
  ])('%s [EVT-02, PRJ-05]', (_, log, status) => {
    const { snapshot, alerts } = see(log)
    expect(snapshot.status).toBe(status)
    expect(alerts).toEqual([])
  })

  it.each([
    ['StepStarted gives RUNNING', started().add('StepStarted', { stepId: 'a' }), { status: 'RUNNING', startedAt: at(2000) }],
    [
      'StepCompleted gives SUCCESS with artifacts',
      started()
        .add('StepStarted', { stepId: 'a' })
        .add('StepCompleted', { stepId: 'a', payload: { artifactRefs: [{ uri: 'u', kind: 'k' }] } }),
      { status: 'SUCCESS', completedAt: at(3000), artifacts: [{ uri: 'u', kind: 'k' }] },
    ],
    [
      'StepFailed gives FAILED with the error and its text',
      started()
        .add('StepStarted', { stepId: 'a' })
        .add('StepFailed', { stepId: 'a', data: { errorText: { message: 'it broke', stackTrace: 'at x' } } }),
      { status: 'FAILED', error: { code: 'BOOM', message: 'it broke', retryable: true, stackTrace: 'at x' } },
    ],
    [
      'StepSkipped gives SKIPPED with the reason',
      started().add('StepSkipped', { stepId: 'a' }),
      { status: 'SKIPPED', reason: 'condition was false', reasonCode: 'CONDITION_FALSE' },
    ],
  ])('%s [EVT-02, PRJ-05]', (_, log, expected) => {
    expect(see(log).step('a')).toMatchObject(expected)
  })

  it('takes engineRunRef and startedAt from the payload of RunStarted and the root cause from RunFailed [PRJ-05, X-79]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'b' })
      .add('StepFailed', { stepId: 'b' })
      .add('RunFailed', { payload: { rootCause: { slot: 'b', attempt: 1, runSeq: 4 } }, data: { errorText: { message: 'no disk' } } })
    const { snapshot } = see(log)
    expect(snapshot).toMatchObject({ engineRunRef: 'embedded://run-1', startedAt: at(1000), failedSteps: 1 })
    expect(snapshot.rootCause).toMatchObject({ code: 'BOOM', message: 'no disk', stepId: 'b', attempt: 1, runSeq: 4 })
  })

  it('takes the text of the root cause from the attempt it came from when the end has none [PRJ-05]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'b' })
      .add('StepFailed', { stepId: 'b', data: { errorText: { message: 'no disk' } } })
      .add('RunFailed', { payload: { rootCause: { slot: 'b', attempt: 1, runSeq: 4 } } })
    expect(see(log).snapshot.rootCause).toMatchObject({ code: 'BOOM', message: 'no disk', retryable: false, stepId: 'b' })
  })

  it('counts steps whose latest attempt failed for good, and not the cancelled ones [PRJ-05, X-57]', () => {
    const cancelled = { code: 'CANCELLED', retryable: false, errorClass: 'cancelled' } as const
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepStarted', { stepId: 'b' })
      .add('StepStarted', { stepId: 'c' })
      .add('StepFailed', { stepId: 'a' })
      .add('StepFailed', { stepId: 'b', payload: { error: cancelled } })
      .add('StepFailed', { stepId: 'c', payload: { final: false } })
      .add('RunCancelled')
    const { snapshot, step } = see(log)
    expect(snapshot.failedSteps).toBe(1)
    expect([step('a')?.status, step('b')?.status, step('c')?.status]).toEqual(['FAILED', 'FAILED', 'FAILED'])
  })

  it('shows a step RUNNING with substatus RETRYING during backoff, then the next attempt [PRJ-05, STO-27]', () => {
    const log = started().add('StepStarted', { stepId: 'a' }).add('StepFailed', { stepId: 'a', payload: { final: false, retryAt: at(9000) } })
    const waiting = see(log)
    expect(waiting.snapshot).toMatchObject({ status: 'RUNNING', substatus: 'RETRYING', failedSteps: 0 })
    expect(waiting.step('a')).toMatchObject({ status: 'RUNNING', logicalAttemptId: 1, retryAt: at(9000) })
    const again = see(log.add('StepStarted', { stepId: 'a', attempt: 2 }))
    expect(again.snapshot.substatus).toBeUndefined()
    expect(again.step('a')).toMatchObject({ status: 'RUNNING', logicalAttemptId: 2 })
  })

  it('keeps every failed attempt in the snapshot after a later one succeeded [SSM-10, SSM-11, PRJ-06]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a', payload: { final: false } })
      .add('StepStarted', { stepId: 'a', attempt: 2 })
      .add('StepCompleted', { stepId: 'a', attempt: 2, engineAttempt: 3 })
    const step = see(log).step('a')
    expect(step).toMatchObject({ status: 'SUCCESS', logicalAttemptId: 2, engineAttemptId: 3 })
    expect(step?.attempts).toMatchObject([
      { logicalAttemptId: 1, status: 'FAILED', final: false, error: { code: 'BOOM' }, durationMs: 1000 },
      { logicalAttemptId: 2, status: 'SUCCESS', engineAttemptId: 3 },
    ])
  })

  it('gathers the artifacts of the steps and of the end, each once [PRJ-05]', () => {
    const [x, y] = [{ uri: 'x', kind: 'k' }, { uri: 'y', kind: 'k' }]
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepCompleted', { stepId: 'a', payload: { artifactRefs: [x] } })
      .add('RunCompleted', { payload: { artifactRefs: [x, y] } })
    expect(see(log).snapshot.artifacts).toEqual([x, y])
  })

  it('reads an error whose text was erased by its code', () => {
    const log = started().add('StepStarted', { stepId: 'a' }).add('StepFailed', { stepId: 'a' })
    expect(see(log).step('a')?.error).toMatchObject({ code: 'BOOM', message: 'BOOM' })
  })
})

describe('substatus', () => {
  it('counts the in-flight tasks of a paused run down to none, then drops DRAINING [UIC-05, STO-27]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepStarted', { stepId: 'b' })
      .add('StepStarted', { stepId: 'c' })
      .add('RunPaused')
    const seen: (string | undefined)[] = [see(log).snapshot.message]
    for (const stepId of ['a', 'b', 'c']) {
      log.add('StepCompleted', { stepId })
      const { snapshot } = see(log)
      expect(snapshot.status).toBe('PAUSED')
      expect(snapshot.substatus).toBe(stepId === 'c' ? undefined : 'DRAINING')
      seen.push(snapshot.message)
    }
    expect(seen).toEqual(['3 in-flight tasks', '2 in-flight tasks', '1 in-flight task', undefined])
  })

  it('does not drain what only waits: a timer, a person, the parent of a fan-out [UIC-05]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a', payload: { waitForMs: 1000 } })
      .add('StepStarted', { stepId: 'b' })
      .add('ManualTaskOpened', { stepId: 'b' })
      .add('StepStarted', { stepId: 'd' })
      .add('FanOutExpanded', { stepId: 'd' })
      .add('RunPaused')
    expect(see(log).snapshot.substatus).toBeUndefined()
    log.add('StepStarted', { stepId: 'd', itemIndex: 0 })
    expect(see(log).snapshot.message).toBe('1 in-flight task')
  })

  it('names the engine in CANCELLING, keeps the prior status, and clears at the end [STO-27, SSM-21]', () => {
    const cancel = { signalType: 'CANCEL', graceUntil: at(10_000) } as const
    const log = started().add('StepStarted', { stepId: 'a' }).add('SignalAccepted', { payload: cancel })
    expect(see(log).snapshot).toMatchObject({ status: 'RUNNING', substatus: 'embedded/CANCELLING' })
    expect(see(log.add('RunCancelled')).snapshot.substatus).toBeUndefined()
  })

  it('does not show CANCELLING for a cancel that was accepted and had no effect', () => {
    const log = started().add('SignalAccepted', { payload: { signalType: 'CANCEL', applied: false } })
    expect(see(log).snapshot.substatus).toBeUndefined()
  })

  it('shows COMPENSATING from the first compensation to the end, with each step\'s own [STO-27, X-76]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepCompleted', { stepId: 'a' })
      .add('CompensationStarted', { stepId: 'a' })
      .add('CompensationFailed', { stepId: 'a', payload: { final: false } })
      .add('CompensationStarted', { stepId: 'a', attempt: 2 })
    expect(see(log).snapshot).toMatchObject({ status: 'RUNNING', substatus: 'embedded/COMPENSATING' })
    const done = see(log.add('CompensationCompleted', { stepId: 'a', attempt: 2 }).add('RunFailed'))
    expect(done.snapshot.substatus).toBeUndefined()
    expect(done.step('a')).toMatchObject({ status: 'SUCCESS', compensation: { status: 'DONE', attempts: 2 } })
  })

  it('shows HOLDING once only a person can move the run, and the engine it was handed to [STO-27, SIG-17]', () => {
    const meta: RunMeta = { ...META, onFailure: 'hold' }
    const log = started().add('StepStarted', { stepId: 'a' }).add('StepStarted', { stepId: 'b' }).add('StepFailed', { stepId: 'a' })
    expect(see(log, meta).snapshot.substatus).toBeUndefined()
    log.add('StepCompleted', { stepId: 'b' })
    expect(see(log).snapshot.substatus).toBeUndefined()
    expect(see(log, meta).snapshot.substatus).toBe('embedded/HOLDING')
    expect(see(log.add('EngineHandoff'), meta).snapshot.substatus).toBe('temporal/HOLDING')
  })

  it('holds for an indeterminate step under every policy [STO-27]', () => {
    const error = { code: 'INDETERMINATE', retryable: false, errorClass: 'unknown' } as const
    const log = started().add('StepStarted', { stepId: 'a' }).add('StepFailed', { stepId: 'a', payload: { error } })
    expect(see(log).snapshot.substatus).toBe('embedded/HOLDING')
  })
})

describe('attempts', () => {
  it('shows PENDING with attempt + 1 after an accepted RETRY_STEP until its StepStarted, also while paused [SSM-22]', () => {
    const retry = { signalType: 'RETRY_STEP', target: 'a', signalId: 'retry-1' } as const
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a' })
      .add('RunPaused')
      .add('SignalAccepted', { payload: retry })
    const open = see(log)
    expect(open.step('a')).toMatchObject({ status: 'PENDING', logicalAttemptId: 2 })
    expect(open.snapshot).toMatchObject({ status: 'PAUSED', failedSteps: 0 })
    expect(open.snapshot.steps.map((one) => one.status)).toEqual(['PENDING', 'PENDING', 'PENDING'])
    log.add('RunResumed').add('StepStarted', { stepId: 'a', attempt: 2 }).add('StepFailed', { stepId: 'a', attempt: 2 })
    log.add('SignalAccepted', { payload: retry })
    expect(see(log).step('a')).toMatchObject({ status: 'FAILED', logicalAttemptId: 2 })
  })

  it('shows the next attempt SKIPPED when an operator skipped a failed step, the failure kept [SSM-11]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a' })
      .add('StepSkipped', { stepId: 'a', attempt: 2, payload: { reasonCode: 'OPERATOR_SKIP' } })
    const { snapshot, step } = see(log)
    expect(step('a')).toMatchObject({ status: 'SKIPPED', logicalAttemptId: 2, attempts: [{ status: 'FAILED' }, { status: 'SKIPPED' }] })
    expect(snapshot.failedSteps).toBe(0)
  })

  it('does not reopen an attempt by a late StepStarted, and fills in when it began [PRJ-20, X-27]', () => {
    const log = started().add('StepCompleted', { stepId: 'a', runSeq: 5, atMs: 5000 }).add('StepStarted', { stepId: 'a', runSeq: 6, occurredAtMs: 3000 })
    const { step, alerts } = see(log)
    expect(step('a')).toMatchObject({ status: 'SUCCESS', startedAt: at(3000), attempts: [{ durationMs: 2000 }] })
    expect(alerts.map((one) => [one.code, one.priority])).toEqual([['PROJECTOR_CAUSAL_VIOLATION', 'P3']])
  })

  it('lets no event of an older attempt change a newer one [PRJ-21]', () => {
    const log = started().add('StepStarted', { stepId: 'a' }).add('StepStarted', { stepId: 'a', attempt: 2 }).add('StepFailed', { stepId: 'a' })
    const step = see(log).step('a')
    expect(step).toMatchObject({ status: 'RUNNING', logicalAttemptId: 2, attempts: [{ status: 'FAILED' }, { status: 'RUNNING' }] })
    expect(step?.error).toBeUndefined()
  })

  it('takes the first terminal event of an attempt [X-28]', () => {
    const log = started().add('StepStarted', { stepId: 'a' }).add('StepCompleted', { stepId: 'a' }).add('StepFailed', { stepId: 'a' })
    const { snapshot, step, alerts } = see(log)
    expect(step('a')).toMatchObject({ status: 'SUCCESS' })
    expect(snapshot.inconsistent).toBe(true)
    expect(alerts).toMatchObject([{ code: 'INVALID_TRANSITION', priorState: 'SUCCESS', attemptedState: 'FAILED' }])
  })

  it('marks a failed step recovered when its fallback succeeded, and the run may complete [X-101]', () => {
    const log = started().add('StepStarted', { stepId: 'a' }).add('StepFailed', { stepId: 'a' })
    expect(see(log).snapshot.failedSteps).toBe(1)
    log.add('StepStarted', { stepId: 'a', role: 'fallback' })
    expect(see(log).snapshot.failedSteps).toBe(0)
    const announced = started().add('StepStarted', { stepId: 'a' }).add('StepFailed', { stepId: 'a', payload: { fallback: true } })
    expect(see(announced).snapshot.failedSteps).toBe(0)
    log.add('StepCompleted', { stepId: 'a', role: 'fallback' }).add('RunCompleted')
    const { snapshot, step, alerts } = see(log)
    expect(step('a')).toMatchObject({ status: 'FAILED', recovered: true })
    expect(step('a', 'fallback')).toMatchObject({ status: 'SUCCESS', role: 'fallback' })
    expect(snapshot).toMatchObject({ status: 'COMPLETED', failedSteps: 0 })
    expect(alerts).toEqual([])
  })

  it('marks a manual step as waiting while its task is open [SSM-19]', () => {
    const log = started().add('StepStarted', { stepId: 'a' }).add('ManualTaskOpened', { stepId: 'a' })
    expect(see(log).step('a')).toMatchObject({ status: 'RUNNING', waitingForManualCompletion: true })
    expect(see(log.add('StepCompleted', { stepId: 'a' })).step('a')).not.toHaveProperty('waitingForManualCompletion')
  })
})

describe('fan-out', () => {
  it('counts items on their parent and keeps them out of the default view', () => {
    const log = started().add('StepStarted', { stepId: 'a' }).add('FanOutExpanded', { stepId: 'a', payload: { count: 4 } })
    log.add('StepStarted', { stepId: 'a', itemIndex: 0 }).add('StepStarted', { stepId: 'a', itemIndex: 1 }).add('StepStarted', { stepId: 'a', itemIndex: 3 })
    log.add('StepCompleted', { stepId: 'a', itemIndex: 1 }).add('StepFailed', { stepId: 'a', itemIndex: 3 })
    const { snapshot, step, view } = see(log)
    expect(step('a')?.items).toEqual({ total: 4, done: 1, failed: 1, running: 1 })
    expect(snapshot).toMatchObject({ failedSteps: 0 })
    expect(snapshot.steps).toHaveLength(3)
    expect(itemsOf(view, 'a').map((one) => [one.itemIndex, one.status])).toEqual([
      [0, 'RUNNING'],
      [1, 'SUCCESS'],
      [2, 'PENDING'],
      [3, 'FAILED'],
    ])
    expect(itemsOf(view, 'a', 1, 2).map((one) => one.itemIndex)).toEqual([1, 2])
  })

  it('counts a recovered item as done and a retried one as running', () => {
    const log = started().add('FanOutExpanded', { stepId: 'a', payload: { count: 2 } })
    log.add('StepStarted', { stepId: 'a', itemIndex: 0 }).add('StepFailed', { stepId: 'a', itemIndex: 0 })
    log.add('StepStarted', { stepId: 'a', itemIndex: 0, role: 'fallback' }).add('StepCompleted', { stepId: 'a', itemIndex: 0, role: 'fallback' })
    log.add('StepStarted', { stepId: 'a', itemIndex: 1 }).add('StepFailed', { stepId: 'a', itemIndex: 1, payload: { final: false } })
    const { snapshot, step } = see(log)
    expect(step('a')?.items).toEqual({ total: 2, done: 1, failed: 0, running: 1 })
    expect(snapshot.substatus).toBe('RETRYING')
  })
})

describe('time', () => {
  it('orders by runSeq alone, whatever the timestamps say [EVT-14]', () => {
    const log = buildLog()
      .add('RunApproved', { atMs: 9000 })
      .add('RunStarted', { atMs: 8000 })
      .add('RunPaused', { atMs: 7000 })
      .add('RunResumed', { atMs: 6000 })
    const { snapshot, alerts } = see(log)
    expect(snapshot.status).toBe('RUNNING')
    expect(alerts).toEqual([])
  })

  it('counts durations by occurredAt where there is one, never below zero [EVT-15, X-99]', () => {
    const log = buildLog().add('RunApproved').add('RunStarted', { atMs: 10_000, occurredAtMs: 5000 }).add('RunCompleted', { atMs: 12_000 })
    expect(see(log).snapshot).toMatchObject({ totalDurationMs: 7000, startedAt: at(5000), completedAt: at(12_000) })
    const back = buildLog().add('RunApproved').add('RunStarted', { atMs: 10_000 }).add('RunCompleted', { atMs: 9000 })
    expect(see(back).snapshot.totalDurationMs).toBe(0)
  })

  it('says where a step\'s time went: dependencies, grant, running, retry, pause, people', () => {
    const meta: RunMeta = { runId: 'run-1', stepIds: ['a', 'b'], edges: [['a', 'b']] }
    const log = buildLog().add('RunApproved').add('RunStarted', { atMs: 1000 })
    log.add('StepStarted', { stepId: 'a', atMs: 1000 }).add('StepCompleted', { stepId: 'a', atMs: 4000 })
    log.add('StepStarted', { stepId: 'b', atMs: 5000 }).add('StepFailed', { stepId: 'b', atMs: 7000, payload: { final: false } })
    log.add('RunPaused', { atMs: 8000 }).add('RunResumed', { atMs: 11_000 })
    log.add('StepStarted', { stepId: 'b', attempt: 2, atMs: 12_000 }).add('ManualTaskOpened', { stepId: 'b', atMs: 12_500, payload: { attempt: 2 } })
    log.add('StepCompleted', { stepId: 'b', attempt: 2, atMs: 20_500 })
    expect(see(log, meta).step('b')?.timeSplit).toEqual({
      dependencyMs: 3000,
      grantMs: 1000,
      runningMs: 2500,
      retryMs: 2000,
      pauseMs: 3000,
      humanMs: 8000,
    })
  })

  it('warns of clocks ten minutes apart, once per event, and not of four [EVT-32]', () => {
    const log = buildLog().add('RunApproved', { atMs: 0, persistedAtMs: 240_000 }).add('RunStarted', { atMs: 0, persistedAtMs: 600_000 })
    const { alerts } = see(log)
    expect(alerts).toMatchObject([{ code: 'CLOCK_SKEW', runSeq: 2, tenantId: 'tenant' }])
  })
})

describe('causal order', () => {
  const inverted = started().add('StepStarted', { stepId: 'b' }).add('StepStarted', { stepId: 'a' }).add('StepCompleted', { stepId: 'a' })

  it('keeps runSeq order and raises a P3 when B started before A had settled [PRJ-10]', () => {
    const { snapshot, alerts, step } = see(inverted, { ...META, edges: [['a', 'b']] })
    expect(alerts).toMatchObject([{ code: 'PROJECTOR_CAUSAL_VIOLATION', priority: 'P3', runSeq: 3, runId: 'run-1', tenantId: 'tenant' }])
    expect([step('a')?.status, step('b')?.status]).toEqual(['SUCCESS', 'RUNNING'])
    expect(snapshot.inconsistent).toBeUndefined()
  })

  it('is off without edges and silent on a log in order [PRJ-27]', () => {
    expect(see(inverted).alerts).toEqual([])
    const orderly = started().add('StepStarted', { stepId: 'a' }).add('StepCompleted', { stepId: 'a' }).add('StepStarted', { stepId: 'b' })
    expect(see(orderly, { ...META, edges: [['a', 'b']] }).alerts).toEqual([])
  })

  it('clears a temporary inconsistency once the delayed events are there [UIC-07]', () => {
    const early = started().add('StepCompleted', { stepId: 'a' }).add('StepStarted', { stepId: 'a' })
    const plain = started().add('StepStarted', { stepId: 'a' }).add('StepCompleted', { stepId: 'a' })
    const shape = (log: LogBuilder) => ({ ...see(log).step('a'), attempts: 0, startedAt: 0, completedAt: 0, timeSplit: 0 })
    expect(shape(early)).toEqual(shape(plain))
  })
})

describe('illegal transitions', () => {
  it('applies an end before its start; the late RunStarted fills two fields only [PRJ-22]', () => {
    const log = buildLog().add('RunApproved').add('RunCompleted').add('RunStarted')
    const { snapshot, alerts } = see(log)
    expect(snapshot).toMatchObject({ status: 'COMPLETED', startedAt: at(2000), engineRunRef: 'embedded://run-1', completedAt: at(1000) })
    expect(snapshot.inconsistent).toBeUndefined()
    expect(alerts[0]).toMatchObject({ code: 'INVALID_TRANSITION', priorState: 'APPROVED', attemptedState: 'COMPLETED' })
  })

  it('applies an end to a paused run and says that it was not legal [PRJ-22]', () => {
    const { snapshot, alerts } = see(started().add('RunPaused').add('RunFailed'))
    expect(snapshot.status).toBe('FAILED')
    expect(alerts).toMatchObject([{ code: 'INVALID_TRANSITION', priorState: 'PAUSED', attemptedState: 'FAILED' }])
  })

  it.each(['RunApproved', 'RunStarted', 'RunPaused', 'RunResumed', 'RunFailed', 'RunCancelled'] as const)(
    'leaves a completed run as it is when %s follows, and alerts [SSM-04, PRJ-22]',
    (type) => {
      const log = buildLog().add('RunQueued').add('RunCompleted').add(type)
      const { snapshot, alerts } = see(log)
      expect(snapshot.status).toBe('COMPLETED')
      expect(alerts.at(-1)).toMatchObject({
        code: 'INVALID_TRANSITION',
        runId: 'run-1',
        tenantId: 'tenant',
        eventId: log.records.at(-1)?.eventId,
        eventType: type,
        runSeq: 3,
        persistedAt: at(2000),
        priorState: 'COMPLETED',
      })
      expect(new Set(alerts.map((one) => one.alertId)).size).toBe(alerts.length)
    },
  )

  it('ignores a pause of a run that has not started and marks the view inconsistent, with the same alert at every fold [PRJ-22]', () => {
    const log = buildLog().add('RunApproved').add('RunPaused')
    const first = see(log)
    expect(first.snapshot).toMatchObject({ status: 'APPROVED', inconsistent: true })
    expect(see(log).alerts).toEqual(first.alerts)
    expect(incrementalProject(first.view, log.records).alerts).toEqual([])
  })

  it('takes RunFailed and RunCancelled before a start as ordinary ends [SSM-15]', () => {
    for (const type of ['RunFailed', 'RunCancelled'] as const) {
      for (const log of [buildLog(), buildLog().add('RunQueued'), buildLog().add('RunApproved')]) {
        expect(see(log.add(type)).alerts).toEqual([])
      }
    }
  })

  it('flags a skip of a running attempt and leaves it running [SSM-09, PRJ-22]', () => {
    const { step, alerts } = see(started().add('StepStarted', { stepId: 'a' }).add('StepSkipped', { stepId: 'a' }))
    expect(step('a')?.status).toBe('RUNNING')
    expect(alerts).toMatchObject([{ code: 'INVALID_TRANSITION', priorState: 'RUNNING', attemptedState: 'SKIPPED' }])
  })
})

describe('lenient reading', () => {
  it('lets unknown types advance the watermark and nothing else [PRJ-04, PRJ-08]', () => {
    const log = started().addForeign('FutureEvent', { stepId: 'a', payload: { x: 1 } }).add('StepStarted', { stepId: 'a' })
    const { snapshot, notes } = see(log)
    expect(snapshot.lastEventSeq).toBe(4)
    expect(notes).toMatchObject([{ kind: 'UNKNOWN_EVENT_TYPE', eventType: 'FutureEvent', runSeq: 3 }])
    const tail = see(started().addForeign('FutureEvent')).snapshot
    expect({ ...tail, lastEventSeq: 2 }).toEqual(see(started()).snapshot)
    expect(tail.lastEventSeq).toBe(3)
  })

  it('ignores unknown fields and passes new words of a later version on [EVT-27, UIC-08]', () => {
    const extra = { extra: { region: 'eu', shiny: { deep: true } } }
    const future = buildLog()
      .addForeign('RunApproved', extra)
      .addForeign('RunStarted', { payload: { ...started().records[1]?.payload, engineType: 'quantum', status: 'WARPING', more: 1 }, ...extra })
      .addForeign('StepStarted', { stepId: 'a', payload: { startedAt: at(0), epoch: 1, lane: 7 }, ...extra })
      .addForeign('StepFailed', {
        stepId: 'a',
        payload: { failedAt: at(1), final: true, error: { code: 'X', retryable: false, errorClass: 'cosmic', tier: 9 } },
      })
    const { snapshot, notes, step } = see(future)
    expect(notes).toEqual([])
    expect(snapshot.status).toBe('RUNNING')
    expect(step('a')?.error).toEqual({ code: 'X', retryable: false, errorClass: 'cosmic', message: 'X' })
  })

  it('notes a malformed payload of a known type and survives it [EVT-24]', () => {
    const log = started()
      .addForeign('StepStarted', { stepId: 'a', payload: { startedAt: 7, epoch: 1 } })
      .addForeign('StepFailed', { stepId: 'a', payload: { error: 'boom' } })
      .addForeign('StepStarted', { payload: {} })
      .addForeign('StepStarted', { stepId: 'b', itemIndex: -1, payload: { startedAt: at(0), epoch: 1 } })
      .addForeign('FanOutExpanded', { stepId: 'c', payload: { count: 'many' } })
      .add('StepStarted', { stepId: 'c' })
    const { snapshot, step, notes } = see(log)
    expect(notes.map((one) => [one.kind, one.runSeq])).toEqual([
      ['MALFORMED_PAYLOAD', 3],
      ['MALFORMED_PAYLOAD', 4],
      ['MALFORMED_PAYLOAD', 5],
      ['MALFORMED_PAYLOAD', 6],
      ['MALFORMED_PAYLOAD', 7],
    ])
    expect(notes[0]?.detail).toContain('startedAt')
    expect(snapshot.lastEventSeq).toBe(8)
    expect(step('a')).toMatchObject({ status: 'FAILED', error: { code: 'UNKNOWN' } })
    expect(step('c')?.status).toBe('RUNNING')
  })

  it('shows steps that metadata does not name as their events come [PRJ-05]', () => {
    const ids = Array.from({ length: 100 }, (_, i) => (i === 50 ? '__proto__' : `step-${i}`))
    const log = started()
    for (const stepId of ids) log.add('StepStarted', { stepId })
    for (const stepId of ids) log.add('StepCompleted', { stepId })
    const { snapshot } = see(log, { runId: 'run-1', stepIds: [] })
    expect(snapshot.steps.map((one) => one.stepId)).toEqual(ids)
    expect(snapshot.steps.every((one) => one.status === 'SUCCESS')).toBe(true)
  })
})

describe('the fold', () => {
  const whole = richLog().records

  it('has the contract of the seeds [PRJ-01]', () => {
    expect(detectNonContiguous(11, 13)).toEqual({ observedNonContiguous: true })
    expect(detectNonContiguous(11, 12)).toEqual({ observedNonContiguous: false })
    expect(detectNonContiguous(11, 11)).toEqual({ observedNonContiguous: false })
    const inOne = projectRun(META, whole)
    const inTwo = incrementalProject(projectRun(META, whole.slice(0, 9)).view, whole.slice(9))
    expect(snapshotOf(inTwo.view)).toEqual(snapshotOf(inOne.view))
  })

  it('has the shape of the seeds and ends where the log ends [PRJ-04, PRJ-06]', () => {
    const snapshot = snapshotOf(projectRun(META, whole).view)
    expect(Object.keys(snapshot).sort()).toEqual(
      ['artifacts', 'completedAt', 'engineRunRef', 'failedSteps', 'lastEventSeq', 'runId', 'startedAt', 'status', 'steps', 'totalDurationMs'].sort(),
    )
    expect(snapshot.lastEventSeq).toBe(Math.max(...whole.map((one) => one.runSeq)))
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
  })

  it('sorts shuffled input and invents no number for a gap [PRJ-02]', () => {
    const gapped = whole.map((record) => (record.runSeq > 5 ? { ...record, runSeq: record.runSeq + 10 } : record))
    const expected = snapshotOf(projectRun(META, gapped).view)
    expect(expected.lastEventSeq).toBe(whole.length + 10)
    expect({ ...expected, lastEventSeq: 0 }).toEqual({ ...snapshotOf(projectRun(META, whole).view), lastEventSeq: 0 })
    fc.assert(
      fc.property(fc.shuffledSubarray(gapped, { minLength: gapped.length }), (shuffled) => {
        expect(snapshotOf(projectRun(META, shuffled).view)).toEqual(expected)
      }),
      { seed, numRuns: 200 },
    )
  })

  it('never changes an earlier view, frozen to the bottom [PRJ-03, X-100]', () => {
    let view: RunView = deepFreeze(emptyView(META))
    for (const record of whole) {
      const text = JSON.stringify(snapshotOf(view))
      const next = incrementalProject(view, [deepFreeze(record)]).view
      expect(next).not.toBe(view)
      expect(JSON.stringify(snapshotOf(view))).toBe(text)
      view = deepFreeze(next)
    }
    expect(snapshotOf(view)).toEqual(snapshotOf(projectRun(META, whole).view))
  })

  it('gives the same in any chunking, with any repeats [EVT-31, PRJ-19, X-08]', () => {
    const expected = projectRun(META, whole)
    const cut = fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 6 })
    const repeats = fc.array(fc.integer({ min: 0, max: whole.length - 1 }), { maxLength: 10 })
    fc.assert(
      fc.property(cut, repeats, (cuts, again) => {
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
        let view = emptyView(META)
        bounds.slice(1).forEach((end, i) => {
          const from = bounds[i] ?? 0
          const repeated = again.flatMap((index) => (index < end ? (whole[index] ?? []) : []))
          const before = view.lastEventSeq
          view = incrementalProject(view, [...whole.slice(from, end), ...repeated]).view
          expect(view.lastEventSeq).toBeGreaterThanOrEqual(before)
        })
        expect(snapshotOf(view)).toEqual(snapshotOf(expected.view))
      }),
      { seed, numRuns: 200 },
    )
  })

  it('takes a foreign log that stored every event twice for the same state, its mark moved [X-08, EVT-31]', () => {
    const again = whole.map((record, i): ForeignRecord => ({ ...record, runSeq: whole.length + 1 + i }))
    const { view, alerts } = projectRun(META, [...whole, ...again])
    const snapshot = snapshotOf(view)
    expect(snapshot.lastEventSeq).toBe(2 * whole.length)
    expect({ ...snapshot, lastEventSeq: 0 }).toEqual({ ...snapshotOf(projectRun(META, whole).view), lastEventSeq: 0 })
    expect(alerts).toEqual([])
  })

  it('takes 1,000,000 duplicates without divergence [PRJ-25]', () => {
    const { view } = projectRun(META, whole)
    const before = JSON.stringify(snapshotOf(view))
    const batch = Array.from({ length: 1000 }, (_, i) => whole[i % whole.length] as ForeignRecord)
    let now = view
    for (let round = 0; round < 1000; round += 1) now = incrementalProject(now, batch).view
    expect(JSON.stringify(snapshotOf(now))).toBe(before)
  })

  it('rebuilds 100,000 events in seconds, and ten times the plan costs about ten times [PRJ-25]', { retry: 2 }, () => {
    const timed = (steps: number): number => {
      const stepIds = Array.from({ length: steps }, (_, i) => `s${i}`)
      const log = started()
      for (const stepId of stepIds) log.add('StepStarted', { stepId })
      for (const stepId of stepIds) log.add('StepCompleted', { stepId })
      const begin = performance.now()
      let view = emptyView({ runId: 'run-1', stepIds, edges: [] })
      for (const record of log.records) view = incrementalProject(view, [record]).view
      const took = performance.now() - begin
      expect(snapshotOf(view).steps.every((one) => one.status === 'SUCCESS')).toBe(true)
      return took
    }
    timed(5000)
    const small = timed(5000)
    const large = timed(50_000)
    expect(large).toBeLessThan(60_000)
    expect(large / small).toBeLessThan(30)
  })
})
