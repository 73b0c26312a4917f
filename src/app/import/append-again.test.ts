/** A write whose key is in the log already, and the key that a write must carry. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { IDENTITY, sampleOf, SAMPLES, sha256Of } from '../../../test/golden/event-samples.ts'
import { keyOfWrite } from './append-open.ts'
import {
  appendEvents,
  options,
  storeWithRun,
  refusal,
  without,
  length,
  snapshot,
  stepStarted,
} from '../../../test/fixtures/open-writes.ts'

describe('an event that is there already', () => {
  it('is answered with the values of the first write, and never stored twice [IDM-08, IDM-09]', async () => {
    const { store, row } = await storeWithRun()
    const [first] = await appendEvents(store, IDENTITY, [stepStarted(1)], options)
    const [second] = await appendEvents(store, IDENTITY, [stepStarted(1)], options)
    expect(first).toMatchObject({ runSeq: 1, idempotent: false, persisted: true })
    expect(second).toEqual({ ...first, idempotent: true, persisted: false })
    const many = await Promise.all(
      Array.from({ length: 100 }, () => appendEvents(store, IDENTITY, [stepStarted(2)], options)),
    )
    const results = many.flat()
    expect(results.filter((result) => result.persisted)).toHaveLength(1)
    expect(results.filter((result) => result.idempotent)).toHaveLength(99)
    expect(new Set(results.map((result) => `${result.runSeq} ${result.eventId}`)).size).toBe(1)
    expect(await length(store, row)).toBe(2)
  })

  it('is recognised when a worker died after the append and the platform tries again [IDM-04]', async () => {
    const { store, row } = await storeWithRun()
    await appendEvents(store, IDENTITY, [stepStarted(1, { engineAttemptId: 1 })], options)
    const [again] = await appendEvents(store, IDENTITY, [stepStarted(1, { engineAttemptId: 2 })], options)
    expect(again).toMatchObject({ idempotent: true, persisted: false, runSeq: 1 })
    expect(again).not.toHaveProperty('conflict')
    expect(await length(store, row)).toBe(1)
  })

  it('gives the stored id to a producer that came back with a new one [EVT-28]', async () => {
    const { store } = await storeWithRun()
    const lost = stepStarted(1)
    const retried = stepStarted(1)
    expect(retried.eventId).not.toBe(lost.eventId)
    await appendEvents(store, IDENTITY, [lost], options)
    const [answer] = await appendEvents(store, IDENTITY, [retried], options)
    expect(answer?.eventId).toBe(lost.eventId)
  })

  it('with other content is a conflict that gets the kept record back [P-15]', async () => {
    const { store, row } = await storeWithRun()
    const kept = { ...sampleOf('StepCompleted'), data: { result: { rows: 3 } } }
    const others = [
      { ...kept, data: { result: { rows: 4 } } },
      { ...kept, payload: { ...kept.payload, durationMs: 13 } },
      without(kept, 'data'),
    ]
    await appendEvents(store, IDENTITY, [kept], options)
    const sameAgain = { ...kept, emittedAt: '2026-03-02T00:00:00Z', eventId: randomUUID() }
    const [same] = await appendEvents(store, IDENTITY, [sameAgain], options)
    expect(same).not.toHaveProperty('conflict')
    for (const other of others) {
      const [result] = await appendEvents(store, IDENTITY, [other], options)
      expect(result).toMatchObject({
        conflict: true,
        idempotent: true,
        existing: { payload: kept.payload, data: kept.data },
      })
    }
    expect(await length(store, row)).toBe(1)
  })

  it('is told apart by signal: two signals are two rows, one delivered twice is one [IDM-11]', async () => {
    const { store, row } = await storeWithRun()
    const signal = (signalId: string) => {
      const write = { ...sampleOf('SignalAccepted'), payload: { ...sampleOf('SignalAccepted').payload, signalId } }
      return { ...write, idempotencyKey: keyOfWrite(write) }
    }
    await appendEvents(store, IDENTITY, [signal('s-1'), signal('s-2'), signal('s-1')], options)
    expect(await length(store, row)).toBe(2)
  })

  it('is told apart by pause cycle: four rows of two pauses, and the run runs again [IDM-10, X-06]', async () => {
    const { store, row } = await storeWithRun()
    const cycle = (type: 'RunPaused' | 'RunResumed', logicalAttemptId: number) => {
      const { runId, planVersion } = IDENTITY
      const idempotencyKey = sha256Of(`${runId}|RUN|${logicalAttemptId}|${type}|${planVersion}`)
      return { ...sampleOf(type), logicalAttemptId, idempotencyKey }
    }
    await appendEvents(store, IDENTITY, [sampleOf('RunApproved'), sampleOf('RunStarted')], options)
    const expected = ['PAUSED', 'RUNNING', 'PAUSED', 'RUNNING']
    const cycles = [cycle('RunPaused', 1), cycle('RunResumed', 1), cycle('RunPaused', 2), cycle('RunResumed', 2)]
    for (const [index, write] of cycles.entries()) {
      const [result] = await appendEvents(store, IDENTITY, [write], options)
      expect(result).toMatchObject({ persisted: true, runSeq: 3 + index })
      expect((await snapshot(store, row)).status).toBe(expected[index])
    }
  })

  it('does not start a run again: of several deliveries of RunStarted the first alone counts [IDM-12]', async () => {
    const { store, row } = await storeWithRun()
    const started = (startedAt: string) => ({
      ...sampleOf('RunStarted'),
      payload: { ...sampleOf('RunStarted').payload, startedAt },
    })
    await appendEvents(store, IDENTITY, [sampleOf('RunApproved'), started('2026-03-01T10:00:00.000Z')], options)
    const first = await snapshot(store, row)
    for (const startedAt of ['2026-03-01T11:00:00.000Z', '2026-03-01T09:00:00.000Z']) {
      const [again] = await appendEvents(store, IDENTITY, [started(startedAt)], options)
      expect(again).toMatchObject({ persisted: false, conflict: true, runSeq: 2 })
    }
    expect(first.startedAt).toBe('2026-03-01T10:00:00.000Z')
    expect(await snapshot(store, row)).toEqual(first)
  })
})

describe('the key of a write', () => {
  it('must be the hash of its key text: a made-up one is refused [IDM-14]', async () => {
    const { store, row } = await storeWithRun()
    const keys = ['pause-run-1', `val-${IDENTITY.runId}-1.2.0`, 'A'.repeat(64), '0'.repeat(63), sha256Of('pause-run-1')]
    for (const idempotencyKey of keys) {
      const problems = await refusal(
        appendEvents(store, IDENTITY, [{ ...sampleOf('RunPaused'), idempotencyKey }], options),
      )
      expect(problems, idempotencyKey).toMatchObject([{ code: 'SCHEMA_VALIDATION_FAILED' }])
    }
    const terminal = (type: string) => type === 'StepFailed' || type === 'StepSkipped'
    await appendEvents(
      store,
      IDENTITY,
      SAMPLES.filter((write) => !terminal(write.eventType)),
      options,
    )
    for (const event of await store.readEvents(row.runKey, {})) {
      expect((JSON.parse(event.record) as { idempotencyKey: string }).idempotencyKey).toMatch(/^[a-f0-9]{64}$/)
    }
  })

  it('takes the six-part formula only behind its switch; without it the five-part one [IDM-06]', async () => {
    const { store } = await storeWithRun()
    const { runId, planId, planVersion } = IDENTITY
    const v2 = {
      ...sampleOf('RunPaused'),
      idempotencyKey: sha256Of(`${runId}|RUN|1|RunPaused|${planId}|${planVersion}`),
    }
    expect(keyOfWrite(v2, 'v2')).toBe(v2.idempotencyKey)
    expect(keyOfWrite(v2)).toBe(sampleOf('RunPaused').idempotencyKey)
    expect(await refusal(appendEvents(store, IDENTITY, [v2], options))).toMatchObject([
      { code: 'SCHEMA_VALIDATION_FAILED' },
    ])
    const [result] = await appendEvents(store, IDENTITY, [v2], { ...options, keyVersion: 'v2' })
    expect(result?.persisted).toBe(true)
  })
})
