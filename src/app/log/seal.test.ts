import { createHash, randomBytes, randomUUID } from 'node:crypto'
import canonicalize from 'canonicalize'
import { describe, expect, it } from 'vitest'
import { DATA_SAMPLES, IDENTITY, PAYLOAD_SAMPLES, sha256Of, slotOfSample } from '../../../test/golden/event-samples.ts'
import { EVENTS, EVENT_TYPES, type EventType } from '../../core/events/event.ts'
import { KeelsonError, type Problem } from '../../core/problems/problem.ts'
import type { Draft } from '../../core/run/draft.ts'
import { sealEvents, type SealInput } from './seal.ts'

const random = { uuid: () => randomUUID(), bytes: (length: number) => new Uint8Array(randomBytes(length)) }
const emittedAt = '2026-03-01T10:00:00.000Z'
const decision = { firstSeq: 5, cause: 'outcome:load#1' }

function draftOf<T extends EventType>(type: T): Draft {
  const data = DATA_SAMPLES[type]
  const draft = { eventType: type, slot: slotOfSample(type), attempt: 1, payload: PAYLOAD_SAMPLES[type] }
  return (data === undefined ? draft : { ...draft, data }) as Draft
}

function seal(drafts: readonly Draft[], changes: Partial<SealInput> = {}) {
  const input = { identity: IDENTITY, firstSeq: 5, previousHash: new Uint8Array(32), emittedAt, random }
  return sealEvents({ ...input, drafts: drafts.map((draft) => ({ draft, decision })), ...changes })
}

function refusal(drafts: readonly Draft[], changes: Partial<SealInput> = {}): Problem | undefined {
  try {
    seal(drafts, changes)
  } catch (error) {
    if (error instanceof KeelsonError) return error.problems[0]
    throw error
  }
  return undefined
}

