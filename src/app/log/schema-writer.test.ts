import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitting, neighbour } from '../../../test/fixtures/values-of-schema.ts'
import { slotOfSample } from '../../../test/golden/event-samples.ts'
import { extent } from '../../../test/setup/extent.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'
import { EVENTS, EVENT_TYPES, type EventType } from '../../core/events/event.ts'
import { slotOf } from '../../core/events/slot-of.ts'
import { dataSchema, payloadSchema, recordSchema, type JsonSchema } from '../../core/events/schemas.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Draft } from '../../core/run/draft.ts'
import { checkOf } from '../../core/schema/check.ts'
import { canonicalText } from './canonical.ts'
import { writerOf } from './schema-writer.ts'
import { sealEvents } from './seal.ts'

const numRuns = extent(40, 2_000)
const ID = '9b2f0c1e-3a47-4b5e-8c11-6f0a2d4e7b90'
const random = { uuid: () => ID, bytes: (length: number) => new Uint8Array(length) }

const identity = {
  runId: 'run "1"\u2028',
  tenantId: 'é\u{1F600}',
  projectId: '\\',
  environmentId: '\u007f\t',
  planId: '\uFB33',
  planVersion: '1.0.0\n',
}

function attempt<T>(work: () => T): T | string {
  try {
    return work()
  } catch (error) {
    if (error instanceof KeelsonError) return `refused: ${error.problems[0].message}`
    throw error
  }
}

/** What a part of an event becomes by the general way: checked as a whole, then written by the general canonicaliser. */
function generally(schema: JsonSchema, value: unknown, name: string): string {
  const wrong = checkOf(schema)(value)
  return wrong === undefined ? attempt(() => canonicalText(value)) : `refused: ${name}${wrong}.`
}

function sealed(draft: object) {
  const decision = { firstSeq: 1, cause: 'outcome:\u0000"é"#1' }
  const drafts = [{ draft: draft as Draft, decision }]
  const emittedAt = '2026-03-01T10:00:00.000Z'
  const [event] = sealEvents({
    identity,
    drafts,
    firstSeq: 1,
    previousHash: new Uint8Array(32),
    emittedAt,
    random,
  }).events
  return event
}

/** The slot that such a payload names, so that an extension is refused for what its values are and for nothing else. */
function slotFor(type: EventType, payload: unknown): string {
  const isObject = typeof payload === 'object' && payload !== null
  const named = isObject ? slotOf({ eventType: type, payload: payload as Record<string, unknown> }, 1) : undefined
  return EVENTS[type].level === 'step' || named === undefined ? slotOfSample(type) : named
}

const parts = EVENT_TYPES.flatMap((type) => {
  const data = dataSchema(type)
  const payload = { type, part: 'payload', schema: payloadSchema(type) } as const
  return data === undefined ? [payload] : [payload, { type, part: 'data', schema: data } as const]
})

describe.each(parts)('the writer of $type, $part', ({ type, part, schema }) => {
  const write = writerOf(schema)

  it(`writes what the general canonicaliser writes, and takes whatever fits (seed ${seed})`, () => {
    fc.assert(
      fc.property(fitting(schema), (value) => {
        const expected = generally(schema, value, '')
        const text = attempt(() => write(value))
        if (!expected.startsWith('refused')) expect(text).toBe(expected)
        else expect(typeof text === 'string' && !text.startsWith('refused')).toBe(false)
      }),
      { seed, numRuns },
    )
  })

  it(`never writes what the check refuses, and refuses in the same words (seed ${seed})`, () => {
    const base = { eventType: type, attempt: 1 }
    const payload = fc.sample(fitting(payloadSchema(type)), { seed, numRuns: 1 })[0]
    fc.assert(
      fc.property(fc.oneof(neighbour(schema), fitting(schema)), (value) => {
        const text = attempt(() => write(value))
        const expected = generally(schema, value, `${type}: ${part}`)
        if (text !== undefined && !text.startsWith('refused')) expect(text).toBe(expected)
        const event = attempt(() =>
          sealed(
            part === 'payload'
              ? { ...base, slot: slotFor(type, value), payload: value }
              : { ...base, slot: slotFor(type, payload), payload, data: value },
          ),
        )
        if (typeof event === 'string') expect(event).toBe(expected)
        else if (part === 'data') expect(event?.data).toBe(expected)
        else expect(event?.record).toContain(`,"payload":${expected},"planId"`)
      }),
      { seed, numRuns },
    )
  })
})

it.each(EVENT_TYPES)('the record of %s has every field of its schema, in canonical order', (type: EventType) => {
  const payload = fc.sample(fitting(payloadSchema(type)), { seed, numRuns: 1 })[0]
  const slot = EVENTS[type].level === 'step' ? 'FALLBACK:load[3]' : slotFor(type, payload)
  const data = dataSchema(type) === undefined ? {} : { data: {} }
  const record =
    sealed({ eventType: type, slot, attempt: 1, causedBySignalId: 's-"1"', payload, ...data })?.record ?? ''
  const fields = JSON.parse(record) as object
  expect(canonicalize(fields)).toBe(record)
  const { properties } = recordSchema(type) as { readonly properties: object }
  const beside = ['data', 'salt', 'chainHash', 'persistedAt', 'occurredAt', ...('data' in data ? [] : ['dataHash'])]
  expect(Object.keys(fields).sort()).toEqual(
    Object.keys(properties)
      .filter((name) => !beside.includes(name))
      .sort(),
  )
})

describe('a writer', () => {
  const write = writerOf(payloadSchema('RunPaused'))
  const at = '2026-03-01T10:00:00.000Z'

  it('reads each field once: nobody can show one value to the check and another to the log', () => {
    const answers = ['short', 'x'.repeat(100_000)]
    const reads: string[] = []
    const payload = Object.defineProperty({ pausedAt: at }, 'reason', {
      enumerable: true,
      get: () => (reads.push('reason'), answers.shift()),
    })
    expect(sealed({ eventType: 'RunPaused', slot: 'RUN', attempt: 1, payload })?.record).toContain('"reason":"short"')
    expect(reads).toEqual(['reason'])
  })

  it('does not write what an object only inherits', () => {
    const inherited = Object.create({ reason: 'not its own' }) as object
    expect(write(Object.assign(inherited, { pausedAt: at }))).toBeUndefined()
    Reflect.defineProperty(Object.prototype, 'reason', { value: 'of everybody', configurable: true })
    try {
      expect(write({ pausedAt: at })).toBe(`{"pausedAt":"${at}"}`)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'reason')
    }
  })

  it('goes on after more combinations of fields than it keeps', () => {
    const fields = { pausedAt: at, signalId: 's', reason: 'r', scope: 'x' }
    const all = fc.shuffledSubarray(Object.entries(fields))
    for (const entries of fc.sample(all, { seed, numRuns: 200 })) {
      const value = Object.fromEntries(entries)
      const isWhole = 'pausedAt' in value
      expect(write(value)).toBe(isWhole ? canonicalText(value) : undefined)
    }
  })
})
