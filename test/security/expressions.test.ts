/** Expressions and context paths as an attacker would write them: none may reach out, pollute, hang or throw. */
import { afterEach, describe, expect, it } from 'vitest'
import { applyCaptures } from '../../src/app/values/capture-output.ts'
import { evaluate, evaluateOver, type ExpressionRoots } from '../../src/app/expressions/expressions.ts'
import { mapValue } from '../../src/app/expressions/map-input.ts'
import { SEED } from '../setup/seed.ts'
import { cpuMsOf } from '../fixtures/cpu-time.ts'

const codeOf = (result: ReturnType<typeof evaluate>): unknown =>
  result.ok ? { value: result.value } : result.problems[0]?.code

const bornWith = JSON.stringify(Object.getOwnPropertyNames(Object.prototype))
afterEach(() => {
  expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(bornWith)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

describe('reaching for prototypes', () => {
  it.each([
    'input.__proto__',
    'input.constructor',
    'input."constructor"',
    'input."\\u005f_proto__"',
    'input.prototype',
    'input.a.constructor.constructor',
    '{ __proto__: input }',
    '{ "constructor": input }',
    'map(&constructor, input.list)',
    'input.list[?__proto__]',
    'sort_by(input.list, &constructor.name)',
  ])('%s is refused [DFL-09]', (expression) => {
    expect(codeOf(evaluate(expression, { input: { a: {}, list: [{}] } }))).toBe('EXPR_INVALID_SYNTAX')
  })

  it('reads own properties only: what objects have by birth is not data [DFL-09]', () => {
    for (const name of [
      'toString',
      'hasOwnProperty',
      'valueOf',
      '__defineGetter__',
      '__lookupGetter__',
      'isPrototypeOf',
    ]) {
      expect(codeOf(evaluate(`input.${name}`, { input: {} }))).toEqual({ value: null })
    }
    expect(codeOf(evaluate('input.length', { input: [1, 2] }))).toEqual({ value: null })
    expect(codeOf(evaluate('input.length', { input: 'text' }))).toEqual({ value: null })
  })

  it('does not pollute through functions that build objects', () => {
    const evil: unknown = JSON.parse('{"__proto__": {"polluted": true}, "k": "__proto__"}')
    evaluate('merge(input, input)', { input: evil })
    evaluate("from_items([['__proto__', input]])", { input: { polluted: true } })
    evaluate('group_by(input, &k)', { input: [evil, evil] })
    expect(codeOf(evaluate('merge(input, `{}`).polluted', { input: evil }))).toEqual({ value: null })
  })

  it.each([
    '__proto__.x',
    'a.__proto__.polluted',
    'constructor.prototype.polluted',
    'a.constructor',
    'prototype',
    '__proto__',
    '',
    'a..b',
    '.a',
  ])('a capture to `%s` is refused [DFL-11]', (destination) => {
    const result = applyCaptures([{ destination, merge: 'replace' }], { polluted: true }, { a: {} })
    expect(result.ok ? 'written' : result.problems[0]?.code).toBe('OUTPUT_INVALID')
  })

  it('merging an output that has the key `__proto__` leaves a plain object [DFL-11]', () => {
    const output: unknown = JSON.parse('{"__proto__": {"polluted": true}}')
    const result = applyCaptures([{ destination: 'a', merge: 'merge' }], output, { a: { b: 1 } })
    const written = result.ok ? (result.value.writes[0]?.value as object) : {}
    expect(Object.getPrototypeOf(written)).toBe(Object.prototype)
    expect((written as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('running data as code', () => {
  it('refuses a value in place of an &expression, however it looks [DFL-09]', () => {
    const tree = { expref: true, type: 'Function', name: 'to_string', children: [{ type: 'Current' }] }
    for (const expression of [
      'map(input.tree, input.list)',
      'sort_by(input.list, input.tree)',
      'group_by(input.list, input.tree)',
    ]) {
      expect(codeOf(evaluate(expression, { input: { tree, list: [1] } }))).toBe('EXPR_INVALID_SYNTAX')
    }
    expect(codeOf(evaluate('&input', {}))).toBe('EXPR_INVALID_SYNTAX')
  })

  it('knows no function that the language does not have [DFL-09]', () => {
    for (const name of ['eval', 'constructor', 'toString', 'require', 'hasOwnProperty', '__proto__']) {
      expect(codeOf(evaluate(`${name}(input)`, { input: 1 }))).toBe('EXPR_INVALID_SYNTAX')
    }
  })

  it('has no variables of its own', () => {
    expect(codeOf(evaluate('let $x = input in $x', { input: 1 }))).toBe('EXPR_INVALID_SYNTAX')
  })

  it('does not expand what a value brings along', () => {
    expect(mapValue('${input.a} and ${input.a}', { input: { a: '${input.secret}', secret: 's' } })).toEqual({
      ok: true,
      value: '${input.secret} and ${input.secret}',
    })
  })
})

describe('limits', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}input${']'.repeat(levels)}`
  const big = { list: Array.from({ length: 5_000 }, (_, i) => i), text: 'x'.repeat(60_000) }

  it('allows ten levels of nesting and refuses eleven [DFL-09]', () => {
    expect(codeOf(evaluate(nested(9), { input: 1 }))).toMatchObject({ value: expect.anything() as unknown })
    expect(codeOf(evaluate(nested(10), { input: 1 }))).toBe('EXPR_TOO_COMPLEX')
    expect(codeOf(evaluate('!'.repeat(4_000) + 'input', { input: 1 }))).toBe('EXPR_TOO_COMPLEX')
    expect(codeOf(evaluate('('.repeat(2_000) + 'input' + ')'.repeat(2_000), { input: 1 }))).toEqual({ value: 1 })
    expect(codeOf(evaluate(`input${'.a'.repeat(3_000)}`, { input: 1 }))).toBe('EXPR_TOO_COMPLEX')
  })

  it('expands a text to 65,536 bytes and not to one more [DFL-09]', () => {
    const template = 'a${input}'
    expect(mapValue(template, { input: 'x'.repeat(65_535) }).ok).toBe(true)
    expect(codeOf(mapValue(template, { input: 'x'.repeat(65_536) }))).toBe('EXPR_LIMIT')
    expect(codeOf(mapValue(template, { input: 'é'.repeat(32_768) }))).toBe('EXPR_LIMIT')
    expect(codeOf(mapValue('${input}${input}', { input: big.list }))).toEqual(
      expect.objectContaining({ value: expect.any(String) as unknown }),
    )
    expect(codeOf(mapValue('${input}${input}${input}', { input: big.list }))).toBe('EXPR_LIMIT')
  })

  it.each([
    "pad_left('x', `1000000000`)",
    "replace(input.text, 'x', 'yyyyyyyy')",
    "join(input.text, ['a', 'b', 'c', 'd'])",
    'to_string([input, input])',
    Array.from({ length: 40 }, () => '[@, @]').reduce((all, part) => `${all} | ${part}`, 'input.list'),
    `${Array.from({ length: 60 }, () => '[@, @][]').reduce((all, part) => `${all} | ${part}`, 'input.list')}`,
    'map(&map(&map(&@, $.input.list), $.input.list), input.list)',
    'input.list[?contains($.input.list, @) && length($.input.text) > `1`]',
    `[${Array.from({ length: 30 }, () => '[@, @]').reduce((all, part) => `${all} | ${part}`, 'input.list')}, ${Array.from({ length: 30 }, () => '[@, @]').reduce((all, part) => `${all} | ${part}`, 'input.list')}] | @[0] == @[1]`,
  ])('stops %s before it fills the process [DFL-09]', (expression) => {
    const tookMs = cpuMsOf(() => expect(codeOf(evaluate(expression, { input: big }))).toBe('EXPR_LIMIT'))
    expect(tookMs).toBeLessThan(5_000)
  })

  it('trims a text that would make a backtracking trim quadratic', () => {
    const text = `a${' '.repeat(60_000)}b`
    const tookMs = cpuMsOf(() => expect(codeOf(evaluateOver('length(trim(@))', text))).toEqual({ value: 60_002 }))
    expect(tookMs).toBeLessThan(1_000)
  })

  it('filters the largest fan-out there may be', () => {
    const input = Array.from({ length: 100_000 }, (_, id) => ({ id, ok: id % 2 === 0, kind: 'a' }))
    const result = evaluate("input[?ok && kind == 'a'].id", { input })
    expect(result.ok ? (result.value as unknown[]).length : result.problems).toBe(50_000)
  })
})

describe('random expressions', () => {
  const PIECES = [
    'input',
    'steps',
    'context',
    'previous',
    'item',
    'index',
    'run',
    'a',
    'output',
    'x-y',
    '"q"',
    '"',
    "'s'",
    "'",
    '`1`',
    '`[1,2]`',
    '`',
    '.',
    '[',
    ']',
    '[]',
    '[?',
    '[*]',
    '*',
    '(',
    ')',
    '{',
    '}',
    ',',
    ':',
    '|',
    '||',
    '&&',
    '&',
    '!',
    '==',
    '!=',
    '<',
    '>=',
    '@',
    '$',
    '?',
    'length(',
    'map(&',
    'sort(',
    'merge(',
    'zip(',
    'to_string(',
    'from_items(',
    'let $v = ',
    ' in ',
    '$v',
    '+',
    '-',
    '/',
    '//',
    '%',
    '0',
    '-1',
    '1:2',
    '__proto__',
    'constructor',
    '\\',
    '\u0000',
    '😀',
    '\ud800',
    ' ',
    '\n',
    'reverse(',
    'split(',
    'group_by(',
    'pad_left(',
  ] as const

  function random(seed: number): () => number {
    let state = seed >>> 0
    return () => {
      state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) >>> 0
      return (Math.imul(state ^ (state >>> 7), 61 | state) >>> 0) / 4_294_967_296
    }
  }

  it('of any kind, 100,000 of them, are answered and never throw [DFL-09]', () => {
    const seed = SEED
    const next = random(seed)
    const roots: ExpressionRoots = {
      input: { a: [{ a: 1 }, { a: 'x' }, null], output: 's' },
      steps: { a: { output: [1, 2] } },
      context: { a: {} },
      index: 0,
    }
    let answered = 0
    for (let count = 0; count < 100_000; count++) {
      let expression = ''
      const length = 1 + Math.floor(next() * 10)
      for (let piece = 0; piece < length; piece++) expression += PIECES[Math.floor(next() * PIECES.length)] ?? ''
      try {
        const result = evaluate(expression, roots)
        if (!result.ok) expect(result.problems[0]?.code).toMatch(/^EXPR_/)
        answered += 1
      } catch (thrown) {
        throw new Error(`KEELSON_SEED=${seed} made ${JSON.stringify(expression)} throw`, { cause: thrown })
      }
    }
    console.log(`random expressions: KEELSON_SEED=${seed}`)
    expect(answered).toBe(100_000)
  })
})
