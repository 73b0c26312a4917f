/** Each class of condition and mapping of orchestr8, with the value that its own evaluator gives: the same after the import. */
import { describe, expect, it } from 'vitest'
import { importPlan } from '../../src/main.ts'
import { failing, flow, gives, played, refusals, type Fields } from '../fixtures/orchestr8.ts'

const VARIABLES = {
  title: 'test value',
  zero: 0,
  no: false,
  yes: true,
  empty: '',
  none: [],
  nothing: {},
  absent: null,
  day: '2024-01-01',
  nested: { value: 42, list: [1, 2, 3] },
  people: [
    { name: 'ana', age: 3 },
    { name: 'bo', age: 5 },
  ],
}
const ENV = { NODE_ENV: 'test', REGION: 'eu' }
const OUTPUT = { result: 'success', data: { id: 123 } }

const AGENTS = { first: gives(OUTPUT), bad: failing('BROKEN'), tell: gives(null), ok: gives(1) }

/** `good` completed and `broken` failed a level before; nothing depends on `broken`, because that would be skipped. */
const workflow = (steps: readonly Fields[]): Fields =>
  flow([{ id: 'good', agentId: 'first' }, { id: 'broken', agentId: 'bad', onError: 'continue' }, ...steps], {
    allowedEnvVars: Object.keys(ENV),
  })

async function mapped(mappings: readonly unknown[]): Promise<readonly unknown[]> {
  const input = Object.fromEntries(mappings.map((mapping, at) => [`m${at}`, mapping]))
  const steps = [{ id: 'tell', agentId: 'tell', dependsOn: ['good'], input }]
  const { calls } = await played(workflow(steps), AGENTS, { ...VARIABLES, env: ENV })
  const seen = calls.find(([name]) => name === 'tell')?.[1] as Fields | undefined
  return mappings.map((_, at) => seen?.[`m${at}`])
}

/** Those that let their step run. */
async function fulfilled(conditions: readonly string[]): Promise<readonly string[]> {
  const steps = conditions.map((condition, at) => ({ id: `c${at}`, agentId: 'ok', dependsOn: ['good'], if: condition }))
  const done = await played(workflow(steps), AGENTS, { ...VARIABLES, env: ENV })
  return conditions.filter((_, at) => done.steps[`c${at}`] === 'completed')
}

async function equal(cases: readonly (readonly [mapping: unknown, value: unknown])[]): Promise<void> {
  const values = await mapped(cases.map(([mapping]) => mapping))
  expect(cases.map(([mapping], at) => [mapping, values[at]])).toEqual(cases)
}

describe('a mapping has the value it had', () => {
  it('paths: outputs, variables, indexes, the environment; no value is null, because JSON has no undefined [X-107, DFL-09]', async () => {
    await equal([
      ['${steps.good.output}', OUTPUT],
      ['${steps.good.output.data.id}', 123],
      ['${variables.nested.list[2]}', 3],
      ['${variables.people[1].name}', 'bo'],
      ['${ variables.title }', 'test value'],
      ['${variables.zero}', 0],
      ['${variables.no}', false],
      ['${variables.absent}', null],
      ['${variables.notThere}', null],
      ['${variables.title[0]}', null],
      ['${variables.nested.value.deeper}', null],
      ['${steps.good.output.result.length}', null],
      ['${env.NODE_ENV}', 'test'],
      ['${env.NOT_ALLOWED}', null],
      ['${steps.nobody.output}', null],
    ])
  })

  it('defaults: in either quotes or none, with escapes, braces and ?? of their own; only for what is missing [X-107]', async () => {
    await equal([
      ['${variables.missing ?? "it"}', 'it'],
      ["${variables.missing ?? 'it'}", 'it'],
      ['${variables.missing ?? it}', 'it'],
      ['${variables.missing ?? 42}', '42'],
      ['${variables.missing ?? ""}', ''],
      ['${variables.missing ?? }', null],
      ['${variables.missing ?? "He said \\"Hello\\""}', 'He said "Hello"'],
      ['${variables.missing ?? "C:\\\\dir"}', 'C:\\dir'],
      ['${variables.missing ?? "Value: ${ignored}"}', 'Value: ${ignored}'],
      ['${variables.missing ?? {a}}', '{a}'],
      ['${variables.missing ?? "a ?? b"}', 'a ?? b'],
      ['${variables.nested.list[9] ?? "none"}', 'none'],
      ['${steps.nobody.output ?? "default"}', 'default'],
      ['${unknown.root ?? "default"}', 'default'],
      ['${env.MISSING ?? "none"}', 'none'],
      ['${env.NODE_ENV ?? "none"}', 'test'],
      ['${variables.empty ?? "x"}', ''],
      ['${variables.zero ?? "x"}', 0],
      ['${variables.no ?? "x"}', false],
    ])
  })

  it('texts and structures: a text keeps what has no value, an expression that is never closed is text, a $ before one stays [X-107]', async () => {
    await equal([
      ['Id ${steps.good.output.data.id}!', 'Id 123!'],
      [
        'Prefix ${steps.good.output.result} and ${variables.title ?? "backup"} suffix',
        'Prefix success and test value suffix',
      ],
      ['From ${env.REGION}: ${env.NODE_ENV}.', 'From eu: test.'],
      ['Dear ${variables.nobody},', 'Dear ${variables.nobody},'],
      ['Key ${env.NOT_ALLOWED}.', 'Key ${env.NOT_ALLOWED}.'],
      ['Of ${steps.nobody.output}.', 'Of ${steps.nobody.output}.'],
      ['costs ${5', 'costs ${5'],
      ['open ${a and ${variables.zero}', 'open ${a and 0'],
      ['$${variables.zero}', '$0'],
      ['plain', 'plain'],
      ['', ''],
      [7, 7],
      [null, null],
      [{ deep: [{ id: '${steps.good.output.data.id}' }, true] }, { deep: [{ id: 123 }, true] }],
      [
        ['${steps.good.output.result}', '${variables.nested.value}', 'x'],
        ['success', 42, 'x'],
      ],
    ])
  })

  it('reads how a step ended that it does not depend on, if that ended a level before [X-107]', async () => {
    await equal([
      ['${steps.good.status}', 'completed'],
      ['${steps.broken.status}', 'failed'],
      ['${steps.broken.output ?? "nothing"}', 'nothing'],
      ['Step ${steps.broken.stepId} ${steps.broken.status}', 'Step broken failed'],
    ])
  })
})

