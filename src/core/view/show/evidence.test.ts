import { describe, expect, it } from 'vitest'
import { at, buildLog } from '../../../../test/fixtures/log-builder.ts'
import { see, started } from '../../../../test/fixtures/seen-run.ts'
import { evidenceOf } from './evidence.ts'
import { infrastructureReport } from './infrastructure-report.ts'
import { journalOf, storedWithin } from './journal.ts'
import { msFromIso } from '../../time.ts'

/** Step a: two failures, then success; b fails with a person's name in its text; c is skipped. */
function log() {
  const timeout = { code: 'TIMEOUT', retryable: true, errorClass: 'timeout' } as const
  return started()
    .add('StepStarted', { stepId: 'a' })
    .add('StepFailed', { stepId: 'a', payload: { final: false, error: timeout } })
    .add('StepStarted', { stepId: 'a', attempt: 2, engineAttempt: 2 })
    .add('StepFailed', { stepId: 'a', attempt: 2, engineAttempt: 2, payload: { final: false, error: timeout } })
    .add('StepStarted', { stepId: 'a', attempt: 3 })
    .add('StepCompleted', {
      stepId: 'a',
      attempt: 3,
      engineAttempt: 3,
      payload: { artifactRefs: [{ uri: 'https://files.example/x?token=secret#y', kind: 'file' }] },
    })
    .add('StepStarted', { stepId: 'b' })
    .add('StepFailed', {
      stepId: 'b',
      data: { errorText: { message: 'card of Ada refused' } },
      causedBySignalId: 'sig-9',
    })
    .add('StepSkipped', { stepId: 'c' })
    .add('RunFailed')
}

describe('evidence', () => {
  it('has an entry per attempt and per terminal transition [GRF-12]', () => {
    const entries = evidenceOf(log().records)
    const attempts = log().records.filter((one) => one.eventType === 'StepStarted').length
    const terminals = ['a', 'b', 'c', 'RUN']
    expect(entries).toHaveLength(attempts + terminals.length)
    expect(entries.filter((one) => one.kind === 'attempt')).toHaveLength(attempts)
    expect(entries.filter((one) => one.kind === 'terminal').map((one) => one.actionId)).toEqual(terminals)
  })

  it('says who, when, how it ended, what class of error, and what it belongs to [GRF-12]', () => {
    const entries = evidenceOf(log().records)
    expect(entries[0]).toMatchObject({
      kind: 'attempt',
      runId: 'run-1',
      actionId: 'a',
      attempt: 1,
      startedAtIso: at(2000),
      endedAtIso: at(3000),
      outcome: 'Failed',
      errorClass: 'timeout',
      errorCode: 'TIMEOUT',
      correlation: {
        tenantId: 'tenant',
        projectId: 'project',
        environmentId: 'test',
        planId: 'plan',
        planVersion: '1',
        runSeq: 4,
        idempotencyLabel: 'run-1:a',
      },
    })
    const done = entries.find((one) => one.kind === 'terminal')
    expect(done).toMatchObject({ actionId: 'a', outcome: 'Succeeded', startedAtIso: at(2000), endedAtIso: at(7000) })
    expect(entries.find((one) => one.actionId === 'b')?.correlation.signalId).toBe('sig-9')
    expect(entries.at(-1)).toMatchObject({ actionId: 'RUN', outcome: 'Failed', startedAtIso: at(1000) })
  })

  it('carries no error text and no query string [GRF-17]', () => {
    const text = JSON.stringify(evidenceOf(log().records))
    expect(text).not.toContain('Ada')
    expect(text).not.toContain('secret')
    expect(text).toContain('https://files.example/x')
  })

  it('is the same for a log read twice over', () => {
    const { records } = log()
    const again = records.map((one, i) => ({ ...one, runSeq: records.length + 1 + i }))
    expect(evidenceOf([...records, ...again])).toEqual(evidenceOf(records))
  })

  it('names both attempt counters, in evidence and in the journal [ATT-10]', () => {
    expect(evidenceOf(log().records)[1]).toMatchObject({ attempt: 2, engineAttempt: 2 })
    expect(journalOf(log().records)[5]).toMatchObject({
      eventType: 'StepFailed',
      logicalAttemptId: 2,
      engineAttemptId: 2,
    })
  })
})

describe('the infrastructure report', () => {
  it('counts platform attempts from the records and leaves the view as it is [ATT-11]', () => {
    const once = started().add('StepStarted', { stepId: 'a' }).add('StepCompleted', { stepId: 'a', engineAttempt: 3 })
    expect(infrastructureReport(once.records)).toMatchObject({
      platformAttempts: 3,
      logicalAttempts: 1,
      platformRetries: 2,
    })
    const plain = started().add('StepStarted', { stepId: 'a' }).add('StepCompleted', { stepId: 'a' })
    const status = (one: typeof once) => [
      see(one).snapshot.status,
      see(one).step('a')?.status,
      see(one).step('a')?.logicalAttemptId,
    ]
    expect(status(once)).toEqual(status(plain))
  })

  it('counts per logical attempt, and rotations of the engine apart [ATT-11]', () => {
    const report = infrastructureReport(log().add('RunCancelled', { engineAttempt: 3 }).records)
    expect(report.attempts).toEqual([
      { slot: 'a', logicalAttemptId: 1, platformAttempts: 1 },
      { slot: 'a', logicalAttemptId: 2, platformAttempts: 2 },
      { slot: 'a', logicalAttemptId: 3, platformAttempts: 3 },
      { slot: 'b', logicalAttemptId: 1, platformAttempts: 1 },
    ])
    expect(report.engineRuns).toBe(3)
  })
})

describe('the journal', () => {
  it("cuts a time window by the store's clock, not the producer's [EVT-16]", () => {
    const skewed = buildLog()
      .add('RunApproved', { atMs: 0 })
      .add('RunStarted', { atMs: 3_600_000, persistedAtMs: 60_000 })
      .add('RunCompleted', { atMs: 0, persistedAtMs: 400_000 })
    const from = msFromIso(at(0)) ?? 0
    const types = storedWithin(skewed.records, from, from + 300_000).map((one) => one.eventType)
    expect(types).toEqual(['RunApproved', 'RunStarted'])
  })

  it('is ordered by runSeq and passes what it does not know on [EVT-14, EVT-27, UIC-08]', () => {
    const future = buildLog()
      .addForeign('FutureEvent', {
        stepId: 'a',
        payload: { status: 'WARPING' },
        extra: { region: 'eu', emittedBy: 'oracle' },
      })
      .addForeign('RunStarted', { payload: { engineType: 'quantum' } })
    const lines = journalOf([...future.records].reverse())
    expect(lines.map((one) => one.eventType)).toEqual(['FutureEvent', 'RunStarted'])
    expect(lines[0]).toMatchObject({ emittedBy: 'oracle', payload: { status: 'WARPING' } })
    expect(evidenceOf(future.records)).toEqual([])
  })
})
