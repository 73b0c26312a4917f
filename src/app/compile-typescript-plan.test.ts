import { describe, expect, expectTypeOf, it } from 'vitest'
import { compilePlan, compilePlanDocument } from './plans/compile.ts'
import {
  definePlan,
  expression,
  ofType,
  previous,
  text,
  type PlanInput,
  type PlanOutput,
} from '../core/plan/write/builder.ts'

interface Order {
  readonly orderId: string
  readonly email?: string
  readonly items: readonly { readonly sku: string }[]
}

const order = definePlan(
  {
    plan: 'order',
    version: '1.4.0',
    policy: { concurrency: 5 },
    inputs: { type: 'object', required: ['orderId'] },
    input: ofType<Order>(),
  },
  ({ input, run, step }) => {
    const reserve = step<{ id: string }>('reserve', {
      run: 'stock.reserve',
      with: { orderId: input.orderId, first: input.items[0], attempt: run.attempt },
      dependsOn: [],
      compensate: { run: 'stock.release', with: { id: expression<string>('steps.reserve.output.id') } },
    })
    const pack = step.forEach<number, { readonly sku: string }>('pack-all', input.items, (item, index) => ({
      run: 'warehouse.pack',
      with: { sku: item.sku, at: index, reservation: reserve.output.id },
      dependsOn: [reserve],
    }))
    const release = step('release', {
      manual: { title: text`Release ${input.orderId}, not \${this}` },
      if: input.email,
      dependsOn: [pack],
    })
    return { steps: [reserve, pack, release], output: { reservation: reserve.output.id, boxes: pack.output } }
  },
)

const SAME_IN_YAML = `
plan: order
version: 1.4.0
policy: { concurrency: 5 }
inputs: { type: object, required: [orderId] }
steps:
  - id: reserve
    run: stock.reserve
    with: { orderId: "\${input.orderId}", first: "\${input.items[0]}", attempt: "\${run.attempt}" }
    dependsOn: []
    compensate: { run: stock.release, with: { id: "\${steps.reserve.output.id}" } }
  - id: pack-all
    forEach: input.items
    run: warehouse.pack
    with: { sku: "\${item.sku}", at: "\${index}", reservation: "\${steps.reserve.output.id}" }
    dependsOn: [reserve]
  - id: release
    manual: { title: "Release \${input.orderId}, not $\${this}" }
    if: input.email
    dependsOn: [pack-all]
output:
  reservation: "\${steps.reserve.output.id}"
  boxes: '\${steps."pack-all".output}'
`

describe('a plan written in TypeScript', () => {
  it('compiles to the same bytes and hash as the same plan in YAML and in JSON', () => {
    const fromYaml = compilePlan(SAME_IN_YAML)
    const fromTypeScript = compilePlanDocument(order)
    const fromJson = compilePlan(JSON.stringify(order, null, 2), { format: 'json' })
    if (!fromYaml.ok || !fromTypeScript.ok || !fromJson.ok) {
      throw new Error(JSON.stringify([fromYaml, fromTypeScript, fromJson], null, 1))
    }
    expect(fromTypeScript.value.text).toBe(fromYaml.value.text)
    expect(fromJson.value.text).toBe(fromYaml.value.text)
    expect(new Set([fromYaml, fromTypeScript, fromJson].map((result) => result.value.sha256)).size).toBe(1)
  })

  it('carries the types of the input and of the output of its run', () => {
    expectTypeOf<PlanInput<typeof order>>().toEqualTypeOf<Order>()
    expectTypeOf<PlanOutput<typeof order>>().toEqualTypeOf<{
      readonly reservation: string
      readonly boxes: readonly number[]
    }>()
    expect(order.plan).toBe('order')
  })

  it('types the input and output of a step by the function it runs', () => {
    const functions = { double: (input: { readonly of: number }) => Promise.resolve(input.of * 2) }
    const head = { plan: 'sums', version: '1', input: ofType<{ start: number }>(), steps: functions }
    const plan = definePlan(head, ({ input, step }) => {
      const first = step('first', { run: 'double', with: { of: input.start } })
      const second = step('second', { run: 'double', with: { of: previous<number>() } })
      expectTypeOf(first.output).toEqualTypeOf(second.output)
      return { steps: [first, second], output: second.output }
    })
    expectTypeOf<PlanOutput<typeof plan>>().toEqualTypeOf<number>()
    const compiled = compilePlanDocument(plan)
    expect(compiled.ok && compiled.value.plan.steps.map((each) => each.with)).toEqual([
      { of: '${input.start}' },
      { of: '${previous}' },
    ])
  })

  it('refuses what JSON cannot say, with the place of each', () => {
    const circular: { self?: unknown } = {}
    circular.self = circular
    const result = compilePlanDocument({
      plan: 'a',
      version: '1',
      steps: [{ id: 'a', run: 'f', with: { when: new Date(0), fn: () => 1, nan: Number.NaN, big: 2n } }],
      output: circular,
    })
    const told = result.ok ? [] : result.problems.map((problem) => [problem.code, problem.pointer?.slice(0, 25)])
    expect(told).toEqual([
      ['PLAN_VALUE_UNSUPPORTED', '/steps/0/with/when'],
      ['PLAN_VALUE_UNSUPPORTED', '/steps/0/with/fn'],
      ['PLAN_VALUE_UNSUPPORTED', '/steps/0/with/nan'],
      ['PLAN_VALUE_UNSUPPORTED', '/steps/0/with/big'],
      ['PLAN_TOO_DEEP', '/output/self/self/self/se'],
    ])
  })
})

it('what undoes a step may be made of its own input and output', () => {
  const document = definePlan(
    { plan: 'p', version: '1', steps: { f: () => ({ id: 'x' }), g: (of: { readonly id: string }) => of } },
    ({ step }) => ({
      steps: [
        step('a', { run: 'f', timeout: '30s', compensate: ({ output }) => ({ run: 'g', with: { id: output.id } }) }),
      ],
    }),
  )
  const compiled = compilePlanDocument(document)
  expect(compiled.ok && compiled.value.plan.steps[0]).toMatchObject({
    timeoutMs: 30_000,
    compensate: { run: 'g', with: { id: '${step.output.id}' } },
  })
})
