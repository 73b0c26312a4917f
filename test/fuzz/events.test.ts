/** Whatever bytes a row or a producer holds, reading and validating answer with a value and never throw. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mapWrite } from '../../src/core/events/mappers.ts'
import { flatViewOf, flatErrorOf, viewOf } from '../../src/core/events/event-views.ts'
import { recordOf } from '../../src/app/log/read-events.ts'
import { validateRecord, validateWrite } from '../../src/app/import/validate-events.ts'
import { verifyChain } from '../../src/app/verify/chain.ts'
import type { StoredEvent } from '../../src/ports/run-store.ts'
import { SAMPLES } from '../golden/event-samples.ts'
import { SEED as seed } from '../setup/seed.ts'

const sources = {
  newEventId: () => '9b2f0c1e-3a47-4b5e-8c11-6f0a2d4e7b90',
  classify: () => ({ errorClass: 'unknown', retryable: true }) as const,
  runStarted: {},
}

const filled = { runSeq: 1, decision: { firstSeq: 1, cause: 'start' } }
const anyText = fc.string({ unit: 'binary', maxLength: 40 })
const sample = fc.constantFrom(...SAMPLES.map((write) => ({ ...write, ...filled })))

/** A sample with up to three values, at any depth, replaced, removed or added. */
const mutated = fc
  .tuple(
    sample,
    fc.array(
      fc.record({
        path: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 3 }),
        value: fc.oneof(fc.jsonValue(), fc.constantFrom('\ud800', 'a|b', -0, 1e400)),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([record, changes]) =>
    changes.reduce<unknown>((value, { path, value: next }) => replaceAt(value, path, next), record),
  )

function replaceAt(value: unknown, path: readonly number[], next: unknown): unknown {
  const [first = 0, ...rest] = path
  if (typeof value !== 'object' || value === null) return next
  const names = [...Object.keys(value), 'surprise', '__proto__', 'constructor']
  const name = names[first % names.length] ?? 'surprise'
  const fields = value as Readonly<Record<string, unknown>>
  if (rest.length === 0 && next === null)
    return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))
  return { ...fields, [name]: rest.length === 0 ? next : replaceAt(fields[name], rest, next) }
}

const truncated = fc
  .tuple(sample, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([record, share]) => JSON.stringify(record).slice(0, Math.floor(JSON.stringify(record).length * share)))
const renamed = fc
  .tuple(sample, fc.constantFrom('FutureEvent', '__proto__', 'toString', ''))
  .map(([record, eventType]) => ({ ...record, eventType }))

const recordBytes = fc.oneof(
  anyText,
  truncated,
  fc.jsonValue().map((value) => JSON.stringify(value)),
  mutated.map((value) => JSON.stringify(value)),
  renamed.map((value) => JSON.stringify(value)),
)

const row: fc.Arbitrary<StoredEvent> = fc
  .record(
    {
      runSeq: fc.oneof(fc.constant(1), fc.integer()),
      eventType: fc.constantFrom('RunPaused', 'StepFailed', 'FutureEvent', ''),
      idempotencyKey: fc.uint8Array({ maxLength: 33 }),
      record: recordBytes,
      data: recordBytes,
      salt: fc.uint8Array({ maxLength: 17 }),
      chainHash: fc.uint8Array({ maxLength: 33 }),
      persistedAt: fc.oneof(fc.integer(), fc.double()),
    },
    { requiredKeys: ['runSeq', 'eventType', 'idempotencyKey', 'record', 'chainHash', 'persistedAt'] },
  )
  .map((stored) => withColumnsOf(stored))

/** Half of the rows get columns that fit their bytes, or nothing would ever get past the first check. */
function withColumnsOf(stored: StoredEvent): StoredEvent {
  if (stored.runSeq !== 1) return stored
  try {
    const { eventType, idempotencyKey } = JSON.parse(stored.record) as Record<string, unknown>
    return { ...stored, eventType: String(eventType), idempotencyKey: Buffer.from(String(idempotencyKey), 'hex') }
  } catch {
    return stored
  }
}

it(`25,000 damaged, foreign and truncated rows are read, judged and shown without an exception (seed ${seed})`, () => {
  const counts = { read: 0, damaged: 0 }
  fc.assert(
    fc.property(row, (stored) => {
      const result = recordOf(stored)
      counts[result.ok ? 'read' : 'damaged']++
      if (result.ok) {
        for (const view of [viewOf, flatViewOf, flatErrorOf]) view(result.value)
      } else {
        expect(result.problems[0]?.code).toBe('RUN_QUARANTINED')
      }
      expect(verifyChain([stored]).checked).toBeLessThanOrEqual(1)
    }),
    { seed, numRuns: 25_000 },
  )
  expect(counts.read).toBeGreaterThan(100)
  expect(counts.damaged).toBeGreaterThan(100)
})

it(`25,000 random and mutated writes are validated and mapped without an exception (seed ${seed})`, () => {
  const counts = { taken: 0, refused: 0 }
  const write = fc.oneof(
    fc.anything(),
    mutated,
    renamed,
    sample.map(({ runSeq: _, decision: __, ...bare }) => bare),
  )
  fc.assert(
    fc.property(write, (value) => {
      counts[validateWrite(value).ok ? 'taken' : 'refused']++
      validateRecord(value)
      if (typeof value === 'object' && value !== null) mapWrite(value as Readonly<Record<string, unknown>>, sources)
    }),
    { seed, numRuns: 25_000 },
  )
  expect(counts.taken).toBeGreaterThan(100)
  expect(counts.refused).toBeGreaterThan(100)
})
