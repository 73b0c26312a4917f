import { describe, expect, it } from 'vitest'
import { at, buildLog } from '../../../../test/fixtures/log-builder.ts'
import { see, started } from '../../../../test/fixtures/seen-run.ts'
import { itemsOf } from './snapshot-of.ts'

describe('reduction rules', () => {
  it('shows a run without events as PENDING with every step of its metadata PENDING [SSM-22]', () => {
    const { snapshot } = see(buildLog())
    expect(snapshot).toMatchObject({
      runId: 'run-1',
      status: 'PENDING',
      lastEventSeq: 0,
      failedSteps: 0,
      artifacts: [],
    })
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
    // Who was refused is told to those who watch over security; nothing else of these needs anybody.
    const isRefusal = log.records.some(({ eventType }) => eventType === 'SignalRejected')
    expect(alerts.map(({ code }) => code)).toEqual(isRefusal ? ['AUTHORIZATION_FAILED'] : [])
  })

  it.each([
    [
      'StepStarted gives RUNNING',
      started().add('StepStarted', { stepId: 'a' }),
      { status: 'RUNNING', startedAt: at(2000) },
    ],
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
      .add('RunFailed', {
        payload: { rootCause: { slot: 'b', attempt: 1, runSeq: 4 } },
        data: { errorText: { message: 'no disk' } },
      })
    const { snapshot } = see(log)
    expect(snapshot).toMatchObject({ engineRunRef: 'embedded://run-1', startedAt: at(1000), failedSteps: 1 })
    expect(snapshot.rootCause).toMatchObject({ code: 'BOOM', message: 'no disk', stepId: 'b', attempt: 1, runSeq: 4 })
  })

  it('takes the times of starts and ends from payloads, not from when the event was made or stored [PRJ-05]', () => {
    const log = buildLog()
      .add('RunApproved')
      .add('RunStarted', { atMs: 50_000, occurredAtMs: 1_000, persistedAtMs: 90_000 })
      .add('StepStarted', { stepId: 'a', atMs: 51_000, occurredAtMs: 2_000, persistedAtMs: 90_000 })
      .add('StepCompleted', { stepId: 'a', atMs: 52_000, occurredAtMs: 3_500, persistedAtMs: 90_000 })
      .add('StepStarted', { stepId: 'b', atMs: 53_000, occurredAtMs: 4_000, persistedAtMs: 90_000 })
      .add('StepFailed', { stepId: 'b', atMs: 54_000, occurredAtMs: 6_000, persistedAtMs: 90_000 })
      .add('RunFailed', {
        atMs: 55_000,
        occurredAtMs: 7_000,
        persistedAtMs: 90_000,
        payload: { rootCause: { slot: 'b', attempt: 1, runSeq: 6 } },
      })
    const { snapshot, step } = see(log)
    expect([snapshot.startedAt, snapshot.completedAt]).toEqual([at(1_000), at(7_000)])
    expect([step('a')?.startedAt, step('a')?.completedAt]).toEqual([at(2_000), at(3_500)])
    expect([step('b')?.startedAt, step('b')?.completedAt]).toEqual([at(4_000), at(6_000)])
    expect(step('a')?.attempts[0]?.durationMs).toBe(1_500)
    for (const end of ['RunCompleted', 'RunCancelled'] as const) {
      const other = started().add(end, { atMs: 55_000, occurredAtMs: 8_000, persistedAtMs: 90_000 })
      expect(see(other).snapshot.completedAt).toBe(at(8_000))
    }
  })

  it('takes the text of the root cause from the attempt it came from when the end has none [PRJ-05]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'b' })
      .add('StepFailed', { stepId: 'b', data: { errorText: { message: 'no disk' } } })
      .add('RunFailed', { payload: { rootCause: { slot: 'b', attempt: 1, runSeq: 4 } } })
    expect(see(log).snapshot.rootCause).toMatchObject({
      code: 'BOOM',
      message: 'no disk',
      retryable: false,
      stepId: 'b',
    })
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
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a', payload: { final: false, retryAt: at(9000) } })
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
    const [x, y] = [
      { uri: 'x', kind: 'k' },
      { uri: 'y', kind: 'k' },
    ]
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

describe('fan-out', () => {
  it('counts items on their parent and keeps them out of the default view', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('FanOutExpanded', { stepId: 'a', payload: { count: 4 } })
    log
      .add('StepStarted', { stepId: 'a', itemIndex: 0 })
      .add('StepStarted', { stepId: 'a', itemIndex: 1 })
      .add('StepStarted', { stepId: 'a', itemIndex: 3 })
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
    log
      .add('StepStarted', { stepId: 'a', itemIndex: 0, role: 'fallback' })
      .add('StepCompleted', { stepId: 'a', itemIndex: 0, role: 'fallback' })
    log
      .add('StepStarted', { stepId: 'a', itemIndex: 1 })
      .add('StepFailed', { stepId: 'a', itemIndex: 1, payload: { final: false } })
    const { snapshot, step } = see(log)
    expect(step('a')?.items).toEqual({ total: 2, done: 1, failed: 0, running: 1 })
    expect(snapshot.substatus).toBe('RETRYING')
  })
})
