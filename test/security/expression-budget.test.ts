/** Every function of an expression is charged for what it touches and builds, so that no plan can hang or fill a process. */
import { getRegisteredFunctions } from '@jmespath-community/jmespath'
import { describe, expect, it, vi } from 'vitest'
import { applyCaptures } from '../../src/app/values/capture-output.ts'
import { ExpressionBudget } from '../../src/app/expressions/budget.ts'
import { evaluate, evaluateOver } from '../../src/app/expressions/expressions.ts'
import { mapValue } from '../../src/app/expressions/map-input.ts'

const WIDE_MS = 60_000

const codeOf = (result: ReturnType<typeof evaluate>): unknown => (result.ok ? 'ok' : result.problems[0]?.code)

/** What an evaluation is charged, and how large what it gives is. */
function charged(expression: string, value: unknown): { readonly work: number; readonly result: unknown } {
  const budget = ExpressionBudget.ofMapping()
  let work = 0
  const spend = budget.spend.bind(budget)
  vi.spyOn(budget, 'spend').mockImplementation((more) => {
    work += more
    spend(more)
  })
  const result = evaluateOver(expression, value, budget)
  return { work, result: result.ok ? result.value : result.problems[0]?.message }
}

const text = (size: number): string => 'ab'.repeat(size / 2)
const numbers = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at)
const words = (size: number): readonly string[] => numbers(size).map((at) => `w${at}`)
const fields = (size: number): object => Object.fromEntries(words(size).map((name) => [name, 1]))
const rows = (size: number): readonly object[] => words(size).map((k) => ({ k }))

/** For each function: a call, its value of a given size, and how many units of that size one step of work may stand for. */
const CALLS: Readonly<Record<string, readonly [string, (size: number) => unknown, number]>> = {
  abs: ['map(&abs(@), @)', numbers, 1],
  avg: ['avg(@)', numbers, 1],
  ceil: ['map(&ceil(@), @)', numbers, 1],
  contains: ["contains(@, 'ba!')", text, 16],
  ends_with: ['ends_with(@, @)', text, 16],
  find_first: ["find_first(@, 'ba!')", text, 16],
  find_last: ["find_last(@, 'ba!')", text, 16],
  floor: ['map(&floor(@), @)', numbers, 1],
  from_items: ['from_items(@)', (size) => words(size).map((word) => [word, 1]), 1],
  group_by: ['group_by(@, &k)', rows, 1],
  items: ['items(@)', fields, 1],
  join: ["join('', @)", words, 1],
  keys: ['keys(@)', fields, 1],
  length: ['length(@)', text, 16],
  lower: ['lower(@)', text, 16],
  map: ['map(&@, @)', numbers, 1],
  max: ['max(@)', words, 1],
  max_by: ['max_by(@, &k)', rows, 1],
  merge: ['merge(@, @)', fields, 1],
  min: ['min(@)', words, 1],
  min_by: ['min_by(@, &k)', rows, 1],
  not_null: ['not_null(@)', numbers, 1],
  pad_left: ['map(&pad_left(@, `1000`), @)', words, 0.02],
  pad_right: ['map(&pad_right(@, `1000`), @)', words, 0.02],
  replace: ["replace(@, 'a', 'c')", text, 2],
  reverse: ['reverse(@)', text, 1],
  sort: ['sort(@)', words, 0.1],
  sort_by: ['sort_by(@, &k)', rows, 0.1],
  split: ["split(@, 'a')", text, 2],
  starts_with: ['starts_with(@, @)', text, 16],
  sum: ['sum(@)', numbers, 1],
  to_array: ['to_array(@)', numbers, 1],
  to_number: ['map(&to_number(@), @)', words, 1],
  to_string: ['to_string(@)', numbers, 0.5],
  trim: ['trim(@)', text, 1],
  trim_left: ['trim_left(@)', text, 1],
  trim_right: ['trim_right(@)', text, 1],
  type: ['map(&type(@), @)', numbers, 1],
  upper: ['upper(@)', text, 16],
  values: ['values(@)', fields, 1],
  zip: ['zip(@, @)', numbers, 1],
}

