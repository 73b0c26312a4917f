/**
 * Schemas as an attacker writes them: parts that double, and below them whatever is walked again at each meeting. What is really
 * done (names and places noted and looked up, keys listed, parts of the value read) is counted, without a clock, and was paid for.
 */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { validateJson } from '../../src/app/schemas/json-schema.ts'
import { meet, type SchemaBudget } from '../../src/app/schemas/part.ts'
import { readSchema } from '../../src/app/schemas/program.ts'
import { LIMITS } from '../../src/core/limits.ts'
import type { Json, JsonSchema } from '../../src/core/plan/plan.ts'

afterEach(() => vi.restoreAllMocks())

const TOO_COSTLY = `Checking the value against its schema takes more than ${LIMITS.schemaWork} steps of work.`
const told = (schema: JsonSchema, value: unknown): string | undefined => {
  const result = validateJson(schema, value, 'OUTPUT_INVALID')
  return result.ok ? undefined : result.problems[0]?.message
}

type Next = (at: number) => JsonSchema

/** Each part leads to the next one as often as `make` says. */
function chained(length: number, make: (next: JsonSchema, at: number) => JsonSchema, leaf: JsonSchema): JsonSchema {
  const next: Next = (at) => ({ $ref: `#/$defs/d${at}` })
  const defs = Object.fromEntries(Array.from({ length }, (_, at) => [`d${at}`, make(next(at + 1), at)]))
  return { $defs: { ...defs, [`d${length}`]: leaf }, ...(next(0) as object) }
}

const doubled = (leaf: JsonSchema, keyword = 'allOf'): JsonSchema =>
  chained(30, (next) => ({ [keyword]: [next, next] }), leaf)

describe('a schema whose references double, over', () => {
  const members = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at]))
  it.each<[string, JsonSchema, unknown]>([
    ['a format that is a function', doubled({ format: 'regex' }), '(a|b)*'.repeat(600)],
    ['a format of long texts', doubled({ format: 'byte' }), 'QUJD'.repeat(100_000)],
    ['an address', doubled({ format: 'uri' }), `data:${'a'.repeat(100_000)}`],
    ['an order of dates', doubled({ format: 'date', formatMaximum: '2030-01-01' }), '2026-01-01'],
    ['a type that is named ten thousand times', doubled({ type: Array(10_000).fill('null') }, 'anyOf'), 5],
    [
      'names that nobody judged',
      chained(30, (next) => ({ allOf: [next, next], unevaluatedProperties: true }), { additionalProperties: true }),
      members,
    ],
    [
      'places that nobody judged',
      chained(30, (next) => ({ anyOf: [next, next], unevaluatedItems: false }), { contains: true }),
      Array.from({ length: 1_000 }, (_, at) => at),
    ],
  ])('%s is stopped by its count', (_what, schema, value) => {
    expect(told(schema, value)).toBe(TOO_COSTLY)
  })

  it('a mistake deep in the value, and over a name that many documents say, is stopped too', () => {
    const depth = 400
    let value: unknown = 1
    for (let at = 0; at < depth; at += 1) value = [value]
    const leaf = { anyOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' } }], type: 'array' }
    expect(told(leaf, value)).toBe(TOO_COSTLY)
    const hop = { $id: 'b', $dynamicRef: '#n', $defs: { n: { $dynamicAnchor: 'n' } } }
    const climbing = { $id: 'a', $dynamicAnchor: 'n', anyOf: [{ items: hop }, { items: hop }], type: 'array' }
    expect(told(climbing, value)).toBe(TOO_COSTLY)
  })
})

/** What a machine does, as far as it can be watched, in steps that are each worth one at least. */
class Watched {
  done = 0

  constructor() {
    const tally = (steps: number): void => void (this.done += steps)
    const { add, has } = Set.prototype
    const { keys } = Object
    vi.spyOn(Set.prototype, 'add').mockImplementation(function (this: Set<unknown>, one: unknown) {
      tally(4)
      return add.call(this, one)
    })
    vi.spyOn(Set.prototype, 'has').mockImplementation(function (this: Set<unknown>, one: unknown) {
      tally(1)
      return has.call(this, one)
    })
    vi.spyOn(Object, 'keys').mockImplementation((of: object) => {
      const names = keys(of)
      tally(names.length)
      return names
    })
  }

  /** A value that counts what is read of it. */
  value(given: unknown): unknown {
    if (typeof given !== 'object' || given === null) return given
    const inner = Array.isArray(given)
      ? given.map((one) => this.value(one))
      : Object.fromEntries(Object.entries(given).map(([name, one]) => [name, this.value(one)]))
    return new Proxy(inner, {
      get: (target, name, self) => {
        if (typeof name === 'string' && name !== 'length') this.done += 1
        return Reflect.get(target, name, self) as unknown
      },
    })
  }
}

const NAMES = ['a', 'b', 'c'] as const
const value = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(1, 'x', true, null),
    fc.array(tie('any'), { maxLength: 6 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('any')),
  ),
})).any

/** An object with this name in it would be awaited, says the linter. */
const THEN = ['th', 'en'].join('')

/** How one part leads to others: every keyword that walks its value, or a list of names, again. */
const link = fc.constantFrom<(next: JsonSchema) => JsonSchema>(
  (next) => ({ allOf: [next, next] }),
  (next) => ({ anyOf: [next, next], unevaluatedProperties: true }),
  (next) => ({ oneOf: [next, { not: next }], unevaluatedItems: true }),
  (next) => ({ if: next, [THEN]: next, else: next, unevaluatedProperties: next }),
  (next) => ({ properties: { a: next, b: next }, patternProperties: { '^[ab]': next }, unevaluatedProperties: next }),
  (next) => ({ additionalProperties: next, propertyNames: { enum: [...NAMES] }, allOf: [next] }),
  (next) => ({ prefixItems: [next, next], items: next, contains: next, minContains: 0 }),
  (next) => ({ dependentSchemas: { a: next, b: next }, required: ['a'], unevaluatedItems: next }),
  (next) => ({ unevaluatedItems: next, unevaluatedProperties: next, allOf: [next, { contains: next }] }),
  (next) => ({ maxProperties: 5, uniqueItems: true, allOf: [next, next] }),
)

const STEPS_TRIED = 20_000

it('whatever a schema makes us do with a value is paid for before it is done', () => {
  const schemas = fc.array(link, { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(schemas, value, fc.boolean(), (links, given, tells) => {
      const part = readSchema(
        chained(links.length, (next, at) => links[at]?.(next) ?? true, { type: ['object', 'array'] }),
      )
      const watched = new Watched()
      let spent = 0
      const spend = (work: number): void => {
        spent += work
        if (spent > STEPS_TRIED) throw new RangeError('enough')
      }
      const budget = { fills: false, spend, build: () => undefined } as unknown as SchemaBudget
      const scope = { document: part.document, outer: undefined }
      const frame = { budget, path: undefined, mistakes: tells ? [] : undefined, seen: undefined, scope, fills: false }
      const seen = watched.value(given)
      watched.done = 0
      try {
        meet(part, seen, frame)
      } catch (thrown) {
        if (!(thrown instanceof RangeError)) throw thrown
      }
      const { done } = watched
      vi.restoreAllMocks()
      // The last step before the end may be begun unpaid: one list of names.
      expect(done).toBeLessThanOrEqual(spent + NAMES.length * 4)
    }),
    { numRuns: 300 },
  )
})