describe('a condition is as true as it was', () => {
  it('statuses, literals, comparisons, functions [X-73, X-107]', async () => {
    const yes = [
      '',
      '   ',
      'steps.good.status == `completed`',
      '`completed` == steps.good.status',
      "steps.broken.status == 'failed'",
      'steps.broken.status != `completed`',
      "contains(['failed', 'cancelled'], steps.broken.status)",
      'steps.good.output.data.id == `123`',
      'steps.good.output.result == `"success"`',
      "steps.good.stepId == 'good'",
      'variables.nested.value > `40`',
      'variables.nested.value >= `42` && variables.nested.value <= `42`',
      'length(variables.nested.list) == `3`',
      'variables.day == `2024-01-01`',
      'variables."title" == `test value`',
      'starts_with(variables.title, `test`)',
      'not_null(variables.missing, variables.yes)',
      'variables.nested.list[-1] == `3`',
      'variables.people[?age > `4`].name | [0] == `bo`',
      'variables.people | length(@) == `2`',
      'sort_by(variables.people, &age)[0].name == `ana`',
      'variables.people[0].{called: name}.called == `ana`',
      'env.NODE_ENV == `test`',
      'env.NOT_ALLOWED == null',
    ]
    const no = [
      'steps.good.status == `failed`',
      'steps.nobody.status == `completed`',
      'steps.nobody.output[0].name',
      'variables.missing == `true-ish`',
      'env.NOT_ALLOWED',
      'variables.people[?age > `9`] | [0]',
    ]
    expect(await fulfilled([...yes, ...no])).toEqual(yes)
  })

  it('truth as JavaScript has it at the end, and as JMESPath has it within [X-73]', async () => {
    const yes = ['variables.yes', 'variables.none', 'variables.nothing', '`true`', 'variables.no || variables.title']
    const no = [
      'variables.no',
      'variables.zero',
      'variables.empty',
      'variables.absent',
      '`0`',
      'variables.yes && variables.zero',
    ]
    expect(await fulfilled([...yes, ...no])).toEqual(yes)
  })
})

