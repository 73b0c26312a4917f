/** Writes in the very forms of the source contracts, through the mapper, into a store, and out again by the views. */
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { appendEvents } from '../fixtures/open-writes.ts'
import { recordOf } from '../../src/app/log/read-events.ts'
import { validateWrite } from '../../src/app/import/validate-events.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { flatViewOf, flatErrorOf, viewOf } from '../../src/core/events/event-views.ts'
import { mapWrite } from '../../src/core/events/mappers.ts'
import { IDENTITY, PAYLOAD_SAMPLES, sampleOf, SAMPLES, sha256Of } from './event-samples.ts'

const { rulesVersion, epoch, maxInFlight, ...seedStarted } = PAYLOAD_SAMPLES.RunStarted
const sources = {
  newEventId: () => randomUUID(),
  classify: ({ code }: { code: string }) => ({ errorClass: 'timeout', retryable: code === 'TIMEOUT' }) as const,
  runStarted: { ...seedStarted, rulesVersion, epoch, maxInFlight },
}
const keyOf = (slot: string, type: string) => sha256Of(`${IDENTITY.runId}|${slot}|1|${type}|${IDENTITY.planVersion}`)

/** The literal shape of S1 §4.1: no eventId, emittedBy or emittedAt. */
function seedOneWrite(eventType: string, others: object = {}): Record<string, unknown> {
  const slot = eventType.startsWith('Step') ? 'load' : 'RUN'
  return {
    eventType,
    occurredAt: '2026-03-01T10:00:00.000Z',
    ...IDENTITY,
    engineAttemptId: 1,
    logicalAttemptId: 1,
    idempotencyKey: keyOf(slot, eventType),
    ...(slot === 'load' ? { stepId: 'load' } : {}),
    ...others,
  }
}

async function stored(writes: readonly unknown[]): Promise<readonly LogRecord[]> {
  const store = openMemoryStore({ clock: { now: () => 1_772_359_201_234 } })
  const create = { ...IDENTITY, planSha256: '0'.repeat(64), engineType: 'embedded', engineRunRef: 'embedded://x' }
  const summary = {
    status: 'PENDING',
    rulesVersion: 1,
    minRulesVersion: 1,
    stepsTotal: 1,
    stepsDone: 0,
    stepsFailed: 0,
  } as const
  await store.commit([{ create, expected: { epoch: 1, nextSeq: 1 }, events: [], summary }])
  const random = { uuid: () => randomUUID(), bytes: (length: number) => new Uint8Array(randomBytes(length)) }
  await appendEvents(store, IDENTITY, writes, { random })
  const row = await store.findRun(IDENTITY)
  const events = await store.readEvents(row?.runKey ?? 0, {})
  return events.map((event) => {
    const record = recordOf(event)
    if (!record.ok) throw new Error(record.problems[0]?.message)
    return record.value
  })
}

