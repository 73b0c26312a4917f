/** The types of a plan reach its run: what fits compiles, what does not is refused, each proved by the compiler itself. */
import { describe, expect, it } from 'vitest'
import { typeCheck } from '../fixtures/type-check.ts'

const PRELUDE = `
import { isEvent, loadPlan, openKeelson, type CompiledPlan, type PlanInput, type PlanOutput } from 'keelson'
import type { RunHandle, StepContext, StepFunction, StepFunctions } from 'keelson'
import { definePlan, expression, ofType } from 'keelson/plan'

const steps = {
  stock: {
    reserve: async (input: { readonly orderId: string }, { idempotencyKey }: StepContext) => ({ id: input.orderId + idempotencyKey }),
    release: (input: { readonly id: string }) => null,
  },
  pack: (input: { readonly sku: string; readonly at: number }) => input.sku.length,
  ping: () => 'pong',
} satisfies StepFunctions
interface Order { readonly orderId: string; readonly items: readonly { readonly sku: string }[]; readonly note?: string }
const head = { plan: 'order', version: '1.0.0', input: ofType<Order>(), steps }
const order = definePlan(head, ({ input, step }) => {
  const reserve = step('reserve', { run: 'stock.reserve', with: { orderId: input.orderId } })
  const pack = step.forEach('pack', input.items, (item, index) => ({ run: 'pack', with: { sku: item.sku, at: index } }))
  return { steps: [reserve, pack, step('ping', { run: 'ping' })], output: { id: reserve.output.id, boxes: pack.output } }
})
const compiled = loadPlan(order)
const keelson = await openKeelson({ steps })
const good: Order = { orderId: 'A-1', items: [] };
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : never
const never = (): never => { throw new Error() }
const same = <A, B>(_: Same<A, B>): void => undefined
`

const ACCEPTED: Readonly<Record<string, string>> = {
  'a document with the input of its type': `await keelson.start(order, good, { requestId: 'r', runId: 'x' })`,
  'a compiled plan with the input of its type': `await keelson.start(compiled, { ...good, note: 'n' })`,
  'the output is typed by the plan': `
    const result = await (await keelson.start(compiled, good)).result()
    if (result.status === 'COMPLETED') {
      same<typeof result.output, { readonly id: string; readonly boxes: readonly number[] }>(true)
      result.output.id.toUpperCase()
    } else result.error?.code.toUpperCase()
    const { output } = await (await keelson.start(order, good)).result()
    output?.boxes.length`,
  'output() gives the output itself': `
    const { boxes } = await (await keelson.start(order, good)).output()
    same<typeof boxes, readonly number[]>(true)`,
  'the types can be named': `
    same<PlanInput<typeof order>, Order>(true)
    same<PlanInput<typeof compiled>, Order>(true)
    same<PlanOutput<typeof compiled>['id'], string>(true)`,
  'a plan from text is of unknown types and takes what it is given': `
    const plan = loadPlan('plan: a')
    same<typeof plan, CompiledPlan<unknown, unknown>>(true)
    await keelson.start(plan)
    await keelson.start(plan, { anything: 1 })
    const { output } = await (await keelson.start(plan, undefined, { correlationId: 'c' })).result()
    same<typeof output, unknown>(true)`,
  'a plan from text may be given its types': `
    const plan = loadPlan<{ readonly n: number }, { readonly twice: number }>('plan: a')
    const { twice } = await (await keelson.start(plan, { n: 1 })).output()
    twice.toFixed()`,
  'an input of which nothing is needed may be left out': `
    await keelson.start(loadPlan<{ readonly name?: string }, string>('plan: a'))`,
  'a typed plan is a plan': `const any: CompiledPlan = compiled; const handle: RunHandle = await keelson.start(any)`,
  'a run found again may be given its output type': `
    const { id } = await (await keelson.run<PlanOutput<typeof order>>('r')).output()
    id.toUpperCase()`,
  'an event told apart has the payload of its type': `
    for await (const event of (await keelson.start(order, good)).events())
      if (isEvent(event, 'StepFailed')) same<typeof event.payload.error.code, string>(true)`,
  'functions by their type alone': `
    const typed = definePlan({ plan: 'p', version: '1', steps: ofType<typeof steps>() }, ({ step }) => {
      const ping = step('a', { run: 'ping' })
      return { steps: [ping], output: ping.output }
    })
    same<PlanOutput<typeof typed>, string>(true)`,
  'a head written in the call, with steps of every kind among the functions': `
    const typed = definePlan({ plan: 'p', version: '1', input: ofType<Order>(), steps }, ({ input, run, context, step }) => {
      const asked = step<{ readonly status: number }>('ask', { http: { url: 'https://example.com' }, dependsOn: [] })
      const each = step.forEach<number, { readonly sku: string }>('each', input.items, (item) => ({ plan: { planId: 'child' }, with: { sku: item.sku } }))
      const pack = step.forEach('pack', input.items, (item, index) => ({ run: 'pack', with: { sku: item.sku, at: index } }))
      const nap = step('nap', { wait: { forMs: 5 }, if: context })
      return { steps: [asked, each, pack, nap], output: { status: asked.output.status, each: each.output, pack: pack.output, id: run.id } }
    })
    same<PlanOutput<typeof typed>, { readonly status: number; readonly each: readonly number[]; readonly pack: readonly number[]; readonly id: string }>(true)`,
  'functions one by one, in groups, and a whole module': `
    const one: StepFunction<{ readonly of: number }, number> = ({ of }, { signal }) => (signal.aborted ? 0 : of * 2)
    const later: StepFunction<{ readonly of: number }, number> = async ({ of }) => of * 2
    await openKeelson({ steps: { one, later, group: { one, deeper: { later } } } })`,
  'a step of which nothing is known': `
    definePlan({ plan: 'p', version: '1', input: ofType<Order>() }, ({ input, step }) => ({
      steps: [step('a', { run: 'anything', with: { whatever: input.items } }), step.forEach('b', input.items, (item) => ({ run: 'x', with: item }))],
      output: expression<number>('length(input.items)'),
    }))`,
}

