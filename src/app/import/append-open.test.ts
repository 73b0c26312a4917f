import { describe, expect, it } from 'vitest'
import { IDENTITY, sampleOf, SAMPLES } from '../../../test/golden/event-samples.ts'
import { EVENT_TYPES } from '../../core/events/event.ts'
import { keyOfWrite } from './append-open.ts'
import { recordOf } from '../log/read-events.ts'
import { verifyChain } from '../verify/chain.ts'
import {
  appendEvents,
  NOW,
  options,
  storeWithRun,
  refusal,
  without,
  length,
  stepStarted,
} from '../../../test/fixtures/open-writes.ts'

describe('an open append', () => {
  it('stores every kind of event whole, and every record read back has its number and its time [EVT-09]', async () => {
    const { store, row } = await storeWithRun()
    const writes = SAMPLES.filter(({ eventType }) => eventType !== 'StepFailed' && eventType !== 'StepSkipped')
    const results = await appendEvents(store, IDENTITY, writes, options)
    expect(results.map((result) => result.runSeq)).toEqual(writes.map((_, index) => index + 1))
    const records = (await store.readEvents(row.runKey, {})).map(recordOf)
    for (const [index, write] of writes.entries()) {
      expect(records[index]).toMatchObject({
        ok: true,
        value: {
          ...write,
          runSeq: index + 1,
          persistedAt: '2026-03-01T10:00:01.234Z',
          decision: { firstSeq: 1, cause: 'import' },
        },
      })
    }
    const events = await store.readEvents(row.runKey, {})
    expect(verifyChain(events)).toMatchObject({
      checked: writes.length,
      headHash: Buffer.from(events.at(-1)?.chainHash ?? []).toString('hex'),
    })
    expect(verifyChain(events).broken).toBeUndefined()
  })

  it('refuses a number, a time, a decision or a hash that the producer brought itself [EVT-09]', async () => {
    const { store, row } = await storeWithRun()
    const brought = {
      runSeq: 7,
      persistedAt: '2026-03-01T10:00:00Z',
      decision: { firstSeq: 1, cause: 'start' },
      chainHash: '0'.repeat(64),
    }
    for (const [name, value] of [
      ...Object.entries(brought),
      ['salt', '0'.repeat(32)],
      ['dataHash', '0'.repeat(64)],
    ] as const) {
      const problems = await refusal(
        appendEvents(store, IDENTITY, [{ ...sampleOf('RunPaused'), [name]: value }], options),
      )
      expect(problems).toMatchObject([{ code: 'SCHEMA_VALIDATION_FAILED', message: expect.stringContaining(name) }])
    }
    expect(await length(store, row)).toBe(0)
  })

  it('refuses an event that lacks one of its identity fields, whichever it is [EVT-07]', async () => {
    const { store, row } = await storeWithRun()
    const names = [
      'runId',
      'tenantId',
      'projectId',
      'environmentId',
      'planId',
      'planVersion',
      'engineAttemptId',
      'logicalAttemptId',
      'idempotencyKey',
      'eventType',
      'eventId',
      'stepId',
    ]
    for (const name of names) {
      const problems = await refusal(appendEvents(store, IDENTITY, [without(sampleOf('StepStarted'), name)], options))
      expect(problems, name).toMatchObject([{ code: 'SCHEMA_VALIDATION_FAILED' }])
    }
    expect(await length(store, row)).toBe(0)
  })

  it('stores nothing of an invalid event: no row, no number, no content for anybody to read [EVT-25]', async () => {
    const { store, row } = await storeWithRun()
    for (const type of EVENT_TYPES) {
      const write = { ...sampleOf(type), payload: { surprise: 1 } }
      expect(await refusal(appendEvents(store, IDENTITY, [write], options)), type).toMatchObject([
        { code: 'SCHEMA_VALIDATION_FAILED' },
      ])
    }
    expect(await length(store, row)).toBe(0)
    expect(await store.findRun(IDENTITY)).toEqual(row)
    const [next] = await appendEvents(store, IDENTITY, [sampleOf('RunApproved')], options)
    expect(next?.runSeq).toBe(1)
  })

  it('stamps the time of the store, not that of a producer whose clock is an hour ahead [EVT-13]', async () => {
    const { store, row } = await storeWithRun()
    const [result] = await appendEvents(
      store,
      IDENTITY,
      [stepStarted(1, { emittedAt: '2026-03-01T11:00:01.234Z' })],
      options,
    )
    expect(result?.persistedAt).toBe('2026-03-01T10:00:01.234Z')
    const [stored] = await store.readEvents(row.runKey, {})
    expect(stored?.persistedAt).toBe(NOW)
  })

  it('refuses an event of another tenant, project, environment, plan or plan version [STO-28]', async () => {
    const { store, row } = await storeWithRun()
    for (const name of ['tenantId', 'projectId', 'environmentId', 'planId', 'planVersion', 'runId'] as const) {
      const write = { ...sampleOf('RunPaused'), [name]: 'other' }
      const keyed = { ...write, idempotencyKey: keyOfWrite(write) }
      expect(await refusal(appendEvents(store, IDENTITY, [keyed], options)), name).toMatchObject([
        { code: 'RUN_SCOPE_MISMATCH', message: expect.stringContaining(name) },
      ])
    }
    expect(await length(store, row)).toBe(0)
  })

  it('numbers a batch in its order with a result for each, a duplicate among them [STO-29]', async () => {
    const { store, row } = await storeWithRun()
    const [first] = await appendEvents(store, IDENTITY, [stepStarted(2)], options)
    const results = await appendEvents(
      store,
      IDENTITY,
      [1, 2, 3, 4, 5].map((attempt) => stepStarted(attempt)),
      options,
    )
    expect(results.map(({ runSeq, idempotent, persisted }) => [runSeq, idempotent, persisted])).toEqual([
      [2, false, true],
      [1, true, false],
      [3, false, true],
      [4, false, true],
      [5, false, true],
    ])
    expect(results[1]?.eventId).toBe(first?.eventId)
    const attempts = (await store.readEvents(row.runKey, {})).map(
      (event) => (JSON.parse(event.record) as { logicalAttemptId: number }).logicalAttemptId,
    )
    expect(attempts).toEqual([2, 1, 3, 4, 5])
  })

  it('stores nothing of a batch with one invalid event in it, and says which one [STO-29]', async () => {
    const { store, row } = await storeWithRun()
    const writes = [stepStarted(1), stepStarted(2), stepStarted(3, { payload: {} }), stepStarted(4), stepStarted(5)]
    expect(await refusal(appendEvents(store, IDENTITY, writes, options))).toMatchObject([
      { code: 'SCHEMA_VALIDATION_FAILED', pointer: '/2' },
    ])
    expect(await length(store, row)).toBe(0)
  })

  it('refuses what is too large before the store sees it', async () => {
    const { store, row } = await storeWithRun()
    const write = { ...sampleOf('StepCompleted'), data: { result: 'x'.repeat(65_536) } }
    expect(await refusal(appendEvents(store, IDENTITY, [write], options))).toMatchObject([
      { code: 'PAYLOAD_TOO_LARGE' },
    ])
    expect(await length(store, row)).toBe(0)
  })
})
