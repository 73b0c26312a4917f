/** A log read out for others: in their forms, as a journal by the clock of the store, and as evidence. */
import { describe, expect, it } from 'vitest'
import { checkEvidence, isEvent, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { endedLog, openHere, problemsOf, RUN_ID, textOf } from '../fixtures/foreign-log.ts'

const PLAN = {
  plan: 'p',
  version: '1.0.0',
  policy: { onFailure: 'continue' },
  steps: [
    { id: 'a', run: 'good' },
    { id: 'b', run: 'bad' },
  ],
}
const steps = {
  good: () => ({ ok: true }),
  bad: () => {
    throw Object.assign(new Error('it broke'), { code: 'BROKEN', name: 'ConflictError' })
  },
}

const open = (): Promise<Keelson> => openKeelson({ directory: testFolder(), steps })

async function played(keelson: Keelson): Promise<RunHandle> {
  const run = await keelson.start(PLAN)
  await run.result()
  return run
}

describe('the events of a run', () => {
  it('are CloudEvents 1.0: required attributes, names of lower-case letters, and the event as data', async () => {
    await using keelson = await open()
    const run = await played(keelson)
    const records = await run.records()
    const events = await run.recordsAs('cloudevents')
    expect(events).toHaveLength(records.length)
    for (const [index, event] of events.entries()) {
      const record = records[index]
      expect(event).toMatchObject({
        specversion: '1.0',
        id: record?.eventId,
        source: `/keelson/local/runs/${run.runId}`,
        type: `keelson.${record?.eventType ?? ''}`,
        time: record?.emittedAt,
        datacontenttype: 'application/json',
        sequence: String(index + 1).padStart(10, '0'),
        partitionkey: run.runId,
        data: { eventType: record?.eventType, runSeq: index + 1 },
      })
      for (const name of Object.keys(event)) expect(name).toMatch(/^[a-z0-9]{1,20}$/)
    }
    expect(events.find(({ type }) => type === 'keelson.StepStarted')?.['subject']).toBe('a')
  })

  it('show one error in the words of either contract [EVT-20, X-80]', async () => {
    await using keelson = await open()
    const run = await played(keelson)
    const failed = (events: readonly object[]) =>
      events.find((one) => 'eventType' in one && one.eventType === 'StepFailed')
    expect(failed(await run.recordsAs('s0'))).toMatchObject({
      stepId: 'b',
      error: { code: 'BROKEN', message: 'it broke', retryable: false },
      failedAt: expect.any(String),
    })
    expect(failed(await run.recordsAs('s1'))).toMatchObject({
      stepId: 'b',
      occurredAt: expect.any(String),
      payload: { errorCode: 'BROKEN', errorMessage: 'it broke', retryable: false },
    })
    const unknown = 's2' as 's1'
    expect(await problemsOf(run.recordsAs(unknown))).toMatchObject([{ code: 'OPTION_INVALID' }])
  })
})

describe('the journal of a run', () => {
  it('is cut by the clock of the store, whatever the producer said, with both attempt counters [EVT-16, ATT-10]', async () => {
    await using keelson = await openHere()
    const before = Date.now()
    await keelson.importLog(textOf(endedLog()))
    const run = await keelson.run(RUN_ID)
    const lines = async (options: Parameters<typeof run.journal>[0]) => {
      const found = []
      for await (const line of run.journal(options)) found.push(line)
      return found
    }
    // The producer's clock says March 2026.
    expect(await lines({ to: new Date(before) })).toEqual([])
    const all = await lines({ from: before })
    expect(
      all.map(({ eventType, logicalAttemptId, engineAttemptId }) => [eventType, logicalAttemptId, engineAttemptId]),
    ).toEqual([
      ['RunStarted', 1, 1],
      ['StepStarted', 1, 1],
      ['StepFailed', 1, 1],
      ['StepStarted', 2, 2],
      ['StepCompleted', 2, 2],
      ['StepStarted', 1, 1],
      ['StepCompleted', 1, 1],
      ['RunCompleted', 1, 1],
    ])
    expect(all.every(({ cause }) => cause === 'import')).toBe(true)
  })
})

describe('the evidence of a run', () => {
  it('has an entry for each attempt and each end, chained; a change, a move and a back-dating are found [GRF-12, GRF-17]', async () => {
    await using keelson = await open()
    const run = await played(keelson)
    const entries = await run.evidence()
    expect(entries.map(({ kind, actionId, outcome }) => [kind, actionId, outcome])).toEqual([
      ['attempt', 'a', 'Succeeded'],
      ['terminal', 'a', 'Succeeded'],
      ['attempt', 'b', 'Failed'],
      ['terminal', 'b', 'Failed'],
      ['terminal', 'RUN', 'Failed'],
    ])
    const records = await run.records()
    const attempts = records.filter((one) => isEvent(one, 'StepStarted')).length
    expect(entries).toHaveLength(attempts + 3)
    expect(checkEvidence(entries)).toEqual([])
    const changed = entries.map((one, index) => (index === 1 ? { ...one, outcome: 'Failed' as const } : one))
    expect(checkEvidence(changed)).toEqual([{ index: 1, kind: 'hash_mismatch' }])
    expect(checkEvidence(entries.toSpliced(2, 1))).toEqual([{ index: 2, kind: 'chain_break' }])
    const dated = entries.map((one, index) =>
      index === 3 ? { ...one, recordedAtIso: '2020-01-01T00:00:00.000Z' } : one,
    )
    expect(checkEvidence(dated)).toEqual([
      { index: 3, kind: 'hash_mismatch' },
      { index: 3, kind: 'timestamp_not_monotonic' },
    ])
  })
})
