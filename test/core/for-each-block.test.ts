/** `forEach` with a limit of its own, and with a block of steps: a child run for each item that nobody has to write. */
import { describe, expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { RunKey, RunRow } from '../../src/ports/run-store.ts'
import { World, type Script } from '../fixtures/virtual-world.ts'

const rows = (world: World): readonly RunRow[] => world.disk.runs.map(({ row }) => row)
const inputsOf = (world: World, name: string): readonly unknown[] =>
  world.calls.filter((call) => call.name === name).map(({ input }) => input)

async function ended(plan: string, script: Script, input: object): Promise<{ world: World; run: RunKey }> {
  const world = new World()
  const run = await world.process('p', { script }).start(plan, { input })
  await world.runUntil(() => world.hasEnded(run), 86_400_000)
  return { world, run }
}

function outputOf(world: World, run: RunKey): unknown {
  return world.records(run).find(({ eventType }) => eventType === 'RunCompleted')?.data?.['output']
}

/** How many items were at work at once, at most. */
async function atOnce(forEach: string, policy = ''): Promise<number> {
  let now = 0
  let most = 0
  const script: Script = {
    f: async (_call, { after }) => {
      most = Math.max(most, (now += 1))
      await after(100)
      now -= 1
      return null
    },
  }
  const plan = `${policy}\nsteps: [{ id: a, forEach: ${forEach}, run: f }]`
  const { world, run } = await ended(plan, script, { list: [1, 2, 3, 4, 5, 6, 7] })
  expect(world.row(run).status).toBe('COMPLETED')
  expect(world.called('f')).toHaveLength(7)
  return most
}

describe('a forEach with `concurrency`', () => {
  it('has so many items at work at once, and never more', async () => {
    expect(await atOnce('{ in: input.list, concurrency: 2 }')).toBe(2)
    expect(await atOnce('{ in: input.list, concurrency: 1 }')).toBe(1)
    expect(await atOnce('{ in: input.list, concurrency: 100 }')).toBe(7)
    expect(await atOnce('input.list')).toBe(7)
  })

  it('stays within the limit of the run', async () => {
    expect(await atOnce('{ in: input.list, concurrency: 5 }', 'policy: { concurrency: 3 }')).toBe(3)
  })

  it('lets an item keep its place between its attempts, and other steps start beside it', async () => {
    const world = new World()
    const process = world.process('p', {
      script: { f: ({ context }) => (context.attempt === 1 ? Promise.reject(new Error('x')) : context.itemIndex) },
    })
    const run = await process.start(
      `policy: { concurrency: 5 }
steps:
  - { id: a, forEach: { in: input.list, concurrency: 1 }, run: f, retry: { initialBackoff: 1m }, dependsOn: [] }
  - { id: b, run: g, dependsOn: [] }`,
      { input: { list: [1, 2] } },
    )
    await world.runUntil(() => world.log(run, 'StepFailed').length === 1)
    expect(world.called('f')).toEqual(['a[0]#1/1'])
    expect(world.called('g')).toEqual(['b#1/1'])
    await world.runUntil(() => world.hasEnded(run), 86_400_000)
    expect(world.called('f')).toEqual(['a[0]#1/1', 'a[0]#2/1', 'a[1]#1/1', 'a[1]#2/1'])
    const plan = await process.advancer.plans.get('local', world.row(run).planSha256)
    expect(verifyDecisions(world.records(run), plan)).toMatchObject({ differences: [], notDerivable: [] })
  })

  it('holds for waits and tasks, too, which take no place of the run', async () => {
    const { world, run } = await ended(
      'steps: [{ id: a, forEach: { in: input.list, concurrency: 2 }, wait: { for: 1h } }]',
      {},
      { list: [1, 2, 3, 4, 5] },
    )
    const starts = world
      .records(run)
      .filter(({ eventType, payload }) => eventType === 'StepStarted' && payload?.['waitForMs'] !== undefined)
    const hours = starts.map(({ emittedAt }) =>
      Math.round((Date.parse(emittedAt) - Date.parse(starts[0]?.emittedAt ?? '')) / 3_600_000),
    )
    expect(hours).toEqual([0, 0, 1, 1, 2])
  })
})

const BLOCK = `plan: order
version: 1.0.0
context: { seen: 0 }
steps:
  - { id: reserve, run: reserve }
  - id: ship
    forEach:
      in: input.orders
      concurrency: 2
      steps:
        - { id: pick, run: pick, with: { sku: '\${item.sku}', at: '\${index}', who: '\${input.who}', by: '\${steps.reserve.output.id}' } }
        - { id: send, run: send, if: item.qty > 1, with: { parcel: '\${steps.pick.output}' } }
      output: { tracking: '\${steps.send.output}', sku: '\${item.sku}' }
output: '\${steps.ship.output}'
`
const SCRIPT: Script = {
  reserve: () => ({ id: 'r-1' }),
  pick: ({ input }) => `p-${(input as { sku: string }).sku}`,
  send: ({ input }) => `t-${(input as { parcel: string }).parcel}`,
}
const ORDERS = {
  who: 'ana',
  orders: [
    { sku: 'a', qty: 2 },
    { sku: 'b', qty: 1 },
    { sku: 'c', qty: 3 },
  ],
}

const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { name: 'ConflictError' }))

