/**
 * Patterns, schemas, expressions and plan texts as an attacker would write them to stop or kill the process. What can be
 * counted is counted; the ceilings of time are wide, since machines are busy.
 */
import { describe, expect, it } from 'vitest'
import { applyDefaults, checkSchema, validateJson } from '../../src/app/schemas/json-schema.ts'
import type { JsonSchema } from '../../src/core/plan/plan.ts'
import { readDocument } from '../../src/core/plan/read/read-document.ts'
import { cpuMsOf } from '../fixtures/cpu-time.ts'

const WIDE_MS = 60_000

const verdict = (schema: JsonSchema, value: unknown): string => {
  const result = validateJson(schema, value, 'OUTPUT_INVALID')
  return result.ok ? 'ok' : `${result.problems[0]?.code} ${result.problems[0]?.message}`
}
const refusal = (schema: JsonSchema): string | undefined => {
  const result = checkSchema(schema)
  return result.ok ? undefined : result.problems[0]?.code
}

const TOO_COSTLY = 'OUTPUT_INVALID Checking the value against its schema takes more than 20000000 steps of work.'

/** `$defs` in which each part refers twice to the next: 2^30 ways to its end. */
function doubled(keyword: 'allOf' | 'anyOf' | 'oneOf', leaf: JsonSchema): JsonSchema {
  const defs: Record<string, JsonSchema> = { d30: leaf }
  for (let at = 0; at < 30; at++) {
    const next = { $ref: `#/$defs/d${at + 1}` }
    defs[`d${at}`] = { [keyword]: [next, next] }
  }
  return { $defs: defs, $ref: '#/$defs/d0' }
}