describe('a write of S1', () => {
  it('is accepted through the mapper for each of its nine events [EVT-12, X-01]', async () => {
    const error = { errorCode: 'TIMEOUT', errorMessage: 'took 31 s', retryable: true, stack: 'at load' }
    const writes = [
      seedOneWrite('RunStarted'),
      seedOneWrite('StepStarted'),
      seedOneWrite('RunPaused', { payload: { signalId: 's-1', reason: 'maintenance' } }),
      seedOneWrite('RunResumed', { payload: { signalId: 's-2' } }),
      seedOneWrite('StepFailed', { payload: error }),
      seedOneWrite('RunCompleted'),
      seedOneWrite('RunFailed', { payload: error }),
      seedOneWrite('RunCancelled'),
    ]
    const records = await stored(writes.map((write) => mapWrite(write, sources)))
    expect(records).toHaveLength(writes.length)
    for (const record of records) {
      expect(record.emittedAt).toBe('2026-03-01T10:00:00.000Z')
      expect(record.occurredAt).toBe(record.emittedAt)
      expect(record.eventId).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect(records.map((record) => record.emittedBy)).toEqual([
      'engine',
      'activity-worker',
      'engine',
      'engine',
      'activity-worker',
      'engine',
      'engine',
      'engine',
    ])
    const completed = seedOneWrite('StepCompleted', { payload: { result: { rows: 3 }, durationMs: 12 } })
    const [record] = await stored([mapWrite(completed, sources)])
    expect(record).toMatchObject({ payload: { artifactRefs: [], durationMs: 12 }, data: { result: { rows: 3 } } })
    expect(record?.payload).not.toHaveProperty('result')
  })

  it('gets retryable from the classifier when it does not say itself [EVT-12]', async () => {
    for (const [code, retryable] of [
      ['TIMEOUT', true],
      ['BAD_INPUT', false],
    ] as const) {
      const [record] = await stored([mapWrite(seedOneWrite('StepFailed', { payload: { errorCode: code } }), sources)])
      expect(record?.payload?.['error']).toMatchObject({ code, retryable })
    }
  })

  it('without any time stays without one and is refused [EVT-12]', () => {
    const { occurredAt: _, ...timeless } = seedOneWrite('RunPaused')
    const result = validateWrite(mapWrite(timeless, sources))
    expect(result).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining('emittedAt') }] })
  })

  it('has an offset stored as Z, in the envelope and in the payload [EVT-12]', async () => {
    const write = seedOneWrite('StepStarted', {
      occurredAt: '2026-03-01T12:00:00+02:00',
      payload: { startedAt: '2026-03-01T12:00:00.5+02:00' },
    })
    const [record] = await stored([mapWrite(write, sources)])
    expect(record).toMatchObject({
      emittedAt: '2026-03-01T10:00:00.000Z',
      occurredAt: '2026-03-01T10:00:00.000Z',
      payload: { startedAt: '2026-03-01T10:00:00.500Z' },
    })
  })

  it('that brings a number, a time of the store or an unknown type is not helped by the mapper', () => {
    expect(validateWrite(mapWrite(seedOneWrite('RunPaused', { runSeq: 4 }), sources)).ok).toBe(false)
    expect(
      validateWrite(mapWrite(seedOneWrite('RunPaused', { persistedAt: '2026-03-01T10:00:00Z' }), sources)).ok,
    ).toBe(false)
    expect(validateWrite(mapWrite({ eventType: 'onRunStarted' }, sources)).ok).toBe(false)
    expect(validateWrite(mapWrite({}, sources)).ok).toBe(false)
  })
})

describe('the flat form of S0', () => {
  const envelope = {
    eventType: 'RunStarted',
    eventId: '9b2f0c1e-3a47-4b5e-8c11-6f0a2d4e7b90',
    runId: IDENTITY.runId,
    idempotencyKey: keyOf('RUN', 'RunStarted'),
    emittedAt: '2026-03-01T10:00:00.000Z',
    emittedBy: 'engine',
  }

  it('of RunStarted is stored as the same record as the nested one [EVT-33]', async () => {
    const [flat] = await stored([mapWrite({ ...envelope, ...seedStarted }, sources)])
    const nested = {
      ...envelope,
      ...IDENTITY,
      logicalAttemptId: 1,
      engineAttemptId: 1,
      payload: PAYLOAD_SAMPLES.RunStarted,
    }
    const [other] = await stored([nested])
    expect(flat).toEqual(other)
    expect(flat?.payload).toEqual(PAYLOAD_SAMPLES.RunStarted)
  })

  it('is offered again by a view [EVT-33]', async () => {
    const [record] = await stored([mapWrite({ ...envelope, ...seedStarted }, sources)])
    if (record === undefined) throw new Error('nothing was stored')
    expect(flatViewOf(record)).toMatchObject({
      ...envelope,
      ...seedStarted,
      runSeq: 1,
      persistedAt: '2026-03-01T10:00:01.234Z',
    })
    expect(flatViewOf(record)).not.toHaveProperty('payload')
  })

  it('of a signal keeps the decision that was made about it', async () => {
    const flat = {
      ...seedOneWrite('SignalRejected'),
      ...PAYLOAD_SAMPLES.SignalRejected,
      idempotencyKey: keyOf('SIGNAL:s-2', 'SignalRejected'),
    }
    const [record] = await stored([mapWrite(flat, sources)])
    expect(record).toMatchObject({ payload: PAYLOAD_SAMPLES.SignalRejected, decision: { cause: 'import' } })
    expect(record === undefined ? {} : flatViewOf(record)).toMatchObject({ decision: 'REJECTED' })
  })

  it('of an event that S0 does not know keeps its payload together', async () => {
    const [record] = await stored([sampleOf('RunForked')])
    expect(record === undefined ? {} : flatViewOf(record)).toMatchObject({
      planVersion: IDENTITY.planVersion,
      payload: { planVersion: '1.3.0' },
    })
  })
})