const fieldsOf = (record: string) => JSON.parse(record) as Record<string, unknown>
const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('sealing', () => {
  it('tells of every event what its bytes say, so that nobody has to read them back', () => {
    const { events, written } = seal(EVENT_TYPES.map(draftOf))
    expect(written).toHaveLength(EVENT_TYPES.length)
    for (const [index, told] of written.entries()) {
      const fields = fieldsOf(events[index]?.record ?? '{}')
      for (const [name, value] of Object.entries(told))
        expect([told.eventType, name, value]).toEqual([told.eventType, name, fields[name]])
      expect(Object.keys(told)).toEqual(expect.arrayContaining(['stepId', 'itemIndex', 'role', 'payload']))
    }
  })

  it('writes a canonical record of every event type, with the envelope at its root and its own fields in payload', () => {
    const { events } = seal(EVENT_TYPES.map(draftOf))
    for (const [index, event] of events.entries()) {
      const type = EVENT_TYPES[index] ?? 'RunQueued'
      const fields = fieldsOf(event.record)
      expect(canonicalize(fields)).toBe(event.record)
      expect(fields).toMatchObject({
        ...IDENTITY,
        eventType: type,
        runSeq: 5 + index,
        emittedAt,
        emittedBy: EVENTS[type].emittedBy,
        logicalAttemptId: 1,
        engineAttemptId: 1,
        decision,
        payload: PAYLOAD_SAMPLES[type],
      })
      expect(fields['stepId']).toBe(EVENTS[type].level === 'run' ? undefined : 'load')
      expect(Object.keys(fields)).not.toEqual(expect.arrayContaining(['data']))
    }
  })

  it('keys, hashes and chains each event by the documented formulas [P-14, P-33]', () => {
    const { events, headHash } = seal(EVENT_TYPES.map(draftOf))
    let previous: Uint8Array = new Uint8Array(32)
    for (const event of events) {
      const fields = fieldsOf(event.record)
      const type = event.eventType as EventType
      const text = `${IDENTITY.runId}|${slotOfSample(type)}|1|${type}|${IDENTITY.planVersion}`
      expect(hex(event.idempotencyKey)).toBe(sha256Of(text))
      expect(fields['idempotencyKey']).toBe(sha256Of(text))
      for (const name of ['persistedAt', 'data', 'salt', 'chainHash']) expect(fields).not.toHaveProperty(name)
      expect(hex(event.chainHash)).toBe(sha256(previous, event.record))
      if (event.data === undefined || event.salt === undefined) {
        expect(fields).not.toHaveProperty('dataHash')
      } else {
        expect(event.salt).toHaveLength(16)
        expect(fields['dataHash']).toBe(sha256(event.salt, event.data))
        expect(event.data).toBe(canonicalize(DATA_SAMPLES[type]))
      }
      previous = event.chainHash
    }
    expect(hex(headHash)).toBe(hex(previous))
    expect(events.filter((event) => event.data !== undefined)).toHaveLength(Object.keys(DATA_SAMPLES).length)
  })

  it('goes on from the hash it is given, and gives it back when there is nothing to seal', () => {
    const previousHash = new Uint8Array(32).fill(7)
    const { events } = seal([draftOf('RunApproved')], { previousHash })
    expect(hex(events[0]?.chainHash ?? new Uint8Array())).toBe(sha256(previousHash, events[0]?.record ?? ''))
    expect(seal([], { previousHash })).toEqual({ events: [], written: [], headHash: previousHash })
  })

  it('gives every event its own id and every data its own salt', () => {
    const { events } = seal([1, 2, 3].map((attempt) => ({ ...draftOf('StepCompleted'), attempt })))
    expect(new Set(events.map((event) => fieldsOf(event.record)['eventId'])).size).toBe(3)
    expect(new Set(events.map((event) => hex(event.salt ?? new Uint8Array()))).size).toBe(3)
  })

  it('writes the slot as stepId, and item and fallback beside it; an extension names it in its payload [P-52, X-105]', () => {
    const slots = ['load', 'load[3]', 'FALLBACK:load[3]', 'FALLBACK:load']
    const { events } = seal(slots.map((slot) => ({ ...draftOf('StepStarted'), slot })))
    const draft = draftOf('CompensationStarted')
    const payload = { ...draft.payload, stepId: 'FALLBACK:load[3]' } as typeof draft.payload
    const comp = seal([{ ...draft, payload, slot: 'COMP:FALLBACK:load[3]' }])
    const parts = [...events, ...comp.events].map((event) => {
      const { stepId, parentStepId, itemIndex, role } = fieldsOf(event.record)
      return [stepId, parentStepId, itemIndex, role]
    })
    expect(parts).toEqual([
      ['load', undefined, undefined, undefined],
      ['load[3]', 'load', 3, undefined],
      ['FALLBACK:load[3]', 'load', 3, 'fallback'],
      ['FALLBACK:load', 'load', undefined, 'fallback'],
      [undefined, undefined, undefined, undefined],
    ])
    expect(fieldsOf(comp.events[0]?.record ?? '{}')['payload']).toMatchObject({ stepId: 'FALLBACK:load[3]' })
    expect(refusal([{ ...draft, slot: 'COMP:other' }])?.message).toContain(
      'payload.stepId is load, its slot is COMP:other',
    )
  })

  it('marks the end of an attempt for the store, and nothing else', () => {
    const { events } = seal(EVENT_TYPES.map(draftOf))
    const marked = events.filter((event) => event.terminalSlot !== undefined)
    expect(marked.map((event) => [event.eventType, event.terminalSlot])).toEqual([
      ['StepCompleted', 'load#1'],
      ['StepFailed', 'load#1'],
      ['StepSkipped', 'load#1'],
    ])
  })

  it('gives pause cycles and signals keys of their own', () => {
    const cycle = (type: EventType, attempt: number) => ({ ...draftOf(type), attempt })
    const pauses = [cycle('RunPaused', 1), cycle('RunResumed', 1), cycle('RunPaused', 2), cycle('RunResumed', 2)]
    const signals = ['s-1', 's-2'].map((signalId) => ({ ...draftOf('SignalAccepted'), slot: `SIGNAL:${signalId}` }))
    const { events } = seal([...pauses, ...signals])
    expect(new Set(events.map((event) => hex(event.idempotencyKey))).size).toBe(6)
    expect(events.slice(0, 4).map((event) => fieldsOf(event.record)['logicalAttemptId'])).toEqual([1, 1, 2, 2])
  })

  it('links a pause to the signal that asked for it [EVT-29]', () => {
    const { events } = seal([{ ...draftOf('RunPaused'), causedBySignalId: 's-"1"' }])
    expect(fieldsOf(events[0]?.record ?? '{}')).toMatchObject({
      causedBySignalId: 's-"1"',
      payload: { signalId: 's-1' },
    })
    expect(canonicalize(fieldsOf(events[0]?.record ?? '{}'))).toBe(events[0]?.record)
  })

  it('keeps the key when the platform tries an attempt again [IDM-03]', () => {
    const keys = [1, 2].map((engineAttempt) => seal([{ ...draftOf('StepStarted'), engineAttempt }]).events[0])
    expect(keys.map((event) => fieldsOf(event?.record ?? '{}')['engineAttemptId'])).toEqual([1, 2])
    expect(hex(keys[0]?.idempotencyKey ?? new Uint8Array())).toBe(hex(keys[1]?.idempotencyKey ?? new Uint8Array()))
  })
})

