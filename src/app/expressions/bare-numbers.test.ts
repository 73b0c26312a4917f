/** Numbers without backticks are read where they can be nothing else; what JMESPath takes already stays as it is. */
import { describe, expect, it } from 'vitest'
import { withNumberLiterals } from '../../core/plan/read/bare-numbers.ts'
import { compilePlan } from '../plans/compile.ts'
import { compileExpression } from './check.ts'
import { evaluate } from './expressions.ts'

describe('a number without backticks', () => {
  it.each([
    ['length(input.items) > 3', 'length(input.items) > `3`'],
    ['3 < input.n', '`3` < input.n'],
    ['input.n==1.5', 'input.n==`1.5`'],
    ['input.n >= -3', 'input.n >= `-3`'],
    ['input.n - 3', 'input.n - `3`'],
    ['input.n -3', 'input.n -`3`'],
    ['input.n-3', 'input.n-`3`'],
    ['(input.a + 1) * 2', '(input.a + `1`) * `2`'],
    ['input.items[?qty > 1 && price <= 2.50].sku', 'input.items[?qty > `1` && price <= `2.50`].sku'],
    ['input.items[0].qty > 3', 'input.items[0].qty > `3`'],
    ['input.items[-1].qty != 0', 'input.items[-1].qty != `0`'],
    ['input.items[1:3]', 'input.items[1:3]'],
    ['input.items[::-1]', 'input.items[::-1]'],
    ['max([input.a, input.b]) > 1e3', 'max([input.a, input.b]) > `1e3`'],
    ['not_null(input.n, 5)', 'not_null(input.n, `5`)'],
    ['input.n || 10', 'input.n || `10`'],
    ['{ a: 1, b: input.n }', '{ a: `1`, b: input.n }'],
    ['input.big ? 100 : 1', 'input.big ? `100` : `1`'],
    ["input.text == 'a > 3'", "input.text == 'a > 3'"],
    ['input."1st" > 1', 'input."1st" > `1`'],
    ['steps.a1.output > 1', 'steps.a1.output > `1`'],
    ['3', '`3`'],
    ['input.n > `3`', 'input.n > `3`'],
  ])('%s is read as %s', (written, read) => {
    expect(withNumberLiterals(written)).toBe(read)
    expect(withNumberLiterals(read)).toBe(read)
    expect(compileExpression(read, 'roots').ok).toBe(true)
  })

  it('gives the value that is meant', () => {
    const value = (text: string) => evaluate(withNumberLiterals(text), { input: { n: 5, list: [1, 2, 3, 4] } })
    expect(value('input.n - 3')).toMatchObject({ ok: true, value: 2 })
    expect(value('input.n > -3')).toMatchObject({ ok: true, value: true })
    expect(value('length(input.list) > 3')).toMatchObject({ ok: true, value: true })
    expect(value('input.list[?@ > 2]')).toMatchObject({ ok: true, value: [3, 4] })
    expect(value('input.n * 1.5')).toMatchObject({ ok: true, value: 7.5 })
  })

  it.each(['[1, 2]', 'input.n > 01', 'input.n 3', 'input.3', 'input.n > 1_000', 'input.n | 3', 'input.n > 0x10'])(
    'that is not clear is left: %s',
    (written) => {
      expect(withNumberLiterals(written)).toBe(written)
      expect(compileExpression(written, 'roots').ok).toBe(false)
    },
  )
})

describe('an expression that JMESPath takes', () => {
  const PARTS =
    'a input . [ ] ( ) { } : , ? ! & && | || == != < <= > >= + - * / // % @ $ 0 1 -1 23 1.5 `3` "x 1" \'2\' length( [? [0] [1:2] [*] .* a1 _2'
  const parts = [...PARTS.split(' '), ' ']

  it('is never changed, of 200,000 made at random', () => {
    let state = 42
    const below = (most: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % most
    let taken = 0
    for (let i = 0; i < 200_000; i++) {
      const text = Array.from({ length: 1 + below(7) }, () => parts[below(parts.length)]).join('')
      const changed = withNumberLiterals(text)
      if (withNumberLiterals(changed) !== changed) throw new Error(`not stable: ${text}`)
      if (changed === text && !text.includes('0')) continue
      const before = compileExpression(text, 'value')
      if (!before.ok) continue
      taken += 1
      if (changed !== text) throw new Error(`${text} was taken, and is ${changed} now`)
    }
    expect(taken).toBeGreaterThan(100)
  })
})

const plan = (step: string): string => `plan: a
version: "1"
steps:
  - id: one
    run: f
    ${step}
`
const compiled = (step: string) => compilePlan(plan(step), { file: 'p.yaml' })

describe('in a plan', () => {
  it('both spellings are the same bytes, in conditions, mappings, texts and captures', () => {
    const bare = compiled(
      "if: length(input.items) > 3\n    with: { more: '${input.n + 1}', text: 'of ${ input.n - 1 } or $${n > 1}' }",
    )
    const ticked = compiled(
      "if: length(input.items) > `3`\n    with: { more: '${input.n + `1`}', text: 'of ${ input.n - `1` } or $${n > 1}' }",
    )
    expect(bare.ok && ticked.ok && bare.value.sha256 === ticked.value.sha256).toBe(true)
    expect(bare.ok && bare.value.plan.steps[0]?.with).toEqual({
      more: '${input.n + `1`}',
      text: 'of ${ input.n - `1` } or $${n > 1}',
    })
  })

  it.each([
    ["if: '[1, 2]'", 6, 9, 'write a number between backticks: `2`'],
    ["with: { a: '${input.n 3}' }", 6, 16, 'write a number between backticks: `3`'],
    ['if: input.flag == true', 6, 9, 'write it between backticks: `true`'],
  ])('what is not clear is told with how it is written: %s', (step, line, column, hint) => {
    const read = compiled(step)
    expect(read.ok ? [] : read.problems).toMatchObject([{ hint, at: { file: 'p.yaml', line, column } }])
  })
})