describe('a block of steps under forEach', () => {
  it('runs for each item, with item, index, input and earlier steps, and its output is the list', async () => {
    const { world, run } = await ended(BLOCK, SCRIPT, ORDERS)
    expect(inputsOf(world, 'pick')).toEqual([
      { sku: 'a', at: 0, who: 'ana', by: 'r-1' },
      { sku: 'b', at: 1, who: 'ana', by: 'r-1' },
      { sku: 'c', at: 2, who: 'ana', by: 'r-1' },
    ])
    expect(inputsOf(world, 'send')).toEqual([{ parcel: 'p-a' }, { parcel: 'p-c' }])
    expect(outputOf(world, run)).toEqual([
      { tracking: 't-p-a', sku: 'a' },
      { tracking: null, sku: 'b' },
      { tracking: 't-p-c', sku: 'c' },
    ])
    const children = rows(world).filter(({ parent }) => parent !== undefined)
    expect(children.map(({ planId, planVersion, parent }) => [planId, planVersion, parent?.slot])).toEqual([
      ['order.ship', '1.0.0', 'ship[0]'],
      ['order.ship', '1.0.0', 'ship[1]'],
      ['order.ship', '1.0.0', 'ship[2]'],
    ])
  })

  it('is decided again from its log, its conditions and output too', async () => {
    const world = new World()
    const process = world.process('p', { script: SCRIPT })
    const run = await process.start(BLOCK, { input: ORDERS })
    await world.runUntil(() => world.hasEnded(run), 86_400_000)
    for (const { row } of world.disk.runs) {
      const plan = await process.advancer.plans.get('local', row.planSha256)
      const report = verifyDecisions(world.records(row.runKey), plan)
      expect(report).toMatchObject({ differences: [], notDerivable: [] })
    }
  })

  it('is taken up by another process that never saw the text', async () => {
    const world = new World()
    const first = world.process('p', { script: { ...SCRIPT, pick: 'hold' } })
    const run = await first.start(BLOCK, { input: ORDERS })
    await world.runUntil(() => world.called('pick').length === 2)
    first.kill()
    world.process('q', { script: SCRIPT, adoptOthers: true })
    await world.runUntil(() => world.hasEnded(run), 86_400_000)
    expect(outputOf(world, run)).toEqual([
      { tracking: 't-p-a', sku: 'a' },
      { tracking: null, sku: 'b' },
      { tracking: 't-p-c', sku: 'c' },
    ])
  })

  it('is published with its plan, and started by name', async () => {
    const world = new World()
    const process = world.process('p', { script: SCRIPT })
    const { sha256, blocks = [] } = await process.publish(BLOCK)
    expect(blocks.map(({ plan }) => plan.metadata.planId)).toEqual(['order.ship'])
    expect(await process.store.findPlan('local', 'order.ship')).toBe(blocks[0]?.sha256)
    const { plan } = await process.advancer.plans.get('local', sha256)
    const run = await process.start(BLOCK, { plan: { plan, sha256 }, input: ORDERS })
    await world.runUntil(() => world.hasEnded(run), 86_400_000)
    expect(world.row(run).status).toBe('COMPLETED')
  })

  it('undoes what it did when its own run fails, and when the whole fails later', async () => {
    const plan = `steps:
  - id: ship
    forEach:
      in: input.list
      steps:
        - { id: book, run: book, with: { n: '\${item}' }, compensate: { run: undo } }
        - { id: look, run: look, with: { n: '\${item}' } }
  - { id: bad, run: bad }`
    const script: Script = {
      book: ({ input }) => `b-${(input as { n: number }).n}`,
      bad: refuse,
    }
    const later = await ended(plan, script, { list: [1, 2] })
    expect(later.world.row(later.run).status).toBe('FAILED')
    expect(inputsOf(later.world, 'undo')).toEqual([
      { input: { n: 2 }, output: 'b-2' },
      { input: { n: 1 }, output: 'b-1' },
    ])
    const within = await ended(plan, { ...script, look: refuse }, { list: [1] })
    expect(inputsOf(within.world, 'undo')).toEqual([{ input: { n: 1 }, output: 'b-1' }])
  })

  it('holds blocks and lists of its own: an inner item hides the outer one, the rest goes through', async () => {
    const plan = `plan: nested
version: "1"
steps:
  - { id: rate, run: rate }
  - id: outer
    forEach:
      in: input.groups
      steps:
        - { id: name, run: name, with: { of: '\${item.name}' } }
        - id: inner
          forEach:
            in: item.members
            steps:
              - { id: greet, run: greet, with: { who: '\${item}', of: '\${steps.name.output}', rate: '\${steps.rate.output}', to: '\${input.to}', n: '\${index}' } }
            output: '\${steps.greet.output}'
        - { id: each, forEach: item.members, run: each, with: { who: '\${item}' } }
      output: '\${steps.inner.output}'
output: '\${steps.outer.output}'`
    const script: Script = {
      rate: () => 7,
      name: ({ input }) => (input as { of: string }).of.toUpperCase(),
      greet: ({ input }) => (input as { who: string }).who,
    }
    const groups = [
      { name: 'x', members: ['a', 'b'] },
      { name: 'y', members: ['c'] },
    ]
    const { world, run } = await ended(plan, script, { groups, to: 'all' })
    expect(outputOf(world, run)).toEqual([['a', 'b'], ['c']])
    expect(inputsOf(world, 'greet')).toEqual(
      expect.arrayContaining([
        { who: 'a', of: 'X', rate: 7, to: 'all', n: 0 },
        { who: 'b', of: 'X', rate: 7, to: 'all', n: 1 },
        { who: 'c', of: 'Y', rate: 7, to: 'all', n: 0 },
      ]),
    )
    expect(inputsOf(world, 'each')).toEqual(expect.arrayContaining([{ who: 'a' }, { who: 'b' }, { who: 'c' }]))
    expect(new Set(rows(world).map(({ planId }) => planId))).toEqual(
      new Set(['nested', 'nested.outer', 'nested.outer.inner']),
    )
  })
})