describe('a pattern', { timeout: WIDE_MS }, () => {
  it('that tries everything in every way answers at once: ^a*a*a*a*b$ on 5,000 characters', () => {
    for (const pattern of ['^a*a*a*a*b$', '^(a+)+$', '^(a|a)*$', '(?=(a+)+b)a', '^(a?){500}b', '^.*.*.*.*=.*$']) {
      expect(verdict({ pattern }, `${'a'.repeat(5_000)}!`)).toBe(
        `OUTPUT_INVALID The value must match pattern "${pattern}".`,
      )
    }
  })

  it('may look around, and is refused with its reason when it refers back', () => {
    expect(verdict({ pattern: '^(?=.*\\d)(?=.*[a-z]).{8,}$' }, 'password1')).toBe('ok')
    expect(checkSchema({ pattern: '^(a+)\\1$' })).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'PLAN_SCHEMA_INVALID',
          message:
            'A JSON Schema is not valid: the pattern `^(a+)\\1$` cannot be used: a back-reference cannot be matched in bounded time.',
        },
      ],
    })
  })

  it('of a key costs too: thousands of patterns over thousands of keys are stopped', () => {
    const patternProperties = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`^k${i}(a*a*)*$`, true]))
    const value = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}${'a'.repeat(20)}`, 1]))
    expect(verdict({ patternProperties }, value)).toBe(TOO_COSTLY)
  })

  it.each(['email', 'uri', 'uri-reference', 'uri-template', 'url', 'hostname', 'ipv6', 'duration', 'date-time'])(
    'of the format %s is linear as well',
    (format) => {
      for (const piece of ['a', 'a.', '-', '%', '/', ':', '@', '1', 't', '~0', '{a}', 'P']) {
        expect(verdict({ format }, `${piece.repeat(100_000)}\u0000`)).toMatch(/^OUTPUT_INVALID /)
      }
    },
  )
})

describe('a schema', { timeout: WIDE_MS }, () => {
  it('whose references double is stopped, and fills no memory with mistakes', () => {
    expect(verdict(doubled('allOf', { type: 'string' }), 'x')).toBe(TOO_COSTLY)
    expect(verdict(doubled('allOf', { type: 'string' }), 5)).toBe('OUTPUT_INVALID The value must be string.')
    expect(verdict(doubled('anyOf', { type: 'string' }), 5)).toBe(TOO_COSTLY)
    expect(verdict(doubled('oneOf', { type: 'string' }), 5)).toBe(TOO_COSTLY)
  })

  it('that asks for unique items looks each up once: 100,000 objects', () => {
    const objects = Array.from({ length: 100_000 }, (_, id) => ({ id, at: { row: [id] } }))
    expect(verdict({ uniqueItems: true }, objects)).toBe('ok')
    expect(verdict({ uniqueItems: true }, [...objects.slice(0, 10), { at: { row: [3] }, id: 3 }])).toBe(
      'OUTPUT_INVALID The value must NOT have duplicate items (items ## 3 and 10 are identical).',
    )
  })

  it.each<[string, JsonSchema, unknown]>([
    ['that refers to itself', { $ref: '#' }, 1],
    [
      'that goes two ways at each level',
      { type: 'array', anyOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' } }] },
      nested(40),
    ],
    [
      'of thousands of choices',
      { items: { oneOf: Array.from({ length: 5_000 }, (_, i) => ({ const: i })) } },
      Array(20_000).fill(-1),
    ],
    [
      'of thousands of needs',
      { items: { allOf: Array.from({ length: 5_000 }, () => ({ type: 'number' })) } },
      Array(20_000).fill(1),
    ],
  ])('%s is stopped', (_, schema, value) => {
    expect(verdict(schema, value)).toMatch(/^OUTPUT_INVALID (?:Checking the value|The value is nested|`0`)/)
  })

  it('cannot build a large value out of defaults', () => {
    const schema: JsonSchema = { items: { properties: { a: { default: 'x'.repeat(200_000) } } } }
    const result = applyDefaults(
      schema,
      Array.from({ length: 100_000 }, () => ({})),
      'RUN_INPUT_INVALID',
    )
    expect(result).toMatchObject({
      ok: false,
      problems: [{ message: 'The defaults of the schema make the value larger than 10485760 bytes.' }],
    })
  })

  it('is read in time linear in its size, and refused where it cannot be', () => {
    const many = (make: (at: number) => readonly [string, JsonSchema]): Record<string, JsonSchema> =>
      Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => make(at)))
    expect(refusal({ properties: many((at) => [`p${at}`, { type: 'string', pattern: '^a' }]) })).toBeUndefined()
    expect(
      refusal({
        allOf: Array.from({ length: 4_000 }, (_, at) => ({ $ref: `#/$defs/p${at}` })),
        $defs: many((at) => [`p${at}`, { type: 'string' }]),
      }),
    ).toBeUndefined()
    expect(refusal({ patternProperties: many((at) => [`${at}(.*a){900}`, true]) })).toBe('PLAN_SCHEMA_INVALID')
  })

  it('of an honest plan still holds: 100,000 orders of several fields', () => {
    const schema: JsonSchema = {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'qty'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', pattern: '^o-[0-9]+$' },
          qty: { type: 'integer', minimum: 1 },
          currency: { enum: ['EUR', 'USD'] },
        },
      },
    }
    const orders = Array.from({ length: 100_000 }, (_, at) => ({ id: `o-${at}`, qty: at + 1, currency: 'EUR' }))
    expect(verdict(schema, orders)).toBe('ok')
  })
})

describe('a text of YAML', { timeout: WIDE_MS }, () => {
  const told = (text: string): string | undefined => {
    const [first] = readDocument(text, { format: 'yaml' }).problems
    return first === undefined ? undefined : `${first.code} ${first.message}`
  }

  it('of a million documents is refused at the second', () => {
    expect(told('---\n'.repeat(1_000_000))).toBe('PLAN_SYNTAX a second document begins here; a file holds one plan')
    expect(told('a: 1\n...\n'.repeat(500_000))).toBe('PLAN_SYNTAX a second document begins here; a file holds one plan')
  })

  it('of millions of tokens is refused before its tree is built', () => {
    expect(told('-\n'.repeat(2_000_000))).toBe('PLAN_TOO_LARGE the plan has more than 3000000 words and signs of YAML')
  })

  it('costs in proportion to its length, whatever it repeats', () => {
    for (const piece of [
      '[',
      '{a: ',
      '- *a\n',
      '- &a b\n',
      '# c\n',
      '? ',
      '!t ',
      'a: b: c\n',
      '"',
      '- |\n a\n',
      '<<: *a\n',
    ]) {
      const [short, long] = [20_000, 80_000].map((chars) => {
        const text = piece.repeat(chars / piece.length)
        return cpuMsOf(() => readDocument(text, { format: 'yaml' }))
      })
      // Sixteen times would be quadratic; a busy machine may double what it likes.
      expect({ piece, isLinear: (long ?? 0) < 16 * (short ?? 0) + 2_000 }).toEqual({ piece, isLinear: true })
    }
  })
})

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)]
}