const REFUSED: Readonly<Record<string, { readonly code: string; readonly says: RegExp }>> = {
  'an input that lacks a field': {
    code: `await keelson.start(order, { orderId: 'A-1' })`,
    says: /'items' is missing/,
  },
  'an input of another type, of a compiled plan too': {
    code: `await keelson.start(compiled, { orderId: 1, items: [] })`,
    says: /'number' is not assignable to type 'string'/,
  },
  'no input where one is needed': { code: `await keelson.start(order)`, says: /Expected 2-3 arguments, but got 1/ },
  'a field of the input that the plan does not know': {
    code: `await keelson.start(order, { orderId: 'A', items: [], itmes: [] })`,
    says: /'itmes' does not exist/,
  },
  'an event that there is none of': {
    code: `void isEvent((await (await keelson.run('r')).records())[0] ?? never(), 'StepFaild')`,
    says: /"StepFaild"' is not assignable/,
  },
  'a misspelt option': { code: `await keelson.start(order, good, { requestID: 'r' })`, says: /requestID/ },
  'an output that the plan does not have': {
    code: `void (await (await keelson.start(order, good)).output()).reservation`,
    says: /'reservation' does not exist/,
  },
  'the output of a run that may have failed': {
    code: `void (await (await keelson.start(order, good)).result()).output.id`,
    says: /possibly 'undefined'/,
  },
  'a text that was given types, with another input': {
    code: `await keelson.start(loadPlan<{ readonly n: number }, number>('plan: a'), { n: 'one' })`,
    says: /'string' is not assignable to type 'number'/,
  },
  'a function that is not there': {
    code: `definePlan(head, ({ step }) => ({ steps: [], output: step('x', { run: 'stock.resrve', with: { orderId: 'A' } }) }))`,
    says: /"stock\.resrve"' is not assignable/,
  },
  'an input that a function does not take': {
    code: `definePlan(head, ({ step }) => ({ steps: [], output: step('x', { run: 'stock.reserve', with: { orderId: 1 } }) }))`,
    says: /'number' is not assignable/,
  },
  'a reference of another type than the function takes': {
    code: `definePlan(head, ({ step }) => ({ steps: [], output: step('x', { run: 'stock.reserve', with: { orderId: expression<number>('input.n') } }) }))`,
    says: /is not assignable to type/,
  },
  'no input for a function that takes one': {
    code: `definePlan(head, ({ step }) => ({ steps: [], output: step('x', { run: 'pack' }) }))`,
    says: /'with' is missing/,
  },
  'a field of an output that its function does not give': {
    code: `definePlan(head, ({ step }) => ({ steps: [], output: step('x', { run: 'stock.reserve', with: { orderId: 'A' } }).output.reservation }))`,
    says: /'reservation' does not exist/,
  },
  'a step function that takes the wrong context': {
    code: `await openKeelson({ steps: { bad: (input: unknown, context: { readonly nothing: number }) => 1 } })`,
    says: /'nothing' is missing/,
  },
  'something among the functions that is none': { code: `await openKeelson({ steps: { bad: 7 } })`, says: /number/ },
  'an output that a typed function does not give': {
    code: `const f: StepFunction<{ readonly n: number }, number> = ({ n }) => String(n)`,
    says: /'string' is not assignable/,
  },
}

const path = (kind: string, index: number): string => `test/core/type-${kind}-${index}.ts`
const pieces = Object.fromEntries([
  ...Object.values(ACCEPTED).map((code, index) => [path('accepted', index), PRELUDE + code]),
  ...Object.values(REFUSED).map(({ code }, index) => [path('refused', index), PRELUDE + code]),
]) as Readonly<Record<string, string>>
const complaints = typeCheck(pieces)

describe('the compiler accepts', () => {
  it.each(Object.keys(ACCEPTED).map((title, index) => ({ title, index })))('$title', ({ index }) => {
    expect(complaints[path('accepted', index)] ?? []).toEqual([])
  })
})

describe('the compiler refuses', () => {
  it.each(Object.entries(REFUSED).map(([title, refused], index) => ({ title, index, ...refused })))(
    '$title',
    ({ index, code, says }) => {
      const told = complaints[path('refused', index)] ?? []
      expect(told).toHaveLength(1)
      expect(told[0]).toMatch(says)
      expect(told[0]).toContain(code.slice(0, 40))
    },
  )
})
