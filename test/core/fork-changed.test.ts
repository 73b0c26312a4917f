/** A fork with another plan or another input takes over only answers to the questions that it asks itself. */
import { describe, expect, it } from 'vitest'
import { previewFork, type ForkRequest } from '../../src/app/start/fork-run.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { fork, ran, type Ran } from '../fixtures/forked-run.ts'
import { planOf } from '../fixtures/virtual-world.ts'

const V1 = `plan: order
version: 1.0.0
context: { rate: 1 }
steps:
  - { id: price, run: price, dependsOn: [], with: { amount: '\${input.amount}' } }
  - { id: greet, run: greet, dependsOn: [], with: { name: '\${input.name}' } }
  - { id: rate, run: rate, dependsOn: [], with: { rate: '\${context.rate}' } }
  - { id: ship, run: ship, dependsOn: [price], retry: { maxAttempts: 1 } }`

const INPUT = { amount: 5, name: 'Ana' }

async function taken(here: Ran, more: Partial<ForkRequest> = {}) {
  const { services, advancer } = here.process
  const preview = await previewFork(services, advancer, { row: here.world.row(here.run), ...more })
  return { ...preview, taken: preview.taken.toSorted(), again: Object.fromEntries(preview.again) }
}

const after = (stepId: string) => ({ kind: 'after', stepId })
const edited = (from: string, to: string) => {
  expect(V1).toContain(from)
  return planOf(V1.replace('1.0.0', '2.0.0').replace(from, to))
}

describe('a fork with another input', () => {
  it('does again what reads a field that differs, and what follows it; the rest it keeps', async () => {
    const here = await ran(V1, {}, { input: INPUT })
    const preview = await taken(here, { input: { ...INPUT, amount: 6 } })
    expect(preview).toMatchObject({
      taken: ['greet', 'rate'],
      again: { price: { kind: 'reads', fields: ['input.amount'] }, ship: after('price') },
      input: ['amount'],
    })
    const next = await fork(here.process, here.run, { input: { ...INPUT, amount: 6 } })
    expect(here.world.calls.slice(4).map(({ context, input }) => [context.stepId, input])).toEqual([
      ['price', { amount: 6 }],
      ['ship', {}],
    ])
    expect(here.world.log(here.run, 'RunForked')).toHaveLength(1)
    expect(here.world.records(here.run).at(-1)?.payload).toMatchObject({ otherInput: true })
    const { plan, sha256 } = planOf(V1)
    const report = verifyDecisions(here.world.records(next), { plan, graph: compileGraph(plan), sha256 })
    expect(report).toMatchObject({ differences: [], notDerivable: [] })
  })

  it('that is the same as before takes over everything', async () => {
    const here = await ran(V1, {}, { input: INPUT })
    const preview = await taken(here, { input: { name: 'Ana', amount: 5 } })
    expect(preview.again).toEqual({})
    expect(preview.input).toBeUndefined()
  })

  it('that the plan does not allow is refused before anything is started', async () => {
    const here = await ran(
      `inputs: { type: object, required: [amount] }\nsteps: [{ id: a, run: a }]`,
      {},
      { input: INPUT },
    )
    await expect(fork(here.process, here.run, { input: { name: 'x' } })).rejects.toMatchObject({
      code: 'RUN_INPUT_INVALID',
    })
  })
})