describe('what is refused, at its place and with what to do', () => {
  const one = (step: Fields): readonly string[] => refusals(flow([{ id: 'a', agentId: 'x', ...step }]))
  const condition = (text: string): string | undefined => one({ if: text })[0]
  const mapping = (text: string): string | undefined => one({ input: { x: text } })[0]

  it.each(['__proto__', 'constructor', 'prototype'])('the name %s, anywhere in a path [X-107]', (name) => {
    for (const path of [`variables.${name}`, `variables.a.${name}.b`, `variables.items[0].${name}`])
      expect(mapping(`\${${path}}`)).toMatch(/^EXPR_INVALID_SYNTAX 11:10 .*is not allowed/)
  })

  it('paths deeper than 10 names, which failed there [X-107]', () => {
    const deep = (names: number): string => `\${variables.${Array.from({ length: names }, () => 'a').join('.')}}`
    expect(mapping(deep(10))).toBeUndefined()
    expect(mapping(deep(11))).toMatch(/^WORKFLOW_INVALID 11:10 .*deeper than 10 names/)
  })

  it('conditions that were never true there, because they are no conditions [X-107]', () => {
    expect(condition('[unclosed')).toMatch(/^WORKFLOW_INVALID 10:10 /)
    expect(condition('variables.a ==')).toMatch(/^EXPR_INVALID_SYNTAX 10:10 /)
    expect(condition('variables.n > 40')).toMatch(/^WORKFLOW_INVALID 10:10 '40' is no literal/)
    expect(condition('variables.a[?n > 4]')).toMatch(/'4' is no literal/)
    expect(condition('variables.a == "text"')).toMatch(/'text' is none of steps, variables and env/)
    expect(condition('true')).toMatch(/'true' is none of/)
    expect(condition('!variables.flag')).toMatch(/negates only the first name/)
    expect(condition('unknown(variables.a)')).toMatch(/there is no 'unknown\(\)' in a condition there/)
  })

  it('what a plan does not know of a step, or of the environment as a whole [X-107]', () => {
    expect(mapping('${steps.a.startTime}')).toMatch(/'startTime' of step 'a' cannot be read/)
    expect(condition('steps.a.duration > `5`')).toMatch(/'duration' of step 'a' cannot be read/)
    expect(condition('length(steps) > `1`')).toMatch(/'steps' is none of/)
    expect(mapping('${unknown.root}')).toMatch(/begins with none of steps, variables and env/)
  })

  it('a step of the same level or a later one, which need not be there [X-107]', () => {
    const steps = [
      { id: 'a', agentId: 'x', if: 'steps.b.output' },
      { id: 'b', agentId: 'x' },
    ]
    expect(refusals(flow(steps))[0]).toMatch(/^EXPR_STEP_NOT_COMPLETED 10:10 /)
  })

  it('a variable called env beside an environment: one of them would be lost [X-107]', () => {
    const taken = { variables: { env: 'prod' }, allowedEnvVars: ['REGION'] }
    expect(refusals(flow([{ id: 'a', agentId: 'x' }], taken))[0]).toMatch(/^WORKFLOW_INVALID \d+:\d+ 'env' would be/)
    expect(refusals(flow([{ id: 'a', agentId: 'x' }], { variables: { env: 'prod' } }))).toEqual([])
  })
})

it('a step that reads how another failed runs, and is skipped with what it depends on, not with what it reads [X-107]', async () => {
  const steps = (ask: string): readonly Fields[] => [
    { id: 'maybe', agentId: 'ok', if: ask },
    { id: 'sure', agentId: 'ok' },
    { id: 'cleanup', agentId: 'ok', dependsOn: ['sure'], if: "steps.broken.status == 'failed'" },
    { id: 'told', agentId: 'tell', dependsOn: ['sure'], input: { was: '${steps.maybe.status}' } },
    { id: 'never', agentId: 'tell', dependsOn: ['maybe'], input: { was: '${steps.broken.status}' } },
  ]
  const skipping = await played(workflow(steps('variables.no')), AGENTS, { ...VARIABLES, env: ENV })
  expect(skipping.status).toBe('COMPLETED')
  expect(skipping.steps).toMatchObject({ maybe: 'skipped', cleanup: 'completed', told: 'completed', never: 'skipped' })
  expect(skipping.calls).toContainEqual(['tell', { was: 'skipped' }])
  const running = await played(workflow(steps('variables.yes')), AGENTS, { ...VARIABLES, env: ENV })
  expect(running.steps).toMatchObject({ maybe: 'completed', told: 'completed', never: 'completed' })
  expect(running.calls).toContainEqual(['tell', { was: 'failed' }])
})

it('numbers of a breaker, which belong to the deployment, are kept beside the step; orders of policies are ours or refused [X-107]', () => {
  const resilience = {
    circuitBreaker: { failureThreshold: 3, recoveryTime: 30_000 },
    compositionOrder: 'retry-cb-timeout',
  }
  const text = (order: string): string =>
    JSON.stringify(flow([{ id: 'a', agentId: 'x', resilience: { ...resilience, compositionOrder: order } }]), null, 1)
  expect(importPlan(text('retry-cb-timeout')).plan.steps[0]).toMatchObject({
    agent: 'x',
    'x-circuitBreaker': resilience.circuitBreaker,
  })
  expect(refusals(text('timeout-cb-retry'))[0]).toMatch(/^WORKFLOW_INVALID \d+:\d+ 'compositionOrder' must be/)
})