describe('sealing refuses', () => {
  const bad = (draft: object): Draft => draft as Draft

  it('a payload or data that does not fit its schema, naming the field', () => {
    const started = draftOf('StepStarted')
    expect(refusal([bad({ ...started, payload: { epoch: 1 } })])).toMatchObject({
      code: 'SCHEMA_VALIDATION_FAILED',
      message: 'StepStarted: payload.startedAt is missing.',
    })
    const failures = [
      bad({ ...started, payload: { ...started.payload, extra: 1 } }),
      bad({ ...started, payload: undefined }),
      bad({ ...started, data: { result: 1 } }),
      bad({ ...draftOf('RunPaused'), data: { notes: 'x' } }),
      bad({ ...started, eventType: 'StepDelayed' }),
      bad({ ...started, attempt: 0 }),
      bad({ ...started, attempt: 1.5 }),
      bad({ ...started, engineAttempt: 0 }),
      bad({ ...draftOf('StepCompleted'), data: { result: NaN } }),
      bad({ ...draftOf('StepCompleted'), data: { result: '\ud800' } }),
    ]
    for (const draft of failures) expect(refusal([draft])?.code).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('a step event without a step and a run event with one', () => {
    expect(refusal([{ ...draftOf('StepStarted'), slot: 'RUN' }])?.message).toContain('stepId is missing')
    expect(refusal([{ ...draftOf('StepStarted'), slot: 'SIGNAL:x' }])?.message).toContain('stepId is missing')
    expect(refusal([{ ...draftOf('RunPaused'), slot: 'load' }])?.message).toContain('has no stepId')
  })

  it('an identifier that is empty or holds a bar, so that no key can be read two ways [IDM-07]', () => {
    for (const name of ['runId', 'planId', 'planVersion'] as const) {
      for (const value of ['', 'a|b']) {
        const identity = { ...IDENTITY, [name]: value }
        expect(refusal([draftOf('RunApproved')], { identity })?.code).toBe('SCHEMA_VALIDATION_FAILED')
      }
    }
    for (const slot of ['', 'SIGNAL:a|b']) {
      expect(refusal([{ ...draftOf('SignalAccepted'), slot }])?.code).toBe('SCHEMA_VALIDATION_FAILED')
    }
    expect(refusal([draftOf('RunApproved')], { identity: { ...IDENTITY, tenantId: '' } })?.code).toBe(
      'SCHEMA_VALIDATION_FAILED',
    )
  })

  it('an envelope that readers could not rely on', () => {
    const draft = draftOf('RunApproved')
    const uuids = ['c232ab00-9414-11ec-b3c8-9f6bdeced846', 'b5f0a1de7f5c4c1c8f383f0b6b7a2d11', '']
    for (const uuid of uuids) {
      expect(refusal([draft], { random: { ...random, uuid: () => uuid } })?.code).toBe('SCHEMA_VALIDATION_FAILED')
    }
    for (const time of ['', '2026-03-01T10:00:00+02:00', '2026-02-30T10:00:00Z', 'yesterday']) {
      expect(refusal([draft], { emittedAt: time })?.code).toBe('SCHEMA_VALIDATION_FAILED')
    }
    const drafts = [{ draft, decision: { firstSeq: 0, cause: 'start' } }]
    expect(refusal([], { drafts })?.code).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('what is too large to stand in the log, at the very byte', () => {
    const result = (bytes: number) => bad({ ...draftOf('StepCompleted'), data: { result: 'x'.repeat(bytes - 2) } })
    expect(refusal([result(65_536)])).toBeUndefined()
    expect(refusal([result(65_537)])?.code).toBe('PAYLOAD_TOO_LARGE')
    expect(refusal([bad({ ...draftOf('StepCompleted'), data: { result: 'é'.repeat(32_768) } })])?.code).toBe(
      'PAYLOAD_TOO_LARGE',
    )
    const facts = (bytes: number) => bad({ ...draftOf('StepStarted'), data: { facts: { f: 'x'.repeat(bytes - 8) } } })
    expect(refusal([facts(16_384)])).toBeUndefined()
    expect(refusal([facts(16_385)])?.code).toBe('DECISION_DATA_TOO_LARGE')
    const artifactRefs = Array.from({ length: 400 }, (_, i) => ({ uri: `s3://${'x'.repeat(180)}${i}`, kind: 'csv' }))
    expect(
      refusal([bad({ ...draftOf('RunCompleted'), payload: { completedAt: emittedAt, artifactRefs } })])?.code,
    ).toBe('PAYLOAD_TOO_LARGE')
  })

  it('the whole batch when one draft of it is wrong', () => {
    const drafts = [draftOf('RunApproved'), bad({ ...draftOf('StepStarted'), payload: {} }), draftOf('RunCompleted')]
    expect(refusal(drafts)?.code).toBe('SCHEMA_VALIDATION_FAILED')
  })
})
