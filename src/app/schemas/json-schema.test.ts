import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../core/plan/plan.ts'
import { applyDefaults, checkSchema, validateJson } from './json-schema.ts'

const ORDER: JsonSchema = {
  type: 'object',
  required: ['id', 'lines'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^o-[0-9]+$' },
    at: { type: 'string', format: 'date-time' },
    kind: { enum: ['a', 'b'] },
    lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
  },
  $defs: { line: { type: 'object', properties: { qty: { type: 'integer', minimum: 1, default: 1 } } } },
}

const messages = (schema: JsonSchema, value: unknown): readonly string[] => {
  const result = validateJson(schema, value, 'OUTPUT_INVALID')
  return result.ok ? [] : result.problems.map(({ message }) => message)
}
const refusal = (schema: unknown): string | undefined => {
  const result = checkSchema(schema as JsonSchema)
  return result.ok ? undefined : `${result.problems[0]?.code} ${result.problems[0]?.message}`
}

describe('checking a value against a schema', () => {
  it('passes what matches and gives it back', () => {
    const value = { id: 'o-1', at: '2026-01-01T00:00:00Z', lines: [{ qty: 2 }] }
    expect(validateJson(ORDER, value, 'OUTPUT_INVALID')).toEqual({ ok: true, value })
    expect(validateJson(true, 5, 'OUTPUT_INVALID').ok).toBe(true)
    expect(validateJson(false, 5, 'OUTPUT_INVALID').ok).toBe(false)
  })

  it('says where and what, in words, and calls it permanent', () => {
    expect(messages(ORDER, { id: 'x', kind: 'c', lines: [{ qty: 0 }], extra: 1 })).toEqual([
      'The value must not have `extra`.',
      '`id` must match pattern "^o-[0-9]+$".',
      '`kind` must be one of ["a","b"].',
      '`lines.0.qty` must be >= 1.',
    ])
    expect(messages(ORDER, {})).toEqual(['The value must have `id`.', 'The value must have `lines`.'])
    const result = validateJson(ORDER, 5, 'INPUT_INVALID')
    expect(result.ok ? undefined : result.problems[0]).toMatchObject({
      code: 'INPUT_INVALID',
      retryable: false,
      pointer: '',
    })
  })

  it('tells at most ten mistakes', () => {
    expect(
      messages(
        { items: { type: 'string' } },
        Array.from({ length: 1_000 }, (_, i) => i),
      ),
    ).toHaveLength(10)
  })

  it('uses the 2020-12 vocabulary', () => {
    expect(messages({ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1, 2])).toEqual([])
    expect(messages({ prefixItems: [{ type: 'string' }], items: false }, ['a', 1])).toHaveLength(1)
    expect(messages({ dependentRequired: { a: ['b'] } }, { a: 1 })).toHaveLength(1)
  })
})

describe('defaults', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { size: { default: 'm' }, deep: { properties: { n: { default: [1] } } } },
    required: ['size'],
  }

  it('are filled in on a copy; the value given stays as it is', () => {
    const value = Object.freeze({ deep: Object.freeze({}) })
    expect(applyDefaults(schema, value, 'RUN_INPUT_INVALID')).toEqual({
      ok: true,
      value: { size: 'm', deep: { n: [1] } },
    })
    expect(value).toEqual({ deep: {} })
  })

  it('are not shared between two values', () => {
    const [one, two] = [
      applyDefaults(schema, { deep: {} }, 'RUN_INPUT_INVALID'),
      applyDefaults(schema, { deep: {} }, 'RUN_INPUT_INVALID'),
    ]
    if (!one.ok || !two.ok) throw new Error('refused')
    ;(one.value as { deep: { n: number[] } }).deep.n.push(2)
    expect(two.value).toEqual({ size: 'm', deep: { n: [1] } })
  })

  it('are not filled in by a plain check', () => {
    expect(messages(schema, {})).toEqual(['The value must have `size`.'])
  })
})

describe('a schema itself', () => {
  it.each([
    ['a remote reference', { $ref: 'https://example.com/schema.json' }, 'only to parts of itself'],
    ['a file reference', { properties: { a: { $ref: 'file:///etc/passwd' } } }, 'only to parts of itself'],
    ['a reference to nothing', { $ref: '#/$defs/none' }, "can't resolve"],
    ['a misspelt keyword', { requird: ['a'] }, 'unknown keyword: "requird"'],
    ['an unknown format', { format: 'dat' }, 'unknown format'],
    ['a wrong type', { type: 'strin' }, 'schema is invalid'],
    ['asynchrony', { $async: true, type: 'string' }, 'asynchronous'],
    ['a pattern that is none', { pattern: '(' }, 'Invalid regular expression'],
    ['a back-reference', { pattern: '^(a+)\\1$' }, 'a back-reference cannot be matched in bounded time'],
    ['a back-reference in a key', { patternProperties: { '(?<q>x)y\\k<q>': {} } }, 'a back-reference'],
    ['flags inside a pattern', { pattern: '(?i:a)' }, 'flags inside a pattern'],
    ['a pattern that is too long', { pattern: 'x'.repeat(1_025) }, 'at most 1024 characters are allowed'],
    ['a pattern that counts too high', { pattern: 'a{6000}' }, 'it repeats up to 6000 times; at most 5000 are allowed'],
    ['counted repeats of counted repeats', { pattern: '((a{99}){99}){99}' }, 'make the pattern too long'],
    ['nothing counted without end', { pattern: '((((){5000}){5000}){5000}){5000}' }, 'make the pattern too long'],
    ['a reference to data', { enum: [{ type: 'string' }], items: { $ref: '#/enum/0' } }, 'not a schema'],
    ['too many bytes', { enum: ['x'.repeat(300_000)] }, 'bytes'],
  ])('is refused for %s', (_, schema, why) => {
    expect(refusal(schema)).toMatch(/^PLAN_SCHEMA_INVALID /)
    expect(refusal(schema)).toContain(why)
  })

  it('is refused when it is nested without end, without a throw', () => {
    let deep: object = {}
    for (let i = 0; i < 10_000; i++) deep = { not: deep }
    expect(refusal(deep)).toMatch(/^PLAN_SCHEMA_INVALID /)
    const circle: Record<string, unknown> = {}
    circle['not'] = circle
    expect(refusal(circle)).toMatch(/^PLAN_SCHEMA_INVALID /)
  })

  it("may use names of its own that begin with x-, and the same $id as another plan's", () => {
    expect(refusal({ 'x-owner': 'me', type: 'string' })).toBeUndefined()
    expect(refusal({ $id: 'https://example.com/order', type: 'string' })).toBeUndefined()
    expect(messages({ $id: 'https://example.com/order', type: 'number' }, 'x')).toEqual(['The value must be number.'])
  })

  it('may be recursive; a value nested too deeply for it is refused, not thrown', () => {
    const tree: JsonSchema = { type: 'array', items: { $ref: '#' } }
    expect(messages(tree, [[], [[]]])).toEqual([])
    let deep: unknown[] = []
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(validateJson(tree, deep, 'OUTPUT_INVALID').ok).toBe(false)
  })

  it('tries a pattern on a long text in linear time', () => {
    const schema: JsonSchema = { type: 'string', pattern: '^[a-z]+[a-z]+[a-z]+$' }
    expect(messages(schema, 'abc')).toEqual([])
    expect(messages(schema, 'a'.repeat(1_000_000))).toEqual([])
    expect(messages(schema, 'a'.repeat(9_000_000))).toEqual([
      'Checking the value against its schema takes more than 20000000 steps of work.',
    ])
  })
})
