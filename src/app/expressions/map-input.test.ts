import { describe, expect, it } from 'vitest'
import { mappingNeeds, mapValue } from './map-input.ts'
import { validateJson } from '../schemas/json-schema.ts'
import type { ExpressionRoots } from './expressions.ts'
import type { Json } from '../../core/plan/plan.ts'

const ROOTS: ExpressionRoots = {
  input: { id: 7, name: 'Ada', list: [1, 2], flag: false, nothing: null, price: '5 $' },
  context: { order: { total: 12.5, lines: [{ n: 1 }, { n: 2 }] } },
  previous: { sum: 3 },
  steps: { done: { output: { ok: true } }, skipped: { output: null }, failed: { output: null } },
}
const mapped = (mapping: Json): unknown => {
  const result = mapValue(mapping, ROOTS)
  return result.ok ? result.value : result.problems.map(({ code, pointer }) => `${code} ${pointer}`)
}

describe('mapping an input', () => {
  it('takes values from the context, the previous step and the plan itself, as they are [DFL-01]', () => {
    expect(mapped({ source: '${context.order.total}' })).toEqual({ source: 12.5 })
    expect(mapped({ source: '${previous.sum}' })).toEqual({ source: 3 })
    expect(mapped({ source: { literal: [1, null, 'x', true] } })).toEqual({ source: { literal: [1, null, 'x', true] } })
  })

  it('takes them through a transform [DFL-01]', () => {
    expect(mapped({ source: '${sum(context.order.lines[].n)}' })).toEqual({ source: 3 })
    expect(mapped({ source: '${to_string(previous.sum)}' })).toEqual({ source: '3' })
    expect(mapped({ source: '${`[3, 1]` | sort(@)}' })).toEqual({ source: [1, 3] })
  })

  it('keeps the type of a value that is the whole string, and makes text of it inside other text', () => {
    expect(mapped(['${input.id}', '${input.list}', '${input.flag}', '${ input.name }', '${input.nothing}'])).toEqual([
      7,
      [1, 2],
      false,
      'Ada',
      null,
    ])
    expect(
      mapped([
        '#${input.id}',
        '${input.name}${input.name}',
        'l=${input.list}',
        'o=${steps.done.output}',
        '${input.flag}!',
      ]),
    ).toEqual(['#7', 'AdaAda', 'l=[1,2]', 'o={"ok":true}', 'false!'])
  })

  it('writes `$${` as a literal and leaves other dollars alone', () => {
    expect(mapped(['$${input.id}', 'a $${x} ${input.id}', '5 $', '$5', '${input.price} each'])).toEqual([
      '${input.id}',
      'a ${x} 7',
      '5 $',
      '$5',
      '5 $ each',
    ])
  })

  it('reads the output of a skipped or failed step as null, at any depth [X-72]', () => {
    expect(
      mapped({
        a: '${steps.skipped.output}',
        b: '${steps.failed.output.deep.path}',
        c: "${steps.skipped.output.x || 'none'}",
      }),
    ).toEqual({
      a: null,
      b: null,
      c: 'none',
    })
  })

  it('refuses a hole in a text, and says where and how to fill it', () => {
    expect(mapped({ url: ['https://x/${steps.skipped.output.id}'] })).toEqual(['EXPR_VALUE_MISSING /url/0'])
    expect(mapped("https://x/${steps.skipped.output.id || 'new'}")).toBe('https://x/new')
    expect(mapped("[${input.nothing || ''}]")).toBe('[]')
  })

  it('tells every wrong place at once', () => {
    expect(mapped({ a: '${input.', 'b/c': '${nope.x}', d: ['${length(input.id)}'] })).toEqual([
      'EXPR_INVALID_SYNTAX /a',
      'EXPR_ROOT_UNKNOWN /b~1c',
      'EXPR_FAILED /d/0',
    ])
  })

  it('gives a value that the schema can refuse before anything runs', () => {
    const input = mapValue({ id: '${input.name}' }, ROOTS)
    const checked = validateJson(
      { properties: { id: { type: 'integer' } } },
      input.ok ? input.value : undefined,
      'INPUT_INVALID',
    )
    expect(checked.ok ? 'passed' : checked.problems[0]).toMatchObject({
      code: 'INPUT_INVALID',
      message: '`id` must be integer.',
      retryable: false,
    })
  })
})

describe('what a mapping needs', () => {
  it('is the union of what its expressions read', () => {
    const needs = mappingNeeds({
      a: '${steps.x.output} ${input.id}',
      b: [{ c: '${steps.y.output.z}', d: '$${steps.no.output}' }],
      e: 1,
    })
    expect(needs).toEqual({ ok: true, value: { roots: ['steps', 'input'], steps: ['x', 'y'], ends: [] } })
  })

  it('tells the place of an expression that cannot be', () => {
    const needs = mappingNeeds({ a: { b: '${steps.*.output}' } })
    expect(needs.ok ? undefined : needs.problems[0]).toMatchObject({ code: 'EXPR_INVALID_SYNTAX', pointer: '/a/b' })
  })

  it('is refused for a mapping nested without end', () => {
    let deep: Json = 'x'
    for (let i = 0; i < 5_000; i++) deep = [deep]
    expect(mappingNeeds(deep).ok).toBe(false)
    expect(mapValue(deep, ROOTS).ok).toBe(false)
  })
})
