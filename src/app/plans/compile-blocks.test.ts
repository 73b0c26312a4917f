/** A block of steps is compiled into a plan that is named after its step and pinned by its hash; mistakes in it are told where they stand. */
import { describe, expect, it } from 'vitest'
import { compilePlan, type CompiledPlan } from './compile.ts'

const HEAD = 'plan: order\nversion: "2"\npolicy: { runTimeout: 1h, timeout: 1m }\ncontext: { n: 0 }\n'
const plan = (forEach: string, more = ''): string => `${HEAD}steps:
  - { id: first, run: f }
  - id: ship
    ${more}
    forEach:
      in: input.list
${forEach.replaceAll(/^/gm, '      ')}
  - { id: last, run: f }
`

function compiled(text: string): CompiledPlan {
  const read = compilePlan(text)
  if (!read.ok) throw new Error(JSON.stringify(read.problems, null, 1))
  return read.value
}

function told(text: string): readonly string[] {
  const read = compilePlan(text, { file: 'p.yaml' })
  return read.ok ? [] : read.problems.map(({ code, at, message }) => `${code} ${at?.line}:${at?.column} ${message}`)
}

describe('a block', () => {
  const BLOCK = compiled(
    plan("steps: [{ id: a, run: g, with: { x: '${item}', y: '${steps.first.output}' } }]\noutput: '${steps.a.output}'"),
  )
  const [block] = BLOCK.blocks ?? []

  it('is a plan of its own, named after its plan and its step, with the policy and context of its plan', () => {
    expect(BLOCK.blocks).toHaveLength(1)
    expect(block?.plan).toMatchObject({
      metadata: { planId: 'order.ship', planVersion: '2' },
      forItem: { steps: ['first'] },
      context: { n: 0 },
      policy: { timeoutMs: 60_000 },
      output: '${steps.a.output}',
      steps: [{ stepId: 'a', run: 'g', timeoutMs: 60_000 }],
    })
    expect(block?.plan.policy).not.toHaveProperty('runTimeoutMs')
  })

  it('is started by its step, pinned to its bytes, with what it names handed in and nothing else', () => {
    expect(BLOCK.plan.steps[1]).toMatchObject({
      stepId: 'ship',
      forEach: 'input.list',
      plan: { planId: 'order.ship', planVersion: '2', sha256: block?.sha256 },
      with: { item: '${item}', index: '${index}', steps: { first: { output: '${steps.first.output}' } } },
      effect: 'idempotent',
    })
    expect(BLOCK.plan.steps[1]?.with).not.toHaveProperty('input')
  })

  it('and its plan are read again from their canonical texts as they are', () => {
    for (const one of [BLOCK, ...(BLOCK.blocks ?? [])]) {
      const again = compiled(one.text)
      expect([again.text, again.sha256, again.blocks]).toEqual([one.text, one.sha256, undefined])
    }
  })

  it('changes the hash of its plan when it changes', () => {
    const other = compiled(
      plan(
        "steps: [{ id: a, run: h, with: { x: '${item}', y: '${steps.first.output}' } }]\noutput: '${steps.a.output}'",
      ),
    )
    expect(other.sha256).not.toBe(BLOCK.sha256)
  })

  it('in which something can be undone can be undone', () => {
    expect(compiled(plan('steps: [{ id: a, run: g, compensate: { run: u } }]')).plan.steps[1]?.effect).toBe(
      'compensatable',
    )
    expect(
      compiled(plan('steps: [{ id: a, run: g, compensate: { run: u } }]', 'effect: irreversible')).plan.steps[1]
        ?.effect,
    ).toBe('irreversible')
  })
})

describe('the spellings of forEach', () => {
  const of = (forEach: string) => compiled(`${HEAD}steps: [{ id: a, forEach: ${forEach}, run: f }]`)

  it('that say the same are the same bytes', () => {
    const { sha256 } = of('input.list')
    expect([
      of("'${input.list}'").sha256,
      of('{ in: input.list }').sha256,
      of("{ in: '${input.list}' }").sha256,
    ]).toEqual([sha256, sha256, sha256])
  })

  it('keep a limit of their own', () => {
    const limited = of('{ in: input.list, concurrency: 3 }')
    expect(limited.plan.steps[0]?.forEach).toEqual({ in: 'input.list', concurrency: 3 })
    expect(compiled(limited.text).text).toBe(limited.text)
  })
})

