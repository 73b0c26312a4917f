import { describe, expect, it } from 'vitest'
import { DATA_SAMPLES, IDENTITY, PAYLOAD_SAMPLES, slotOfSample } from '../../../test/golden/event-samples.ts'
import { EVENT_TYPES, type EventType } from '../../core/events/event.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { envelopeOf, recordOf } from './read-events.ts'
import { sealEvents } from './seal.ts'

const random = {
  uuid: () => '9b2f0c1e-3a47-4b5e-8c11-6f0a2d4e7b90',
  bytes: (length: number) => new Uint8Array(length).fill(1),
}

function storedOf(type: EventType): StoredEvent {
  const data = DATA_SAMPLES[type]
  const draft = {
    eventType: type,
    slot: slotOfSample(type),
    attempt: 1,
    payload: PAYLOAD_SAMPLES[type],
    ...(data && { data }),
  }
  const { events } = sealEvents({
    identity: IDENTITY,
    drafts: [{ draft: draft as Draft, decision: { firstSeq: 1, cause: 'start' } }],
    firstSeq: 1,
    previousHash: new Uint8Array(32),
    emittedAt: '2026-03-01T10:00:00.000Z',
    random,
  })
  const [event] = events
  if (event === undefined) throw new Error('nothing was sealed')
  return { ...event, persistedAt: 1_772_359_201_234 }
}

const changed = (stored: StoredEvent, change: (record: Record<string, unknown>) => object): StoredEvent => ({
  ...stored,
  record: JSON.stringify(change(JSON.parse(stored.record) as Record<string, unknown>)),
})

describe('reading a stored event', () => {
  it.each(EVENT_TYPES)('gives back all of a %s, with runSeq and persistedAt', (type) => {
    const stored = storedOf(type)
    const read = recordOf(stored)
    expect(read).toMatchObject({
      ok: true,
      value: {
        ...IDENTITY,
        eventType: type,
        runSeq: 1,
        persistedAt: '2026-03-01T10:00:01.234Z',
        payload: PAYLOAD_SAMPLES[type],
        chainHash: Buffer.from(stored.chainHash).toString('hex'),
      },
    })
    const data = DATA_SAMPLES[type]
    if (data !== undefined) expect(read).toMatchObject({ value: { data, salt: '01'.repeat(16) } })
  })

  it('passes over fields and event types it does not know', () => {
    const future = changed(storedOf('RunPaused'), (record) => ({
      ...record,
      mood: 'good',
      payload: { weather: 1, pausedAt: record['emittedAt'] },
    }))
    expect(recordOf(future)).toMatchObject({ ok: true, value: { mood: 'good', payload: { weather: 1 } } })
    const unknown = changed(storedOf('RunPaused'), (record) => ({
      ...record,
      eventType: 'FutureEvent',
      payload: { a: [1] },
    }))
    expect(recordOf({ ...unknown, eventType: 'FutureEvent' })).toMatchObject({
      ok: true,
      value: { eventType: 'FutureEvent' },
    })
  })

  it('takes any producer and any new word where today there is a list of words', () => {
    const emitter = changed(storedOf('RunPaused'), (record) => ({ ...record, emittedBy: 'robot' }))
    expect(recordOf(emitter)).toMatchObject({ ok: true, value: { emittedBy: 'robot' } })
    const word = changed(storedOf('RunQueued'), (record) => ({ ...record, payload: { policy: 'LATER' } }))
    expect(recordOf(word).ok).toBe(true)
  })

  it('reads an event whose data was erased', () => {
    const { data: _data, salt: _salt, ...erased } = storedOf('StepCompleted')
    const read = recordOf(erased)
    expect(read.ok && read.value.data).toBeUndefined()
    expect(read).toMatchObject({ ok: true, value: { dataHash: expect.stringMatching(/^[a-f0-9]{64}$/) } })
  })

  it('answers damage with a problem about this run that names the event and the field', () => {
    const stored = storedOf('StepFailed')
    const damaged: readonly [StoredEvent, string][] = [
      [{ ...stored, record: stored.record.slice(0, 40) }, 'is not JSON'],
      [{ ...stored, record: '[]' }, 'is not an object'],
      [{ ...stored, data: '{' }, 'its data is not JSON'],
      [{ ...stored, persistedAt: Number.NaN }, 'persistedAt'],
      [{ ...stored, runSeq: 2 }, 'runSeq'],
      [{ ...stored, eventType: 'StepCompleted' }, 'the row a StepCompleted'],
      [{ ...stored, idempotencyKey: new Uint8Array(32) }, 'idempotencyKey'],
      [changed(stored, ({ payload: _, ...others }) => others), '.payload is missing'],
      [changed(stored, (record) => ({ ...record, payload: { final: true } })), '.payload.error is missing'],
      [changed(stored, (record) => ({ ...record, emittedAt: 'soon' })), '.emittedAt must be a date'],
      [changed(stored, ({ tenantId: _, ...others }) => others), '.tenantId is missing'],
    ]
    for (const [event, what] of damaged) {
      const read = recordOf(event)
      expect(read.ok).toBe(false)
      expect(read.ok ? [] : read.problems).toMatchObject([
        { code: 'RUN_QUARANTINED', message: expect.stringContaining(what) },
      ])
    }
  })

  it('lets a follower have an event of a known type with a malformed payload, and no driver', () => {
    const malformed = changed(storedOf('StepFailed'), (record) => ({ ...record, payload: { error: 'boom' } }))
    expect(envelopeOf(malformed)).toMatchObject({ ok: true, value: { payload: { error: 'boom' } } })
    expect(recordOf(malformed).ok).toBe(false)
    expect(envelopeOf({ ...malformed, record: '{}' }).ok).toBe(false)
  })
})
