/** Cases about events from outside (P-54): a run that waits for one is woken by it, whenever it comes. */
import assert from 'node:assert/strict'
import { endsAs, eventsOf, inOrder, type EngineCase, type EngineRun, type EngineWorld } from './engine-suite.ts'

const PAID = (plan: string, rest = ''): string => `
plan: ${plan}
version: 1.0.0
steps: [{ id: a, run: held }, { id: w, wait: { forEvent: ${plan}.paid, key: '\${input.id}'${rest} } }, { id: b, run: echo }]
output: '\${steps.w.output}'
`

async function begun(world: EngineWorld, { runId }: EngineRun): Promise<void> {
  await world.stage.atWork(runId, 'a')
  world.stage.release(runId)
}

export const ENGINE_EVENT_CASES: readonly EngineCase[] = [
  {
    title: 'an event that comes while a step waits for it ends the wait, and its data is the output [P-54]',
    run: async (world) => {
      const run = await world.start(PAID('during'), { id: 'A-17' })
      await begun(world, run)
      await world.logged(run, 'StepStarted w#1')
      await world.send({ name: 'during.paid', key: 'A-18', data: 'of another' })
      await world.send({ name: 'during.paid', key: 'A-17', data: { amount: 5 } })
      assert.deepEqual((await endsAs(run, 'COMPLETED')).output, { amount: 5 })
      inOrder(await eventsOf(run), 'StepStarted w#1', 'StepCompleted w#1', 'RunCompleted')
    },
  },
  {
    title: 'an event that came before its step is kept for it, and for that of another run [P-54]',
    run: async (world) => {
      const run = await world.start(PAID('before'), { id: 'A-17' })
      await world.stage.atWork(run.runId, 'a')
      await world.send({ name: 'before.paid', key: 'A-17', data: 1, id: 'once' })
      await world.send({ name: 'before.paid', key: 'A-17', data: 1, id: 'once' })
      world.stage.release(run.runId)
      assert.equal((await endsAs(run, 'COMPLETED')).output, 1)
      const other = await world.start(PAID('before'), { id: 'A-17' })
      await begun(world, other)
      assert.equal((await endsAs(other, 'COMPLETED')).output, 1)
    },
  },
  {
    title: 'an event that does not come in time fails its step with EVENT_TIMEOUT, without a retry [P-54]',
    run: async (world) => {
      const run = await world.start(PAID('never-paid', ', timeoutMs: 300'), { id: 'A-17' })
      await begun(world, run)
      const { error } = await endsAs(run, 'FAILED')
      assert.deepEqual([error?.code, error?.slot], ['EVENT_TIMEOUT', 'w'])
      assert.equal((await eventsOf(run)).filter((one) => one.startsWith('StepStarted w')).length, 1)
    },
  },
  {
    title: 'a run that waits for an event is cancelled at once, and an event after that changes nothing [P-54]',
    run: async (world) => {
      const run = await world.start(PAID('stopped-unpaid'), { id: 'A-17' })
      await begun(world, run)
      await world.logged(run, 'StepStarted w#1')
      await run.signal('CANCEL')
      await endsAs(run, 'CANCELLED')
      const before = await eventsOf(run)
      await world.send({ name: 'stopped-unpaid.paid', key: 'A-17' })
      assert.deepEqual(await eventsOf(run), before)
    },
  },
]
