/** The texts of an append: every event comes back as it was, and damage costs no event before it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import canonicalize from 'canonicalize'
import type { SealedEvent } from '../../../ports/run-store.ts'
import { dataFrom, eventsOf, stepOf, textsOf } from './append-text.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
/** Whatever could be taken for the frame around it. */
const tricky = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('3,0:abc', ',:', '0,0:', '1e9:', '-5,3:', '😀,1:'),
)
const sealed = fc.array(
  fc.record({
    key: bytes(32),
    hash: bytes(32),
    note: tricky,
    slot: fc.option(tricky),
    data: fc.option(tricky),
    salt: bytes(16),
  }),
  { minLength: 1, maxLength: 6 },
)

type Made = readonly SealedEvent[]
const made = sealed.map((all): Made =>
  all.map(({ key, hash, note, slot, data, salt }, index) => ({
    runSeq: 7 + index,
    eventType: 'StepCompleted',
    idempotencyKey: Buffer.from(key),
    record: JSON.stringify({
      decision: { cause: note, firstSeq: 1 },
      eventType: 'StepCompleted',
      idempotencyKey: Buffer.from(key).toString('hex'),
      payload: { note, eventType: 'x', stepId: 'other', runSeq: 1 },
      runSeq: 7 + index,
      stepId: `s${index}`,
      tenantId: note,
    }),
    chainHash: Buffer.from(hash),
    ...(data === null ? {} : { data: JSON.stringify(data), salt: Buffer.from(salt) }),
    ...(slot === null || slot === '' ? {} : { terminalSlot: slot }),
  })),
)

const rowOf = (events: Made, change: Readonly<Record<string, string>> = {}) => {
  const { records, data, chainHashes } = textsOf(events)
  return {
    first_seq: 7,
    last_seq: 6 + events.length,
    persisted_at: 5,
    chain_hashes: chainHashes,
    data,
    records,
    ...change,
  }
}

describe('an append', () => {
  it('gives back every event as it was, whatever its texts hold', () => {
    fc.assert(
      fc.property(made, (events) => {
        expect(eventsOf(rowOf(events))).toEqual(events.map((event) => ({ ...event, persistedAt: 5 })))
      }),
    )
  })

  it('that was cut keeps the events before the cut and never breaks who reads it', () => {
    fc.assert(
      fc.property(made, fc.nat(), tricky, (events, at, more) => {
        const { records } = textsOf(events)
        const cut = at % records.length
        const before = events.filter((_, index) => textsOf(events.slice(0, index + 1)).records.length <= cut)
        const found = eventsOf(rowOf(events, { records: records.slice(0, cut) + more }))
        expect(found.slice(0, before.length).map(({ record }) => record)).toEqual(before.map(({ record }) => record))
        expect(found.length).toBeLessThanOrEqual(events.length)
      }),
    )
  })

  it('whose data is damaged never breaks who reads it or erases from it', () => {
    fc.assert(
      fc.property(made, tricky, (events, data) => {
        expect(eventsOf(rowOf(events, { data })).map(({ record }) => record)).toEqual(
          events.map(({ record }) => record),
        )
        expect((dataFrom(data, 2) ?? '').length).toBeLessThanOrEqual(data.length)
      }),
    )
  })

  it('loses the data of its first events and keeps that of the others, byte by byte', () => {
    fc.assert(
      fc.property(made, fc.nat(6), (events, gone) => {
        const data = dataFrom(textsOf(events).data ?? '', gone)
        const left = eventsOf({ ...rowOf(events), data })
        expect(left.map(({ data: one, salt }) => [one, salt])).toEqual(
          events.map(({ data: one, salt }, index) => (index < gone ? [undefined, undefined] : [one, salt])),
        )
      }),
    )
  })

  it('names one slot for one event, whether its log was begun before items had a stepId of their own or later [P-52, P-08]', () => {
    const record = (fields: object): string =>
      canonicalize({ runId: 'r', runSeq: 1, tenantId: 't', payload: {}, ...fields }) ?? ''
    const item = { eventType: 'StepStarted', itemIndex: 3 }
    expect(stepOf(record({ ...item, stepId: 'f' }))).toBe('f[3]')
    expect(stepOf(record({ ...item, stepId: 'f[3]', parentStepId: 'f' }))).toBe('f[3]')
    expect(stepOf(record({ eventType: 'StepFailed', stepId: 'f', role: 'fallback' }))).toBe('FALLBACK:f')
    expect(stepOf(record({ eventType: 'CompensationStarted', stepId: 'f' }))).toBe('')
    expect(stepOf(record({ eventType: 'CompensationStarted', payload: { stepId: 'f' } }))).toBe('')
    expect(stepOf(record({ eventType: 'StepStarted', stepId: 'f' }))).toBe('f')
  })

  it('names the step of an event by its own field alone', () => {
    fc.assert(
      fc.property(made, (events) => {
        expect(events.map(({ record }) => stepOf(record))).toEqual(events.map((_, index) => `s${index}`))
      }),
    )
  })
})
