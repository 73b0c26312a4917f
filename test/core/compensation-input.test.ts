/** A compensation without `with` gets what its step was given and what came of it: of its own item, attempt and fallback. */
import { describe, expect, it } from 'vitest'
import { World, type Script } from '../fixtures/virtual-world.ts'

const boom: Script = {
  boom: () => Promise.reject(Object.assign(new Error('no'), { name: 'ConflictError' })),
}

/** What `undo` was given, in order of its calls. */
async function undone(plan: string, script: Script = {}, input: object = {}): Promise<readonly unknown[]> {
  const world = new World()
  const run = await world.process('p', { script: { ...boom, ...script } }).start(plan, { input })
  await world.runUntil(() => world.hasEnded(run), 86_400_000)
  expect(world.row(run).status).toBe('FAILED')
  return world.calls.filter(({ name }) => name === 'undo').map((call) => call.input)
}

describe('a compensation without `with`', () => {
  it('gets the input and the output of its step, with their types [CMP-08]', async () => {
    const plan = `steps:
  - { id: charge, run: charge, with: { order: "\${input.order}", cents: 1200 }, compensate: { run: undo } }
  - { id: bad, run: boom }`
    expect(await undone(plan, { charge: () => ({ chargeId: 'c-1' }) }, { order: 'A-17' })).toEqual([
      { input: { order: 'A-17', cents: 1200 }, output: { chargeId: 'c-1' } },
    ])
  })

  it('gets those of its own item, newest first, and no others', async () => {
    const plan = `steps:
  - { id: pack, forEach: input.list, run: pack, with: { sku: "\${item}", at: "\${index}" }, compensate: { run: undo } }
  - { id: bad, run: boom }`
    const pack: Script = { pack: ({ input }) => ({ parcel: `p-${(input as { sku: string }).sku}` }) }
    expect(await undone(plan, pack, { list: ['a', 'b'] })).toEqual([
      { input: { sku: 'b', at: 1 }, output: { parcel: 'p-b' } },
      { input: { sku: 'a', at: 0 }, output: { parcel: 'p-a' } },
    ])
  })

  it('of an item that was done while another failed gets its own output, too', async () => {
    const plan = `policy: { concurrency: 1, retry: { maxAttempts: 1 } }
steps: [{ id: pack, forEach: input.list, run: pack, with: { n: "\${item}" }, compensate: { run: undo } }]`
    const pack: Script = {
      pack: ({ input }) => {
        const { n } = input as { n: number }
        return n === 2 ? Promise.reject(new Error('full')) : { n }
      },
    }
    expect(await undone(plan, pack, { list: [1, 2, 3] })).toEqual([{ input: { n: 1 }, output: { n: 1 } }])
  })

  it('gets what its step was given then, though the context and the input were changed since', async () => {
    const plan = `context: { seat: none }
steps:
  - { id: hold, run: hold, with: { seat: "\${context.seat}", n: "\${input.n}" }, compensate: { run: undo } }
  - { id: move, run: move, capture: [{ destination: seat }] }
  - { id: pause, wait: { for: 1h } }
  - { id: bad, run: boom }`
    const world = new World()
    const process = world.process('p', { script: { ...boom, hold: () => 'held', move: () => '12A' } })
    const run = await process.start(plan, { input: { n: 1 } })
    await world.runUntil(() => world.log(run, 'StepStarted').length === 3)
    await process.signal(run, 'UPDATE_PARAMS', { params: { n: 2 }, reason: 'a mistake' })
    await world.runUntil(() => world.hasEnded(run), 86_400_000)
    expect(world.calls.filter(({ name }) => name === 'undo').map(({ input }) => input)).toEqual([
      { input: { seat: 'none', n: 1 }, output: 'held' },
    ])
  })

  it('gets what an override gave the attempt that is undone', async () => {
    const plan = `steps:
  - { id: a, run: flaky, with: { n: 1, m: 1 }, retry: { initialBackoffMs: 60000 }, compensate: { run: undo } }
  - { id: bad, run: boom }`
    const world = new World()
    const flaky: Script = { flaky: ({ context }) => (context.attempt === 1 ? Promise.reject(new Error('x')) : 'ok') }
    const process = world.process('p', { script: { ...boom, ...flaky } })
    const run = await process.start(plan)
    await world.runUntil(() => world.log(run, 'StepFailed').length === 1)
    await process.signal(run, 'INJECT_OVERRIDE', { stepId: 'a', override: { n: 2 }, reason: 'a mistake' })
    await world.runUntil(() => world.hasEnded(run), 86_400_000)
    expect(world.calls.filter(({ name }) => name === 'undo').map(({ input }) => input)).toEqual([
      { input: { n: 2, m: 1 }, output: 'ok' },
    ])
  })

  it('of a step that its fallback saved gets the input and the output of the fallback', async () => {
    const plan = `steps:
  - id: pay
    run: boom
    with: { by: card }
    fallback: { run: later, with: { by: invoice } }
    fallbackOn: [exhausted, permanent]
    compensate: { run: undo }
  - { id: bad, run: boom }`
    expect(await undone(plan, { later: () => 'i-9' })).toEqual([{ input: { by: 'invoice' }, output: 'i-9' }])
  })

  it('gets them also when a child run is undone by a run of its own', async () => {
    const world = new World()
    const process = world.process('p', { script: { ...boom, hold: () => 'held 7' } })
    await process.publish(`plan: child
version: 1.0.0
context: { seat: none }
steps:
  - { id: seat, run: seat, capture: [{ destination: seat, transform: '\`"12A"\`' }] }
  - { id: hold, run: hold, with: { n: "\${input.n}", seat: "\${context.seat}", before: "\${steps.seat.output}" }, compensate: { run: undo } }`)
    const run = await process.start(`steps:
  - { id: call, plan: { planId: child }, with: { n: 7 }, effect: compensatable }
  - { id: bad, run: boom }`)
    await world.runUntil(() => world.hasEnded(run), 86_400_000)
    expect(world.calls.filter(({ name }) => name === 'undo').map(({ input }) => input)).toEqual([
      { input: { n: 7, seat: '12A', before: null }, output: 'held 7' },
    ])
  })
})

describe('`step` in a compensation', () => {
  it('is what a written `with` may read, next to all else', async () => {
    const plan = `steps:
  - { id: charge, run: charge, with: { cents: 5 }, compensate: { run: undo, with: { id: "\${step.output.id}", was: "\${step.input.cents}", of: "\${steps.charge.output.id}" } } }
  - { id: bad, run: boom }`
    expect(await undone(plan, { charge: () => ({ id: 'c-1' }) })).toEqual([{ id: 'c-1', was: 5, of: 'c-1' }])
  })

  it('with an empty `with` stays without input: plans that were compiled before mean what they meant', async () => {
    const plan = `steps:
  - { id: charge, run: charge, with: { cents: 5 }, compensate: { run: undo, with: {} } }
  - { id: bad, run: boom }`
    expect(await undone(plan)).toEqual([{}])
  })
})
