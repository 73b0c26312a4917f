import { describe, expect, it } from 'vitest'
import { at, buildLog, type LogBuilder } from '../../../../test/fixtures/log-builder.ts'
import { META, see, started } from '../../../../test/fixtures/seen-run.ts'
import { projectRun } from '../project/project-run.ts'
import type { RunMeta } from './run-meta.ts'

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
    expect(step('a')).toMatchObject({
      status: 'SKIPPED',
      logicalAttemptId: 2,
      attempts: [{ status: 'FAILED' }, { status: 'SKIPPED' }],
    })
    expect(snapshot.failedSteps).toBe(0)
  })

  it('does not reopen an attempt by a late StepStarted, and fills in when it began [PRJ-20, X-27]', () => {
    const log = started()
      .add('StepCompleted', { stepId: 'a', runSeq: 5, atMs: 5000 })
      .add('StepStarted', { stepId: 'a', runSeq: 6, occurredAtMs: 3000 })
    const { step, alerts } = see(log)
    expect(step('a')).toMatchObject({ status: 'SUCCESS', startedAt: at(3000), attempts: [{ durationMs: 2000 }] })
    expect(alerts.map((one) => [one.code, one.priority])).toEqual([['PROJECTOR_CAUSAL_VIOLATION', 'P3']])
  })

  it('lets no event of an older attempt change a newer one [PRJ-21]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepStarted', { stepId: 'a', attempt: 2 })
      .add('StepFailed', { stepId: 'a' })
    const step = see(log).step('a')
    expect(step).toMatchObject({
      status: 'RUNNING',
      logicalAttemptId: 2,
      attempts: [{ status: 'FAILED' }, { status: 'RUNNING' }],
    })
    expect(step?.error).toBeUndefined()
    const before = step?.timeSplit.runningMs ?? 0
    const done = see(log.add('StepCompleted', { stepId: 'a', attempt: 2 })).step('a')
    expect(done?.timeSplit).toMatchObject({ runningMs: before + 2000, humanMs: 0 })
  })

  it('takes the first terminal event of an attempt [X-28]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepCompleted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a' })
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
    const announced = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a', payload: { fallback: true } })
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
    const log = buildLog()
      .add('RunApproved')
      .add('RunStarted', { atMs: 10_000, occurredAtMs: 5000 })
      .add('RunCompleted', { atMs: 12_000 })
    expect(see(log).snapshot).toMatchObject({ totalDurationMs: 7000, startedAt: at(5000), completedAt: at(12_000) })
    const back = buildLog().add('RunApproved').add('RunStarted', { atMs: 10_000 }).add('RunCompleted', { atMs: 9000 })
    expect(see(back).snapshot.totalDurationMs).toBe(0)
  })

  it("says where a step's time went: dependencies, grant, running, retry, pause, people", () => {
    const meta: RunMeta = { runId: 'run-1', stepIds: ['a', 'b'], edges: [['a', 'b']] }
    const log = buildLog().add('RunApproved').add('RunStarted', { atMs: 1000 })
    log.add('StepStarted', { stepId: 'a', atMs: 1000 }).add('StepCompleted', { stepId: 'a', atMs: 4000 })
    log
      .add('StepStarted', { stepId: 'b', atMs: 5000 })
      .add('StepFailed', { stepId: 'b', atMs: 7000, payload: { final: false } })
    log.add('RunPaused', { atMs: 8000 }).add('RunResumed', { atMs: 11_000 })
    log
      .add('StepStarted', { stepId: 'b', attempt: 2, atMs: 12_000 })
      .add('ManualTaskOpened', { stepId: 'b', atMs: 12_500, payload: { attempt: 2 } })
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

  it('warns of clocks ten minutes apart, once per event, and not of four', () => {
    const log = buildLog()
      .add('RunApproved', { atMs: 0, persistedAtMs: 240_000 })
      .add('RunStarted', { atMs: 0, persistedAtMs: 600_000 })
    const { alerts } = see(log)
    expect(alerts).toMatchObject([{ code: 'CLOCK_SKEW', runSeq: 2, tenantId: 'tenant' }])
    expect(projectRun(META, [...log.records, ...log.records]).alerts).toEqual(alerts)
  })
})

describe('causal order', () => {
  const inverted = started()
    .add('StepStarted', { stepId: 'b' })
    .add('StepStarted', { stepId: 'a' })
    .add('StepCompleted', { stepId: 'a' })

  it('keeps runSeq order and raises a P3 when B started before A had settled', () => {
    const { snapshot, alerts, step } = see(inverted, { ...META, edges: [['a', 'b']] })
    expect(alerts).toMatchObject([
      { code: 'PROJECTOR_CAUSAL_VIOLATION', priority: 'P3', runSeq: 3, runId: 'run-1', tenantId: 'tenant' },
    ])
    expect([step('a')?.status, step('b')?.status]).toEqual(['SUCCESS', 'RUNNING'])
    expect(snapshot.inconsistent).toBeUndefined()
  })

  it('says so once, not again for retries, items or the fallback of the step', () => {
    const log = started()
      .add('StepStarted', { stepId: 'b' })
      .add('StepFailed', { stepId: 'b', payload: { fallback: true } })
      .add('StepStarted', { stepId: 'b', role: 'fallback' })
      .add('StepStarted', { stepId: 'b', itemIndex: 0 })
      .add('StepStarted', { stepId: 'b', attempt: 2 })
    expect(see(log, { ...META, edges: [['a', 'b']] }).alerts).toHaveLength(1)
  })

  it('is off without edges and silent on a log in order', () => {
    expect(see(inverted).alerts).toEqual([])
    const orderly = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepCompleted', { stepId: 'a' })
      .add('StepStarted', { stepId: 'b' })
    expect(see(orderly, { ...META, edges: [['a', 'b']] }).alerts).toEqual([])
  })

  it('clears a temporary inconsistency once the delayed events are there [UIC-07]', () => {
    const early = started().add('StepCompleted', { stepId: 'a' }).add('StepStarted', { stepId: 'a' })
    const plain = started().add('StepStarted', { stepId: 'a' }).add('StepCompleted', { stepId: 'a' })
    const shape = (log: LogBuilder) => ({
      ...see(log).step('a'),
      attempts: 0,
      startedAt: 0,
      completedAt: 0,
      timeSplit: 0,
    })
    expect(shape(early)).toEqual(shape(plain))
  })
})
