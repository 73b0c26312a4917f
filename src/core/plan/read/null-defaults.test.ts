import { describe, expect, it } from 'vitest'
import { loadPlan } from '../../../main.ts'
import { withNullDefaults } from './null-defaults.ts'

describe('`??` is read as not_null', () => {
  it.each([
    ["input.name ?? 'nobody'", "not_null(input.name, 'nobody')"],
    ['input.a ?? input.b ?? `0`', 'not_null(input.a, input.b, `0`)'],
    ['length(input.list ?? `[]`)', 'length(not_null(input.list, `[]`))'],
    ['(input.a ?? input.b) == input.c', '(not_null(input.a, input.b)) == input.c'],
    ["{ who: input.name ?? 'x', n: input.n }", "{ who: not_null(input.name, 'x'), n: input.n }"],
    ["input.list[?(kind ?? 'a') == 'a'].id", "input.list[?(not_null(kind, 'a')) == 'a'].id"],
    ['map(&price ?? `0`, input.lines)', 'map(&not_null(price, `0`), input.lines)'],
    ["input.a ?? 'x' | length(@)", "not_null(input.a, 'x') | length(@)"],
    [' steps."a-b".output.x ?? \'what ?? why\' ', ' not_null(steps."a-b".output.x, \'what ?? why\') '],
  ])('%s [X-107, DFL-09]', (written, read) => {
    expect(withNullDefaults(written)).toBe(read)
    expect(withNullDefaults(read)).toBe(read)
  })

  it.each(['input.a == input.b ?? `1`', 'input.a || input.b ?? `1`', '?? `1`', 'input.a ??', 'input.a ?? ?? `1`'])(
    '%s stays as it is, and is refused with what to do [X-107]',
    (written) => {
      expect(withNullDefaults(written)).toBe(written)
      expect(() =>
        loadPlan(`plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, if: ${JSON.stringify(written)} }]`),
      ).toThrow(/is not an expression/)
    },
  )

  it.each(["'what ?? why'", '"a ?? b"', '`"??"`', 'input.a'])('%s has none [X-107]', (written) => {
    expect(withNullDefaults(written)).toBe(written)
  })
})

describe('in a plan', () => {
  const compiled = (value: string): unknown =>
    loadPlan(`plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f, with: { v: ${JSON.stringify(value)} } }]`).plan.steps[0]
      ?.with['v']

  it('it is compiled to the function, in texts too, with bare numbers as defaults [X-107]', () => {
    expect(compiled('${input.n ?? 5} of ${input.m ?? -1}')).toBe(
      '${not_null(input.n, `5`)} of ${not_null(input.m, `-1`)}',
    )
  })

  it('a default has 1,024 characters and no more [DFL-09]', () => {
    expect(compiled(`\${input.n ?? '${'x'.repeat(1_024)}'}`)).toContain('not_null')
    expect(() => compiled(`\${input.n ?? '${'x'.repeat(1_025)}'}`)).toThrow(/literal of more than 1024 characters/)
  })

  it('a default in double quotes is a name, and the author is told how to write a text [X-107]', () => {
    expect(() => compiled('${input.name ?? "Alice"}')).toThrow(/begins with `Alice`/)
  })
})
