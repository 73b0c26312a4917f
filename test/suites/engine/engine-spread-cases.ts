/** Lists, children and joins: what every engine makes of a step that becomes many. */
import assert from 'node:assert/strict'
import { endsAs, eventsOf, inOrder, type EngineCase } from './engine-suite.ts'

export const SPREADING: readonly EngineCase[] = [
  {
    title: 'a fan-out runs its step once for each item and gives the list of what they gave',
    run: async (world) => {
      const run = await world.start(
        `
plan: fan-out
version: 1.0.0
steps: [{ id: each, run: echo, forEach: input.list, with: { item: '\${item}', at: '\${index}' } }]
output: '\${steps.each.output}'
`,
        { list: ['x', 'y', 'z'] },
      )
      const { output } = await endsAs(run, 'COMPLETED')
      assert.deepEqual(output, [
        { item: 'x', at: 0 },
        { item: 'y', at: 1 },
        { item: 'z', at: 2 },
      ])
      assert.deepEqual(world.stage.calls(run.runId).toSorted(), ['each[0]#1', 'each[1]#1', 'each[2]#1'])
    },
  },
  {
    title: 'a fan-out of hundreds under a small concurrency runs each item once',
    run: async (world) => {
      const list = Array.from({ length: 300 }, (_, n) => n)
      const run = await world.start(
        `
plan: wide
version: 1.0.0
policy: { concurrency: 25 }
steps: [{ id: each, run: echo, forEach: input.list, with: { n: '\${item}' } }]
`,
        { list },
      )
      await endsAs(run, 'COMPLETED')
      assert.equal(new Set(world.stage.calls(run.runId)).size, 300)
      assert.equal(world.stage.calls(run.runId).length, 300)
    },
  },
  {
    title: 'a plan step runs another plan on the same engine and takes its output',
    run: async (world) => {
      await world.publish(`
plan: packing
version: 1.0.0
steps: [{ id: pack, run: echo, with: { sku: '\${input.sku}' } }]
output: { packed: '\${steps.pack.output.sku}' }
`)
      const run = await world.start(`
plan: ordering
version: 1.0.0
steps: [{ id: ship, plan: { planId: packing }, with: { sku: pen } }]
output: '\${steps.ship.output}'
`)
      const { output } = await endsAs(run, 'COMPLETED')
      assert.deepEqual(output, { packed: 'pen' })
      const child = await world.childOf(run)
      const engineOf = (records: Awaited<ReturnType<typeof run.records>>): unknown =>
        records.find(({ eventType }) => eventType === 'RunStarted')?.payload?.['engineType']
      assert.equal(engineOf(await child.records()), engineOf(await run.records()))
    },
  },
  {
    title: 'a wait is over by itself, and what comes after it runs',
    run: async (world) => {
      const run = await world.start(`
plan: waiting
version: 1.0.0
steps: [{ id: w, wait: { forMs: 300 } }, { id: b, run: echo }]
`)
      await endsAs(run, 'COMPLETED')
      const records = await run.records()
      const at = (type: string, stepId: string): number =>
        Date.parse(records.find((one) => one.eventType === type && one.stepId === stepId)?.emittedAt ?? '')
      assert.ok(at('StepCompleted', 'w') - at('StepStarted', 'w') >= 300)
      inOrder(await eventsOf(run), 'StepCompleted w#1', 'StepStarted b#1')
    },
  },
  {
    title: 'of what there is one only one step has it at a time, over all runs',
    run: async (world) => {
      const yaml = `
plan: pressed
version: 1.0.0
steps: [{ id: a, run: held, resources: { press: 1 } }]
`
      const first = await world.start(yaml)
      await world.stage.atWork(first.runId, 'a')
      const second = await world.start(yaml)
      await world.logged(second, 'RunStarted')
      assert.deepEqual(world.stage.calls(second.runId), [])
      world.stage.release(first.runId)
      await endsAs(first, 'COMPLETED')
      await world.stage.atWork(second.runId, 'a')
      world.stage.release(second.runId)
      await endsAs(second, 'COMPLETED')
    },
  },
]
