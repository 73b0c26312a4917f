/** Conditions of orchestr8 whose values do not fit: its library has an order of texts, counts what is missing as 0, and calls what fails false. */
import { describe, expect, it } from 'vitest'
import { importPlan } from '../../src/main.ts'
import { flow, gives, played, refusals, type Fields } from '../fixtures/orchestr8.ts'

const VARIABLES = {
  n: 42,
  zero: 0,
  no: false,
  yes: true,
  word: 'abc',
  day: '2024-06-01',
  later: '2024-06-02',
  list: [1, 2, 3],
  people: [{ name: 'ana', age: 3 }, { name: 'bo', age: 5 }, { name: 'cy' }],
}

/** Those that let their step run as `if`, and those that skip it as `unless`: they must be the same. */
async function fulfilled(conditions: readonly string[]): Promise<readonly string[]> {
  const asked = (field: 'if' | 'unless'): readonly Fields[] =>
    conditions.map((condition, at) => ({ id: `${field}${at}`, agentId: 'ok', [field]: condition }))
  const { steps, status } = await played(flow([...asked('if'), ...asked('unless')]), { ok: gives(1) }, VARIABLES)
  expect(status).toBe('COMPLETED')
  const yes = conditions.filter((_, at) => steps[`if${at}`] === 'completed')
  expect(conditions.filter((_, at) => steps[`unless${at}`] === 'skipped')).toEqual(yes)
  return yes
}

describe('a condition is as true as it was', () => {
  it('with texts, which have an order there [X-73, X-107]', async () => {
    const yes = [
      'variables.day > `2024-01-01`',
      "variables.day >= '2024-06-01'",
      '`2025-01-01` > variables.day',
      'variables.day < variables.later',
      'variables.day <= variables.day',
      'variables.n > variables.zero',
      'variables.day > `2024-01-01` && variables.day < `2025-01-01`',
      'variables.people[?name > `b`] | length(@) == `2`',
      '(variables.word < `b`)',
    ]
    const no = [
      'variables.day > `2024-06-01`',
      'variables.later < variables.day',
      'variables.day < variables.day',
      'variables.word > variables.n',
      'variables.missing > `a`',
      'variables.list < `b`',
    ]
    expect(await fulfilled([...yes, ...no])).toEqual(yes)
  })

  it('with what is missing, which counts as 0 there [X-73, X-107]', async () => {
    const yes = [
      'variables.missing < `5`',
      '`5` > variables.missing',
      'variables.missing >= `0`',
      'variables.missing > `-1`',
      'variables.missing < variables.n',
      'variables.people[?age < `4`] | length(@) == `2`',
      'variables.zero <= variables.missing',
    ]
    const no = [
      'variables.missing > `0`',
      'variables.missing < `0`',
      'variables.missing >= `1`',
      '`0` > variables.missing',
    ]
    expect(await fulfilled([...yes, ...no])).toEqual(yes)
  })

  it('with a function that cannot take the value: the whole condition is false there [X-107]', async () => {
    const yes = [
      'variables.yes || length(variables.missing) > `1`',
      'length(variables.list) > `2`',
      'contains(variables.list, `2`)',
      'max(variables.list) == `3`',
      "type(variables.missing) == 'null'",
    ]
    const no = [
      'length(variables.missing) > `0`',
      'length(variables.missing) == `0`',
      'length(variables.n) < `5`',
      'contains(variables.missing, `x`)',
      'starts_with(variables.n, `4`)',
      'variables.no || length(variables.missing) < `1`',
      'sort_by(variables.people, &age)[0].name == `ana`',
      '!(length(variables.missing) > `0`)',
    ]
    expect(await fulfilled([...yes, ...no])).toEqual(yes)
  })
})

