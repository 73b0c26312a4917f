/** A fork takes captured variables over with the results that wrote them: its context is the fold of its own log. */
import { describe, expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { fork, ran } from '../fixtures/forked-run.ts'
import { planOf, type Process, type Script, type World } from '../fixtures/virtual-world.ts'

async function variables(process: Process, run: RunKey): Promise<Record<string, unknown>> {
  const rows = await process.store.readContext(run, Number.MAX_SAFE_INTEGER)
  return Object.fromEntries(
    [...rows].map(([name, text]) => [name, text.startsWith('blob:') ? 'blob' : JSON.parse(text)]),
  )
}

function completed(world: World, run: RunKey, stepId: string) {
  return world.records(run).find((one) => one.eventType === 'StepCompleted' && one.stepId === stepId)
}

const CHAIN = `context: { list: [0] }
steps:
  - { id: a, run: f, capture: [{ destination: v.a }, { destination: list, merge: append }] }
  - { id: b, run: f, capture: [{ destination: v.b }, { destination: list, merge: append }] }
  - { id: c, run: g, with: { v: '\${context.v}', list: '\${context.list}' } }`

const byStep: Script = { f: ({ context }) => context.stepId }

describe('captured variables', () => {
  it('of taken-over steps are read by the steps of the fork, and by the fork of a fork [P-16, P-31, DFL-03]', async () => {
    const { world, process, run } = await ran(CHAIN, byStep)
    const next = await fork(process, run, { from: 'c' })
    expect(world.called()).toEqual(['a#1/1', 'b#1/1', 'c#1/1', 'c#1/1'])
    expect(world.calls[3]?.input).toEqual({ v: { a: 'a', b: 'b' }, list: [0, 'a', 'b'] })
    expect(completed(world, next, 'b')).toMatchObject({
      payload: {
        reusedFrom: {},
        captures: [
          { path: 'v.b', mode: 'replace' },
          { path: 'list', mode: 'append' },
        ],
      },
      data: { result: 'b', captureValues: ['b', 'b'] },
    })
    const third = await fork(process, next, { from: 'b' })
    expect(world.calls.at(-1)?.input).toEqual({ v: { a: 'a', b: 'b' }, list: [0, 'a', 'b'] })
    expect(await variables(process, third)).toEqual({ v: { a: 'a', b: 'b' }, list: [0, 'a', 'b'] })
  })

  it('are those of the taken-over results only, as of each event of the fork [P-16, P-31]', async () => {
    const { world, process, run } = await ran(CHAIN, byStep)
    const next = await fork(process, run, { from: 'b' })
    const taken = completed(world, next, 'a')?.runSeq ?? 0
    expect(Object.fromEntries(await process.store.readContext(next, taken - 1))).toEqual({})
    expect(Object.fromEntries(await process.store.readContext(next, taken))).toEqual({
      v: '{"a":"a"}',
      list: '[0,"a"]',
    })
    expect(await variables(process, next)).toEqual({ v: { a: 'a', b: 'b' }, list: [0, 'a', 'b'] })
  })

  it('start from the variables of the plan forked onto; a step that plan lacks brings none [P-16, P-31]', async () => {
    const { world, process, run } = await ran(CHAIN, byStep)
    const plan = planOf(`plan: story
version: 2.0.0
context: { list: [9] }
steps:
  - { id: b, run: f, capture: [{ destination: v.b }, { destination: list, merge: append }] }
  - { id: c, run: g, with: { v: '\${context.v}', list: '\${context.list}' } }`)
    await fork(process, run, { from: 'c', plan })
    expect(world.calls.at(-1)?.input).toEqual({ v: { b: 'b' }, list: [9, 'b'] })
  })

  it('that do not fit the variables of the plan forked onto refuse the fork [P-16, P-31]', async () => {
    const { process, run } = await ran(CHAIN, byStep)
    const plan = planOf(`plan: story\nversion: 2.0.0\n${CHAIN.replace('list: [0]', 'list: [0], v: text')}`)
    await expect(fork(process, run, { from: 'c', plan })).rejects.toMatchObject({ code: 'OUTPUT_INVALID' })
  })

  it('that a function may have read from another beginning are not taken over: it runs again [P-16, P-31]', async () => {
    const { world, process, run } = await ran(CHAIN, byStep)
    const plan = planOf(`plan: story\nversion: 2.0.0\n${CHAIN.replace('list: [0]', 'list: [7]')}`)
    await fork(process, run, { from: 'c', plan })
    expect(world.called().slice(3)).toEqual(['a#1/1', 'b#1/1', 'c#1/1'])
    expect(world.calls.at(-1)?.input).toEqual({ v: { a: 'a', b: 'b' }, list: [7, 'a', 'b'] })
  })

  it('too large for an event go along as values of the new run [P-05, P-16, P-31]', async () => {
    const plan = `steps:
  - { id: a, run: f, capture: [{ destination: v.text }] }
  - { id: b, run: g, with: { n: '\${length(context.v.text)}' } }`
    const { world, process, run } = await ran(plan, { f: () => 'x'.repeat(20_000) })
    const next = await fork(process, run, { from: 'b' })
    await process.store.eraseData(run, world.row(run).nextSeq - 1)
    expect(world.calls.at(-1)?.input).toEqual({ n: 20_000 })
    expect(await variables(process, next)).toEqual({ v: 'blob' })
    const again = await fork(process, next, { from: 'b' })
    expect(world.calls.at(-1)?.input).toEqual({ n: 20_000 })
    expect(completed(world, again, 'a')?.payload).toMatchObject({ captures: [{ ref: { sizeBytes: 20_002 } }] })
  })

  it('of the items of a fan-out go along with the step, in the order they were written [P-16, P-31, P-47]', async () => {
    const plan = `context: { items: [1, 2, 3], list: [] }
steps:
  - { id: a, forEach: context.items, run: f, with: { at: '\${item}' }, capture: [{ destination: list, merge: append }, { destination: o.last }] }
  - { id: b, run: g, with: { list: '\${context.list}', o: '\${context.o}' } }`
    const script: Script = {
      f: async ({ input }, { after }) => {
        const { at } = input as { at: number }
        await after(1000 - 100 * at)
        return at
      },
    }
    const { world, process, run } = await ran(plan, script)
    expect(world.calls.at(-1)?.input).toEqual({ list: [3, 2, 1], o: { last: 1 } })
    const next = await fork(process, run, { from: 'b' })
    expect(world.called('f')).toHaveLength(3)
    expect(world.calls.at(-1)?.input).toEqual({ list: [3, 2, 1], o: { last: 1 } })
    const again = await fork(process, next, { from: 'b' })
    expect(await variables(process, again)).toEqual({ list: [3, 2, 1], o: { last: 1 } })
  })

  it('of a fork follow from its log alone [P-01, P-16]', async () => {
    const { world, process, run } = await ran(CHAIN, byStep)
    const next = await fork(process, run, { from: 'c' })
    const loaded = await process.advancer.plans.get('local', world.row(next).planSha256)
    expect(verifyDecisions(world.records(next), loaded)).toMatchObject({ differences: [], notDerivable: [] })
  })
})