describe('a view', () => {
  it('shows both faces of one error: the canonical and that of S1 [EVT-20]', async () => {
    for (const type of ['StepFailed', 'RunFailed'] as const) {
      const error = {
        code: 'TIMEOUT',
        message: 'took 31 s',
        retryable: true,
        category: 'timeout',
        stackTrace: 'at load',
      }
      const [record] = await stored([
        mapWrite(seedOneWrite(type, { payload: { error, failedAt: '2026-03-01T10:00:00Z' } }), sources),
      ])
      if (record === undefined) throw new Error('nothing was stored')
      expect(record.payload?.['error']).not.toHaveProperty('message')
      expect(viewOf(record).payload['error']).toMatchObject(error)
      expect(viewOf(record).payload['failedAt']).toBe('2026-03-01T10:00:00Z')
      expect(flatErrorOf(record)).toEqual({
        errorCode: 'TIMEOUT',
        errorMessage: 'took 31 s',
        retryable: true,
        stack: 'at load',
      })
    }
    const missing = {
      ...sampleOf('StepFailed'),
      payload: { ...sampleOf('StepFailed').payload, error: { code: 'X', errorClass: 'timeout' } },
    }
    expect(validateWrite(missing).ok).toBe(false)
  })

  it('merges payload and data, leaves salt and hash out, and changes nothing it was given [P-32]', () => {
    const filled = {
      runSeq: 1,
      persistedAt: '',
      decision: { firstSeq: 1, cause: 'x' },
      chainHash: '',
      salt: '00',
      dataHash: '11',
    }
    for (const write of SAMPLES) {
      const record: LogRecord = Object.freeze({ ...write, ...filled, payload: Object.freeze({ ...write.payload }) })
      const { errorText, ...others } = record.data ?? {}
      const view = viewOf(record)
      expect(view.payload).toMatchObject(others)
      if (errorText) expect(view.payload['error']).toEqual({ ...PAYLOAD_SAMPLES.StepFailed.error, ...errorText })
      for (const name of ['data', 'salt', 'dataHash']) expect(view).not.toHaveProperty(name)
    }
  })

  it('leads back to the event it was made of, whatever its type [P-32]', () => {
    for (const write of SAMPLES) {
      const { payload } = viewOf({
        ...write,
        runSeq: 1,
        persistedAt: '',
        decision: { firstSeq: 1, cause: 'x' },
        chainHash: '',
      })
      const { data: _, ...bare } = { data: undefined, ...write }
      expect(mapWrite({ ...bare, payload }, sources)).toEqual(write)
    }
  })

  it('of an erased failure still has its code', () => {
    const { data: _, ...write } = sampleOf('StepFailed')
    const record = {
      ...write,
      runSeq: 1,
      persistedAt: '',
      decision: { firstSeq: 1, cause: 'x' },
      chainHash: '',
      dataHash: '00',
    }
    expect(flatErrorOf(record)).toEqual({ errorCode: 'TIMEOUT', retryable: true })
    expect(flatErrorOf({ ...record, eventType: 'RunPaused', payload: {} })).toBeUndefined()
  })
})