describe('a plain condition stays as it was written', () => {
  const condition = (written: string): unknown =>
    importPlan(JSON.stringify(flow([{ id: 'a', agentId: 'x', if: written }]))).plan.steps[0]?.if

  it.each([
    ['variables.n > `40`', 'input.n > `40`'],
    ['variables.n >= `1` && variables.word == `abc`', "input.n >= `1` && input.word == 'abc'"],
    ['variables.n < `40`', 'not_null(input.n, `0`) < `40`'],
    ['length(variables.list) > `0`', 'or_false(&(length(input.list) > `0`))'],
  ])('%s [X-107]', (written, made) => {
    expect(condition(written)).toBe(made)
  })
})

describe('what came later to JMESPath was never true there', () => {
  it.each([
    ['lower(variables.word) == `abc`', 'lower()'],
    ['group_by(variables.people, &name)', 'group_by()'],
    ['or_false(&variables.n)', 'or_false()'],
    ['variables.n + `1` > `2`', '+'],
    ['variables.n - `1` > `2`', '-'],
    ['variables.n / `2` > `2`', '/'],
    ['variables.n % `2` == `0`', '%'],
    ['variables.yes ? variables.n : variables.zero', '?'],
    ['variables.missing ?? variables.yes', '??'],
  ])('%s is refused at its place [X-107]', (written, what) => {
    const [first] = refusals(flow([{ id: 'a', agentId: 'x', if: written }]))
    expect(first).toMatch(/^WORKFLOW_INVALID 10:10 /)
    expect(first).toContain(`there is no '${what}' in a condition there: it was never true`)
  })

  it('signs of indexes are none of it [X-107]', async () => {
    const yes = [
      'variables.list[-1] == `3`',
      'variables.list[::-1] | [0] == `3`',
      'variables.list[-2:] | length(@) == `2`',
    ]
    expect(await fulfilled(yes)).toEqual(yes)
  })
})

describe('a mapping', () => {
  it('counts a list and takes its elements by their number, as fields [X-107]', async () => {
    const { calls } = await played(
      flow([
        {
          id: 'a',
          agentId: 'tell',
          input: {
            count: '${variables.list.length}',
            text: 'of ${variables.people.length}',
            first: '${variables.people.0.name}',
            none: '${variables.list.9 ?? "none"}',
            ofText: '${variables.word.length}',
            ofNumber: '${variables.n.0}',
          },
        },
      ]),
      { tell: gives(null) },
      VARIABLES,
    )
    expect(calls[0]?.[1]).toEqual({ count: 3, text: 'of 3', first: 'ana', none: 'none', ofText: null, ofNumber: null })
  })
})

describe('limits of a flat workflow', () => {
  it('are read from its policies, after its own older fields [X-107]', () => {
    const policies = {
      timeout: { global: 60_000, perStep: 5000 },
      resilience: { retry: { maxAttempts: 2, baseDelayMs: 100 } },
      concurrency: { maxConcurrentSteps: 4 },
    }
    const plan = (more: Fields) =>
      importPlan(JSON.stringify(flow([{ id: 'a', agentId: 'x' }], { policies, ...more }))).plan
    expect(plan({}).policy).toMatchObject({ runTimeoutMs: 60_000, timeoutMs: 5000, concurrency: 4 })
    expect(plan({}).steps[0]?.retry).toMatchObject({ maxAttempts: 2, initialBackoffMs: 100 })
    const older = { timeout: 9000, maxConcurrency: 2, resilience: { timeout: 1000 } }
    expect(plan(older).policy).toMatchObject({ runTimeoutMs: 9000, timeoutMs: 1000, concurrency: 2 })
    expect(plan(older).steps[0]?.retry).toMatchObject({ maxAttempts: 1 })
  })

  it('a fallback that depends on its own step is refused: it was skipped there [X-101, X-107]', () => {
    const steps = [
      { id: 'a', agentId: 'x', onError: 'fallback', fallbackStepId: 'b' },
      { id: 'b', agentId: 'y', dependsOn: ['a'] },
    ]
    expect(refusals(flow(steps))).toEqual([
      "WORKFLOW_INVALID 17:17 'b' depends on 'a', whose fallback it is: it was skipped there whenever 'a' failed",
    ])
  })
})