describe('a function of an expression', { timeout: WIDE_MS }, () => {
  it.each(getRegisteredFunctions().map((name) => [name]))('%s() is charged for what it touches [DFL-09]', (name) => {
    const [expression, make, unitsPerWork] = CALLS[name] ?? ['', numbers, 1]
    const [small, large] = [charged(expression, make(2_000)), charged(expression, make(8_000))]
    expect({ name, failed: typeof small.result === 'string' && small.result.includes('not evaluated') }).toEqual({
      name,
      failed: false,
    })
    expect(large.work).toBeGreaterThanOrEqual(8_000 / unitsPerWork)
    // Four times the size: four times the work, and a little more where it is sorted.
    expect(large.work / small.work).toBeLessThan(5.5)
  })

  it('finds the last place of a needle as the platform does', () => {
    for (const [subject, needle] of [
      ['abcabc', 'bc'],
      ['aaaa', 'aa'],
      ['abab', 'abc'],
      ['xaabaab', 'aab'],
      ['a', 'aa'],
      ['aabaaab', 'aaab'],
    ] as const) {
      const at = subject.lastIndexOf(needle)
      expect([subject, needle, evaluateOver(`find_last(@, '${needle}')`, subject)]).toEqual([
        subject,
        needle,
        { ok: true, value: at === -1 ? null : at },
      ])
    }
    expect(evaluateOver("find_last(@, 'a', `1`, `4`)", 'ababa')).toEqual({ ok: true, value: 2 })
    expect(evaluateOver("find_last(@, 'a', `-3`, `2`)", 'ababa')).toEqual({ ok: true, value: 0 })
  })
})

describe('an expression that would fill the memory or never end', { timeout: WIDE_MS }, () => {
  const list = numbers(100_000)
  const long = text(60_000)
  const same = 'a'.repeat(400_000)

  it.each<[string, string, unknown]>([
    ['pads each of 100,000 texts', "map(&pad_left('x', `60000`), @)", list],
    [
      'pads texts of a map of a map',
      "map(&map(&pad_right('x', `60000`), [1, 2, 3]), @)".replace('[1, 2, 3]', '`[1, 2, 3]`'),
      list,
    ],
    ['writes one long list as text for every item', 'a[*].[to_string($.b)]', { a: list, b: numbers(9_000) }],
    ['joins the same list for every item', "a[*].[join('', $.b)]", { a: list, b: words(5_000) }],
    ['splits one text for every item', "a[*].[split($.b, '')]", { a: list, b: long }],
    ['replaces in one text for every item', "a[*].[replace($.b, 'a', 'c')]", { a: list, b: long }],
    ['reverses one text for every item', 'a[*].[reverse($.b)]', { a: list, b: long }],
    ['slices one text for every item', 'a[*].[$.b[0:100]]', { a: list, b: long }],
    ['compares long texts for every item', 'a[?$.b == $.c]', { a: list, b: `${long}1`, c: `${long}2` }],
    ['sorts one list for every item', 'a[*].[sort($.b)]', { a: list, b: words(1_000) }],
    ['sorts texts that are long and alike', 'sort(@)', numbers(2_000).map((at) => `${text(20_000)}${at}`)],
    ['looks for a needle as long as half the text', 'find_first(a, b)', { a: same, b: `b${same}` }],
    ['looks up from the end for every item', 'a[*].[find_last($.b, $.c)]', { a: list, b: long, c: `b${long}` }],
    ['upper-cases one text for every item', 'a[*].[upper($.b)]', { a: list, b: long }],
    ['multiplies lists', 'a[*].[$.a, $.a, $.a][][]', { a: list }],
    ['merges one object for every item', 'a[*].[merge($.b, $.b)]', { a: list, b: fields(1_000) }],
    ['zips one list for every item', 'a[*].[zip($.b, $.b)]', { a: list, b: numbers(1_000) }],
  ])('%s is stopped [DFL-09]', (_, expression, value) => {
    expect([expression, codeOf(evaluateOver(expression, value))]).toEqual([expression, 'EXPR_LIMIT'])
  })

  it('cannot hide behind many: the expressions of one mapping have one budget', () => {
    const mapping = Object.fromEntries(words(1_000).map((name) => [name, '${input.list[?@ > `5`] | length(@)}']))
    expect(codeOf(mapValue(mapping, { input: { list } }))).toBe('EXPR_LIMIT')
    const copies = Object.fromEntries(words(1_000).map((name) => [name, '${input.text}']))
    expect(codeOf(mapValue(copies, { input: { text: text(100_000) } }))).toBe('EXPR_LIMIT')
    const captures = words(500).map((name) => ({ destination: name, merge: 'replace' as const, transform: 'sort(@)' }))
    expect(
      codeOf(
        applyCaptures(captures as Parameters<typeof applyCaptures>[0], words(50_000), {}) as ReturnType<
          typeof evaluate
        >,
      ),
    ).toBe('EXPR_LIMIT')
  })

  it('leaves honest work alone: 100,000 items filtered, mapped, sorted and counted', () => {
    const items = list.map((at) => ({ id: `i${at}`, qty: at % 7, price: at }))
    expect(evaluate('length(input.items[?qty > `3` && price > `10`].id)', { input: { items } })).toEqual({
      ok: true,
      value: 42_853,
    })
    expect(evaluate('sum(input.items[].price)', { input: { items } })).toEqual({ ok: true, value: 4_999_950_000 })
    expect(codeOf(evaluate('sort_by(input.items[?qty == `1`], &id)[0].id', { input: { items } }))).toBe('ok')
  })
})