describe('a fork onto another version of the plan', () => {
  it.each([
    ['the function', 'run: price', 'run: pricing', 'run'],
    [
      'the mapping',
      `with: { amount: '\${input.amount}' }`,
      `with: { amount: '\${input.amount}', vat: 19 }`,
      'with.vat',
    ],
    ['a condition', 'id: price, run: price,', 'id: price, run: price, if: input.amount,', 'if'],
    [
      'the schema of its output',
      'id: price, run: price,',
      'id: price, run: price, outputSchema: true,',
      'outputSchema',
    ],
    [
      'what it captures',
      'id: price, run: price,',
      'id: price, run: price, capture: [{ destination: total }],',
      'capture',
    ],
  ])('does a step again of which it changes %s', async (_what, from, to, field) => {
    const here = await ran(V1, {}, { input: INPUT })
    const preview = await taken(here, { plan: edited(from, to) })
    expect(preview).toMatchObject({
      taken: ['greet', 'rate'],
      again: { price: { kind: 'changed', fields: [field] }, ship: after('price') },
    })
  })

  it('keeps a step of which only the retries, the time, the title or the compensation are others', async () => {
    const here = await ran(V1, {}, { input: INPUT })
    const to = 'id: price, run: price, retry: { maxAttempts: 9 }, timeoutMs: 5, name: Price, compensate: { run: undo },'
    expect((await taken(here, { plan: edited('id: price, run: price,', to) })).again).toEqual({})
  })

  it('does again what reads a variable that begins otherwise, a version that is another, or a default that is new', async () => {
    const here = await ran(V1, {}, { input: INPUT })
    const rate = await taken(here, { plan: edited('rate: 1', 'rate: 2') })
    expect(rate.again).toMatchObject({ rate: { kind: 'reads', fields: ['context.rate'] } })
    // A function may ask for variables by itself.
    expect(rate.taken).toEqual([])
    const versioned = `plan: v\nversion: 1.0.0\nsteps: [{ id: a, run: a, with: { v: '\${run.planVersion}' } }, { id: b, run: b, with: { c: "\${input.currency || 'USD'}" } }]`
    const other = await ran(versioned, {})
    const plan = planOf(
      versioned
        .replace('1.0.0', '2.0.0')
        .replace(
          'steps:',
          'inputs: { type: object, properties: { currency: { type: string, default: EUR } } }\nsteps:',
        ),
    )
    expect((await taken(other, { plan })).again).toEqual({
      a: { kind: 'reads', fields: ['run.planVersion'] },
      b: { kind: 'reads', fields: ['input.currency'] },
    })
  })

  it('tells new steps, steps that are gone with what they did, and what changed', async () => {
    const here = await ran(V1, {}, { input: INPUT })
    const plan = edited(`  - { id: greet, run: greet,`, `  - { id: hello, run: greet,`)
    const preview = await taken(here, { plan })
    expect(preview).toMatchObject({
      taken: ['price', 'rate', 'ship'],
      again: { hello: { kind: 'new' } },
      dropped: ['greet'],
      plan: { added: ['hello'], removed: ['greet'], changed: [] },
    })
    await fork(here.process, here.run, { plan })
    expect(here.world.records(here.run).at(-1)?.payload).toMatchObject({
      planVersion: '2.0.0',
      planSha256: plan.sha256,
    })
  })

  it('of another id is refused', async () => {
    const here = await ran(V1, {}, { input: INPUT })
    await expect(
      fork(here.process, here.run, { plan: planOf(V1.replace('plan: order', 'plan: other')) }),
    ).rejects.toMatchObject({ code: 'FORK_OTHER_PLAN' })
  })

  it('keeps a block of steps whose text is the same, and does it again when a step inside is another', async () => {
    const block = (version: string, run: string) => `plan: blocks
version: ${version}
steps:
  - id: pack
    forEach: { in: input.items, steps: [{ id: wrap, run: ${run}, with: { of: '\${input.box}' } }] }`
    const here = await ran(block('1.0.0', 'wrap'), {}, { input: { items: [1, 2], box: 'red', note: 'x' } })
    expect((await taken(here, { plan: planOf(block('2.0.0', 'wrap')) })).taken).toEqual(['pack'])
    const changed = await taken(here, { plan: planOf(block('2.0.0', 'wrapTwice')) })
    expect(changed.again).toEqual({ pack: { kind: 'changed', fields: ['forEach.steps.wrap.run'] } })
    const plan = planOf(block('1.0.0', 'wrap'))
    const reads = await taken(here, { plan, input: { items: [1, 2], box: 'blue', note: 'x' } })
    expect(reads.again).toEqual({ pack: { kind: 'reads', fields: ['input.box'] } })
    expect((await taken(here, { plan, input: { items: [1, 2], box: 'red', note: 'y' } })).taken).toEqual(['pack'])
  })

  it('does a child plan again that its name leads to another one now', async () => {
    const parent = (version: string) => `plan: parent\nversion: ${version}\nsteps: [{ id: kid, plan: { planId: kid } }]`
    const kid = (run: string) => `plan: kid\nversion: 1.0.0\nsteps: [{ id: a, run: ${run} }]`
    const first = await ran('steps: [{ id: a, run: a }]', {})
    await first.process.publish(kid('a'))
    const run = await first.process.start(parent('1.0.0'))
    await first.world.runUntil(() => first.world.hasEnded(run))
    const here = { ...first, run }
    expect((await taken(here, { plan: planOf(parent('2.0.0')) })).taken).toEqual(['kid'])
    await first.process.publish(kid('b'))
    expect((await taken(here, { plan: planOf(parent('2.0.0')) })).again).toEqual({
      kid: { kind: 'changed', fields: ['plan'] },
    })
  })
})
