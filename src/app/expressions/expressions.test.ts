import { describe, expect, it } from 'vitest'
import { checkTransform, evaluate, evaluateOver, expressionNeeds, isTrue, type ExpressionRoots } from './expressions.ts'

const ROOTS: ExpressionRoots = {
  input: {
    name: 'Ada',
    qty: 3,
    tags: ['b', 'a', 'C'],
    items: [
      { id: 'x', n: 10 },
      { id: 'y', n: 9 },
      { id: 'z', n: 1 },
    ],
  },
  steps: { pay: { output: { total: 12.5 } }, 'send-mail': { output: null }, each: { output: [1, 2, 3] } },
  context: { order: { total: 7 } },
  previous: 'before',
  item: { sku: 'k1' },
  index: 4,
  run: { id: 'r1', planId: 'p', planVersion: '1.0', attempt: 2 },
}

const valueOf = (expression: string, roots = ROOTS): unknown => {
  const result = evaluate(expression, roots)
  return result.ok ? result.value : result.problems[0]?.code
}

describe('expressions over the data of a run', () => {
  it.each([
    ['input.name', 'Ada'],
    ['steps.pay.output.total', 12.5],
    ['steps."send-mail".output', null],
    ['steps."send-mail".output.id', null],
    ['steps.each.output[1]', 2],
    ['context.order.total', 7],
    ['previous', 'before'],
    ['item.sku', 'k1'],
    ['index', 4],
    ['run.attempt', 2],
    ['input.nothing.here', null],
    ["input.nothing || 'default'", 'default'],
    ['input.items[?n > `5`].id', ['x', 'y']],
    ['{ sum: sum(input.items[].n), who: input.name }', { sum: 20, who: 'Ada' }],
    ['map(&id, input.items)', ['x', 'y', 'z']],
    ['length(input.items) > `2` && !(steps."send-mail".output)', true],
    ['steps.pay | output.total', 12.5],
    ['$.input.qty', 3],
    ['input.items[*].id | [0]', 'x'],
  ])('%s gives %j', (expression, expected) => {
    expect(valueOf(expression)).toEqual(expected)
  })

  it('order numbers as numbers and texts by code unit, the same on every machine', () => {
    expect(valueOf('sort(input.items[].n)')).toEqual([1, 9, 10])
    expect(valueOf('sort(input.tags)')).toEqual(['C', 'a', 'b'])
    expect(valueOf('[max(input.tags), min(input.tags)]')).toEqual(['b', 'C'])
    expect(valueOf('sort_by(input.items, &n)[].id')).toEqual(['z', 'y', 'x'])
    expect(valueOf('[max_by(input.items, &id).n, min_by(input.items, &n).id]')).toEqual([1, 'z'])
  })

  it('keep the order of equals and the keys that objects have by birth', () => {
    const rows = [
      { k: 'b', n: 1 },
      { k: 'toString', n: 2 },
      { k: 'b', n: 3 },
    ]
    expect(valueOf('sort_by(input, &k)[].n', { input: rows })).toEqual([1, 3, 2])
    expect(valueOf('group_by(input, &k)', { input: rows })).toEqual({ b: [rows[0], rows[2]], toString: [rows[1]] })
  })

  it('trim and replace texts', () => {
    expect(evaluateOver("[trim(@), trim_left(@), trim_right(@), trim(@, ' a')]", ' a b ')).toEqual({
      ok: true,
      value: ['a b', 'a b ', ' a b', 'b'],
    })
    expect(
      evaluateOver("[replace(@, 'a', '$&'), replace(@, 'a', 'xy', `1`), replace(@, 'a', 'x', `0`)]", 'banana'),
    ).toEqual({
      ok: true,
      value: ['b$&n$&n$&', 'bxynana', 'banana'],
    })
  })

  it('leave the data as it was', () => {
    const frozen = Object.freeze({ input: Object.freeze([3, 1, 2].map((n) => Object.freeze({ n }))) })
    expect(valueOf('sort_by(input, &n)[0].n', frozen)).toBe(1)
    expect(frozen.input.map(({ n }) => n)).toEqual([3, 1, 2])
  })

  it('or_false is the value of its expression, and false for what does not fit its data [X-107]', () => {
    expect(valueOf('or_false(&(input.qty > `1`))', { input: { qty: 3 } })).toBe(true)
    expect(valueOf('or_false(&input.qty)', { input: { qty: 3 } })).toBe(3)
    expect(valueOf('or_false(&(length(input.qty) > `1`))', { input: { qty: 3 } })).toBe(false)
    expect(
      valueOf('input.items[?or_false(&(length(id) > `1`))].id', { input: { items: [{ id: 7 }, { id: 'ab' }] } }),
    ).toEqual(['ab'])
    expect(expressionNeeds('or_false(&(length(steps.a.output) > `1`))')).toMatchObject({ value: { steps: ['a'] } })
  })

  it('or_false hides no limit and needs its expression [DFL-09]', () => {
    expect(valueOf("or_false(&split('😀', ''))")).toBe('EXPR_LIMIT')
    for (const wrong of [
      'or_false(input.qty)',
      'or_false()',
      'or_false(&a, &b)',
      'or_false(&input.constructor)',
      'or_false(&nothing)',
    ])
      expect(valueOf(wrong), wrong).toMatch(/^EXPR_(INVALID_SYNTAX|ROOT_UNKNOWN)$/)
  })

  it('say what does not fit their data instead of throwing', () => {
    expect(valueOf('length(input.qty)')).toBe('EXPR_FAILED')
    expect(valueOf('input.qty / `0`')).toBe('EXPR_FAILED')
    expect(valueOf("to_number('Infinity')")).toBe('EXPR_LIMIT')
    expect(valueOf("split('😀', '')")).toBe('EXPR_LIMIT')
  })
})

