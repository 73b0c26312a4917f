/**
 * Our interpreter of JSON Schemas beside Ajv, the field's own: on schemas and values made at random, both say the same. What
 * the interpreter refuses on purpose (its budgets, back-references) does not come up here, nor do the `unevaluated…` words,
 * for which Ajv counts what branches that do not hold have looked at.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc, { type Arbitrary } from 'fast-check'
import { expect, it } from 'vitest'
import { validateJson } from '../../src/app/schemas/json-schema.ts'
import type { JsonSchema } from '../../src/core/plan/plan.ts'
import { SEED as seed } from '../setup/seed.ts'

const ROUNDS = 800
const KEYS = ['a', 'b', 'cc', '__proto__', ''] as const
const key = fc.constantFrom(...KEYS)
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const
const PATTERNS = ['^a', 'b$', '^[ab]*$', 'a|c', '^(a|b){2,3}$', '(?=.*b)a', '\\d', '^\\p{L}+$'] as const
const small = fc.integer({ min: 0, max: 3 })
const number = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.constantFrom(0, 1.5, 1e15, 0.1),
)
const text = fc.oneof(
  fc.string({ maxLength: 4, unit: fc.constantFrom('a', 'b', 'c', '1', 'é', '😀') }),
  fc.constantFrom('', 'ab'),
)

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

/** What `#/$defs/one` says. */
const leaf = fc.record({ type: fc.constantFrom(...TYPES), minimum: number }, { requiredKeys: ['type'] })

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const part = tie('schema') as Arbitrary<unknown>
  const parts = fc.array(part, { minLength: 1, maxLength: 3 })
  const map = fc.dictionary(fc.constantFrom('a', 'b', 'cc'), part, { maxKeys: 3, noNullPrototype: true })
  const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'cc'), { maxLength: 3 })
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc.record({ type: fc.constantFrom(...TYPES) }),
      fc.record({ type: fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }) }),
      fc.record({ const: value }),
      fc.record({
        enum: fc.uniqueArray(value, {
          minLength: 1,
          maxLength: 3,
          comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
        }),
      }),
      fc.record({ minimum: number, exclusiveMaximum: number }, { requiredKeys: [] }),
      fc.record({ maximum: number, exclusiveMinimum: number }, { requiredKeys: [] }),
      fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5, 3) }),
      fc.record({ minLength: small, maxLength: small, pattern: fc.constantFrom(...PATTERNS) }, { requiredKeys: [] }),
      fc.record({ minItems: small, maxItems: small, uniqueItems: fc.boolean() }, { requiredKeys: [] }),
      fc.record({ prefixItems: parts, items: part }, { requiredKeys: [] }),
      fc.record({ contains: part, minContains: small, maxContains: small }, { requiredKeys: ['contains'] }),
      fc.record({ minProperties: small, maxProperties: small, required: keys }, { requiredKeys: [] }),
      fc.record(
        {
          properties: map,
          patternProperties: fc.dictionary(fc.constantFrom('^a', 'c'), part, { maxKeys: 2, noNullPrototype: true }),
          additionalProperties: part,
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          propertyNames: part,
          dependentRequired: fc.dictionary(fc.constantFrom('a', 'b'), keys, { maxKeys: 2, noNullPrototype: true }),
        },
        { requiredKeys: [] },
      ),
      fc.record({ dependentSchemas: map, properties: map }, { requiredKeys: [] }),
      fc.record({ allOf: parts }, { requiredKeys: ['allOf'] }),
      fc.record({ anyOf: parts }, { requiredKeys: ['anyOf'] }),
      fc.record({ oneOf: parts }, { requiredKeys: ['oneOf'] }),
      fc.record({ not: part }),
      fc.record(Object.fromEntries(['if', 'then', 'else'].map((word) => [word, part])), { requiredKeys: ['if'] }),
      fc.record({ $ref: fc.constant('#/$defs/one'), properties: map }, { requiredKeys: ['$ref'] }),
    ),
  }
})

it('a schema says of a value what Ajv says of it', () => {
  let agreed = 0
  const both = fc.property(schema, leaf, value, (part, one, given) => {
    const whole = { $defs: { one }, allOf: [part] } as JsonSchema
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
    const theirs = ajv.compile(whole)(given)
    const ours = validateJson(whole, given, 'RUN_INPUT_INVALID')
    agreed += theirs ? 1 : 0
    expect(ours.ok ? true : ours.problems.map(({ message }) => message)).toEqual(theirs ? true : expect.any(Array))
  })
  fc.assert(both, { numRuns: ROUNDS, seed })
  // Were all refused, or all accepted, nothing would be shown.
  expect(agreed).toBeGreaterThan(ROUNDS / 10)
  expect(agreed).toBeLessThan((ROUNDS * 9) / 10)
})