describe('a wrong forEach is told at its line and column', () => {
  const line = (forEach: string): readonly string[] =>
    told(`${HEAD}steps:\n  - id: a\n    run: f\n    forEach: ${forEach}\n`)

  it.each([
    ['{ concurrency: 2 }', "INVALID_STEP_SCHEMA 8:14 forEach needs 'in'"],
    [
      '{ in: input.l, concurrency: 0 }',
      "INVALID_STEP_SCHEMA 8:42 'concurrency' must be a whole number from 1 to 10000, not 0",
    ],
    [
      '{ in: input.l, concurrency: unlimited }',
      "INVALID_STEP_SCHEMA 8:42 'concurrency' must be a whole number from 1 to 10000, not 'unlimited'",
    ],
    ['{ items: input.l }', "INVALID_STEP_SCHEMA 8:14 forEach needs 'in'"],
    ['{ in: steps.z.output }', "EXPR_STEP_NOT_FOUND 8:20 there is no step 'z'"],
    [
      '{ in: item }',
      "EXPR_ROOT_UNKNOWN 8:20 'item' is not known in 'forEach', which is decided before there are items",
    ],
    ['[1, 2]', 'INVALID_STEP_SCHEMA 8:14 '],
  ])('%s', (forEach, expected) => {
    expect(
      line(forEach).some((one) => one.startsWith(expected)),
      line(forEach).join('\n'),
    ).toBe(true)
  })

  it.each([
    [
      'with an action beside it',
      plan('steps: [{ id: a, run: g }]', 'run: f'),
      "INVALID_STEP_SCHEMA 8:5 'run' and the steps under 'forEach' are both given",
    ],
    [
      'with an input beside it',
      plan('steps: [{ id: a, run: g }]', 'with: { a: 1 }'),
      "INVALID_STEP_SCHEMA 8:5 'with' and the steps",
    ],
    [
      'with a fallback',
      plan('steps: [{ id: a, run: g }]', 'fallback: { run: f }'),
      "INVALID_STEP_SCHEMA 8:5 'fallback' belongs to a step",
    ],
    ['without steps', plan('steps: []'), 'PLAN_FIELD_INVALID 11:14 a plan has from 1 to 100000 steps, not 0'],
    ['whose steps are no list', plan('steps: a'), "INVALID_STEP_SCHEMA 11:14 'steps' must be a list of steps, not 'a'"],
    [
      'with a misspelt field in a step',
      plan('steps:\n  - { id: a, run: g, retires: 1 }'),
      "INVALID_STEP_SCHEMA 12:28 'retires' is not a field of a step",
    ],
    [
      'with an id twice',
      plan('steps:\n  - { id: a, run: g }\n  - { id: a, run: g }'),
      "PLAN_DUPLICATE_STEP 13:17 'a' is already the id of step 1",
    ],
    [
      'with a circle',
      plan('steps:\n  - { id: a, run: g, dependsOn: [b] }\n  - { id: b, run: g, dependsOn: [a] }'),
      'PLAN_CYCLE 12:39 steps wait',
    ],
    [
      'that reads a step which comes later',
      plan("steps:\n  - { id: a, run: g, with: { x: '${steps.last.output}' } }"),
      "EXPR_STEP_NOT_COMPLETED 12:39 step 'last' comes later",
    ],
    [
      'that reads its own step around it',
      plan("steps:\n  - { id: a, run: g, with: { x: '${steps.ship.output}' } }"),
      "EXPR_STEP_NOT_FOUND 12:39 there is no step 'ship'",
    ],
    [
      'that reads no step at all',
      plan("steps:\n  - { id: a, run: g, with: { x: '${steps.frist.output}' } }"),
      "EXPR_STEP_NOT_FOUND 12:39 there is no step 'frist'",
    ],
    [
      'whose output is no expression',
      plan("steps: [{ id: a, run: g }]\noutput: '${steps.a.}'"),
      'EXPR_INVALID_SYNTAX 12:15 ',
    ],
    [
      'with a schema that is none',
      plan('steps:\n  - { id: a, run: g, outputSchema: { type: 7 } }'),
      'PLAN_SCHEMA_INVALID 12:42 ',
    ],
    [
      'with both spellings of a time',
      plan('steps:\n  - { id: a, run: g, timeout: 1s, timeoutMs: 1 }'),
      'PLAN_FIELD_TWICE 12:28 ',
    ],
    [
      'of whose names the plan is too long',
      plan('steps: [{ id: a, run: g }]').replace('plan: order', `plan: ${'o'.repeat(125)}`),
      'PLAN_FIELD_INVALID 11:14 the block would be called',
    ],
  ])('%s', (_what, text, expected) => {
    expect(
      told(text).some((one) => one.startsWith(expected)),
      told(text).join('\n'),
    ).toBe(true)
  })

  it('and a list inside a block may read the item of the block', () => {
    expect(
      told(plan("steps:\n  - { id: a, forEach: item.parts, run: g, if: index > 1, with: { p: '${item}' } }")),
    ).toEqual([])
  })
})