describe('truth', () => {
  it.each([
    [0, true],
    [false, false],
    [null, false],
    ['', false],
    [[], false],
    [{}, false],
    [true, true],
    ['false', true],
    [[0], true],
    [{ a: null }, true],
    [-1, true],
  ])('of %j is %s, as JMESPath has it [X-73, DFL-08]', (value, truth) => {
    expect(isTrue(value)).toBe(truth)
    expect(valueOf('!input', { input: value })).toBe(!truth)
    expect(valueOf("input && 'yes' || 'no'", { input: value })).toBe(truth ? 'yes' : 'no')
  })
})

describe('what an expression needs', () => {
  const needsOf = (expression: string): unknown => {
    const found = expressionNeeds(expression)
    return found.ok ? found.value : found.problems[0]?.code
  }

  it.each([
    ['input.a', { roots: ['input'], steps: [], ends: [] }],
    ['steps.a.output.b', { roots: ['steps'], steps: ['a'], ends: [] }],
    ['steps.a.output || $.steps."b-c".output', { roots: ['steps'], steps: ['a', 'b-c'], ends: [] }],
    ['(steps.a || steps.b).output', { roots: ['steps'], steps: ['a', 'b'], ends: [] }],
    ['input.list[?id == $.steps.a.output].x', { roots: ['input', 'steps'], steps: ['a'], ends: [] }],
    ['map(&steps.a, input.list)', { roots: ['input'], steps: [], ends: [] }],
    ['steps | a | output', { roots: ['steps'], steps: ['a'], ends: [] }],
    ['`{"steps": 1}`.steps', { roots: [], steps: [], ends: [] }],
    ['steps.a.status', { roots: ['steps'], steps: ['a'], ends: ['a'] }],
    ['(steps.a || steps.b).error.code', { roots: ['steps'], steps: ['a', 'b'], ends: ['a', 'b'] }],
    ['item.steps.a', { roots: ['item'], steps: [], ends: [] }],
  ])('%s reads only %j', (expression, expected) => {
    expect(needsOf(expression)).toEqual(expected)
  })

  it.each([
    ['@', 'EXPR_INVALID_SYNTAX'],
    ['$', 'EXPR_INVALID_SYNTAX'],
    ['*', 'EXPR_INVALID_SYNTAX'],
    ['steps', 'EXPR_INVALID_SYNTAX'],
    ['steps.*.output', 'EXPR_INVALID_SYNTAX'],
    ['values(steps)', 'EXPR_INVALID_SYNTAX'],
    ['(steps || input).a', 'EXPR_INVALID_SYNTAX'],
    ['!input.flag', 'EXPR_INVALID_SYNTAX'],
    ['!steps.a.output', 'EXPR_INVALID_SYNTAX'],
    ['steps.a.result', 'EXPR_PATH_NOT_FOUND'],
    ['steps.a.error.message', 'EXPR_PATH_NOT_FOUND'],
    ['run.secret', 'EXPR_PATH_NOT_FOUND'],
    [`input.a || '${'x'.repeat(1_025)}'`, 'EXPR_TOO_COMPLEX'],
    ['orders.id', 'EXPR_ROOT_UNKNOWN'],
    ['env.PATH', 'EXPR_ROOT_UNKNOWN'],
    ['input.', 'EXPR_INVALID_SYNTAX'],
    ['', 'EXPR_INVALID_SYNTAX'],
    ['a b', 'EXPR_INVALID_SYNTAX'],
  ])('%s is refused with %s [DFL-09]', (expression, code) => {
    expect(needsOf(expression)).toBe(code)
    expect(valueOf(expression)).toBe(code)
  })

  it('helps with an id that has a hyphen', () => {
    const found = evaluate('steps.send-mail.output', ROOTS)
    expect(found.ok ? undefined : found.problems[0]?.hint).toContain('steps."send-mail".output')
  })

  it('says what `!a.b` means, because it is not what it looks like', () => {
    const found = evaluate('!input.flag', ROOTS)
    expect(found.ok ? undefined : found.problems[0]?.hint).toContain('!(input.flag)')
    expect(valueOf('!(input.flag)')).toBe(true)
  })

  it('has no roots in a transform, which sees one value alone', () => {
    expect(checkTransform('orders.id')).toEqual({ ok: true, value: undefined })
    expect(evaluateOver('steps.total', { steps: { total: 3 } })).toEqual({ ok: true, value: 3 })
    expect(evaluateOver('@', [1])).toEqual({ ok: true, value: [1] })
  })
})
