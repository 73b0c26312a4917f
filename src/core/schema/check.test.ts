import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PAYLOAD_SAMPLES } from '../../../test/golden/event-samples.ts'
import { EVENT_TYPES } from '../events/event.ts'
import { payloadSchema, recordSchema } from '../events/schemas.ts'
import { msFromIso } from '../time.ts'
import { checkOf } from './check.ts'
import { anything, flag, integer, list, literal, object, oneOf, optional, record, text } from './shape.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

const newAjv = () =>
  new Ajv2020({ strict: true, formats: { 'date-time': (value: string) => msFromIso(value) !== undefined } })

const shape = object({
  name: text({ min: 2, max: 3 }),
  kind: oneOf('a', 'b'),
  one: literal(1),
  count: optional(integer({ min: 0, max: 9 })),
  tags: list(text({ pattern: '^[a-z]*$' }), { max: 2 }),
  on: optional(flag()),
  by: optional(record(integer())),
  any: optional(anything()),
})

describe('a check', () => {
  it(`agrees with a full JSON Schema validator on any value of a shape's neighbourhood (seed ${seed})`, () => {
    const fits = checkOf(shape.schema)
    const validate = newAjv().compile(shape.schema)
    const loose = fc.record(
      {
        name: fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('😀😀😀', '😀', 'ab'), fc.integer()),
        kind: fc.constantFrom('a', 'b', 'c', 1),
        one: fc.constantFrom(1, 2, '1'),
        count: fc.constantFrom(0, 9, 10, -1, 0.5, '3'),
        tags: fc.oneof(fc.array(fc.constantFrom('ab', 'AB', 3), { maxLength: 3 }), fc.constant('ab')),
        on: fc.constantFrom(true, 'true'),
        by: fc.constantFrom({}, { x: 1 }, { x: 'y' }, []),
        any: fc.jsonValue(),
        extra: fc.constant(1),
      },
      { requiredKeys: [] },
    )
    const fitting = fc.record(
      {
        name: fc.constantFrom('ab', 'abc'),
        kind: fc.constantFrom('a', 'b'),
        one: fc.constant(1),
        tags: fc.constant(['ab']),
        count: fc.nat(9),
      },
      { requiredKeys: ['name', 'kind', 'one', 'tags'] },
    )
    const verdicts = { fit: 0, unfit: 0 }
    const values = fc.oneof({ arbitrary: loose, weight: 8 }, fitting, fc.jsonValue())
    fc.assert(
      fc.property(values, (value) => {
        const isFit = validate(value)
        verdicts[isFit ? 'fit' : 'unfit']++
        expect(fits(value) === undefined).toBe(isFit)
      }),
      { seed, numRuns: 20_000 },
    )
    expect(verdicts.fit).toBeGreaterThan(0)
    expect(verdicts.unfit).toBeGreaterThan(0)
  })

  it(`agrees with it on every event's payload, whole or with one value replaced (seed ${seed})`, () => {
    const ajv = newAjv()
    for (const type of EVENT_TYPES) {
      const fits = checkOf(payloadSchema(type))
      const validate = ajv.compile(payloadSchema(type))
      const payload: Readonly<Record<string, unknown>> = PAYLOAD_SAMPLES[type]
      expect(fits(payload), type).toBeUndefined()
      const names = [...Object.keys(payload), 'unknownField']
      const replaced = fc.record({
        name: fc.constantFrom(...names),
        value: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
      })
      fc.assert(
        fc.property(replaced, ({ name, value }) => {
          const { [name]: _, ...others } = payload
          const changed = value === undefined ? others : { ...others, [name]: value }
          expect(fits(changed) === undefined).toBe(validate(changed))
        }),
        { seed, numRuns: 200 },
      )
    }
  })

  it('says where a value is wrong and how', () => {
    const fits = checkOf(recordSchema('StepFailed'))
    expect(fits({})).toBe('.eventType is missing')
    expect(checkOf(shape.schema)({ name: 'ab', kind: 'a', one: 1, tags: ['a', 7] })).toBe('.tags[1] must be a string')
    expect(checkOf(shape.schema)({ name: 'ab', kind: 'z', one: 1, tags: [] })).toBe('.kind must be "a" or "b"')
    expect(checkOf(payloadSchema('StepStarted'))({ startedAt: '2026-02-30T00:00:00Z', epoch: 1 })).toMatch(
      /startedAt must be a date/,
    )
  })
})
