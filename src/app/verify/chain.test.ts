import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DATA_SAMPLES, IDENTITY, PAYLOAD_SAMPLES, slotOfSample } from '../../../test/golden/event-samples.ts'
import { EVENT_TYPES } from '../../core/events/event.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { sealEvents } from '../log/seal.ts'
import { verifyChain } from './chain.ts'

let made = 0
const random = {
  uuid: () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`,
  bytes: (length: number) => new Uint8Array(length).fill(9),
}

function log(firstSeq = 1, gap = 0): readonly StoredEvent[] {
  let previousHash: Uint8Array = new Uint8Array(32)
  return EVENT_TYPES.map((type, index) => {
    const data = DATA_SAMPLES[type]
    const draft = {
      eventType: type,
      slot: slotOfSample(type),
      attempt: 1,
      payload: PAYLOAD_SAMPLES[type],
      ...(data && { data }),
    }
    const sealed = sealEvents({
      identity: IDENTITY,
      drafts: [{ draft: draft as Draft, decision: { firstSeq: 1, cause: 'start' } }],
      firstSeq: firstSeq + index * (1 + gap),
      previousHash,
      emittedAt: '2026-03-01T10:00:00.000Z',
      random,
    })
    previousHash = sealed.headHash
    const [event] = sealed.events
    if (event === undefined) throw new Error('nothing was sealed')
    return { ...event, persistedAt: 0 }
  })
}

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex')
const at = (events: readonly StoredEvent[], index: number): StoredEvent => {
  const event = events.at(index)
  if (event === undefined) throw new Error(`no event ${index}`)
  return event
}
const replaced = (events: readonly StoredEvent[], index: number, change: (event: StoredEvent) => StoredEvent) =>
  events.map((event, i) => (i === index ? change(event) : event))
const indexOf = (type: string) => EVENT_TYPES.findIndex((name) => name === type)

function rehashed(event: StoredEvent, previous: Uint8Array, record: string): StoredEvent {
  return { ...event, record, chainHash: createHash('sha256').update(previous).update(record).digest() }
}

describe('verifying a chain', () => {
  it('finds every event of every type whole and names the head [P-33]', () => {
    const events = log()
    expect(verifyChain(events)).toEqual({
      checked: EVENT_TYPES.length,
      headHash: hex(at(events, -1).chainHash),
      erased: [],
      missingData: [],
    })
    expect(verifyChain([])).toEqual({ checked: 0, headHash: '0'.repeat(64), erased: [], missingData: [] })
  })

  it('does not mind gaps in the numbers', () => {
    expect(verifyChain(log(3, 4)).broken).toBeUndefined()
  })

  it('finds one changed character anywhere, and stops there', () => {
    const events = log()
    for (const [index, event] of events.entries()) {
      const forged = replaced(events, index, () => ({
        ...event,
        record: event.record.replace('"tenantId":"acme"', '"tenantId":"acmf"'),
      }))
      expect(verifyChain(forged)).toMatchObject({ checked: index, broken: { runSeq: event.runSeq } })
    }
  })

  it('finds an event that was removed, doubled or moved', () => {
    const events = log()
    expect(verifyChain(events.toSpliced(4, 1)).broken?.runSeq).toBe(6)
    expect(verifyChain(events.toSpliced(4, 0, at(events, 3))).broken?.runSeq).toBe(4)
    expect(verifyChain(events.toSpliced(4, 2, at(events, 5), at(events, 4))).broken?.runSeq).toBe(6)
    expect(verifyChain(events.slice(1)).broken?.runSeq).toBe(2)
  })

  it('finds changed data and a lost salt', () => {
    const events = log()
    const index = indexOf('StepCompleted')
    const forged = replaced(events, index, (event) => ({ ...event, data: '{"result":{"rows":4}}' }))
    expect(verifyChain(forged).broken).toEqual({
      runSeq: index + 1,
      what: 'its data does not have the hash in its record',
    })
    const saltless = replaced(events, index, ({ salt: _, ...event }) => event)
    expect(verifyChain(saltless).broken?.what).toContain('without salt')
  })

  it('tells erased data apart from a break, and an erasure nobody recorded from one that was [P-34]', () => {
    const events = log()
    const index = indexOf('StepFailed')
    const erase = ({ data: _data, salt: _salt, ...event }: StoredEvent): StoredEvent => event
    const [early, late] = [indexOf('RunStarted'), indexOf('SignalAccepted')]
    expect([early, index, late]).toEqual([3, 6, 8])
    const erased = [early, index, late].reduce((some, place) => replaced(some, place, erase), events)
    const report = verifyChain(erased)
    expect(report).toMatchObject({ checked: events.length, erased: [4, 7], missingData: [9] })
    expect(report.broken).toBeUndefined()
    expect(report.headHash).toBe(hex(at(events, -1).chainHash))
  })

  it('finds a key that does not follow from the event, even under a chain that was made anew', () => {
    const events = log()
    const first = at(events, 0)
    const record = first.record.replace(/"idempotencyKey":"[a-f0-9]{64}"/, `"idempotencyKey":"${'0'.repeat(64)}"`)
    const forged = { ...rehashed(first, new Uint8Array(32), record), idempotencyKey: new Uint8Array(32) }
    expect(verifyChain([forged]).broken?.what).toContain('idempotencyKey')
  })

  it('finds a record whose bytes are not canonical', () => {
    const first = at(log(), 0)
    const loose = rehashed(first, new Uint8Array(32), first.record.replace('{', '{ '))
    expect(verifyChain([loose]).broken?.what).toContain('not canonical')
  })

  it('reports a row that cannot be read as the break it is', () => {
    const events = replaced(log(), 2, (event) => ({ ...event, record: event.record.slice(0, 9) }))
    expect(verifyChain(events)).toMatchObject({
      checked: 2,
      broken: { runSeq: 3, what: expect.stringContaining('not JSON') },
    })
  })
})
