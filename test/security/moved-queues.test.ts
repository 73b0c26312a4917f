/** A run that may be on this engine is moved to one where its plan's queues are other tenants': by moving nothing becomes allowed. */
import { expect, it } from 'vitest'
import { EMBEDDED } from '../../src/adapters/engines/embedded/capabilities.ts'
import { TEMPORAL } from '../../src/adapters/engines/temporal/client/capabilities.ts'
import { Engines } from '../../src/app/engines/engines.ts'
import { migrateRun, type Migration } from '../../src/app/engines/migrate-run.ts'
import { OutsideEngine } from '../fixtures/outside-engine.ts'
import { World } from '../fixtures/virtual-world.ts'

/** As an engine whose queues belong to tenants says it. */
const QUEUED = { ...TEMPORAL, isForeignQueue: (_scope: unknown, queue: string) => queue.startsWith('others-') }

async function moved(taskQueue: string): Promise<{ readonly world: World; readonly migration: Promise<Migration> }> {
  const world = new World()
  const process = world.process('one', { script: { f: 'hold' } })
  const { store, engine, services, advancer } = process
  const outside = new OutsideEngine(process, () => engines)
  const engines: Engines = new Engines(store, { capabilities: EMBEDDED, host: engine }, [
    { capabilities: QUEUED, host: outside },
  ])
  const key = await process.start(`steps: [{ id: a, run: f, dispatch: { taskQueue: ${taskQueue} } }]`)
  const parts = { services, advancer, engines, owner: 'one', isOwnerGone: () => false }
  let isDone = false
  const migration = migrateRun(parts, { to: 'temporal', actorId: 'olga', drainMs: 1, force: true, row: world.row(key) })
  migration
    .catch(() => undefined)
    .finally(() => {
      isDone = true
    })
  await world.runUntil(() => isDone)
  return { world, migration }
}

it('migrate to a place where the plan names another tenant’s queue is refused before anything is written [TMP-13]', async () => {
  const { world, migration } = await moved('others-acme')
  await expect(migration).rejects.toMatchObject({
    problems: [
      { code: 'TASK_QUEUE_REFUSED', message: "step 'a' names the queue 'others-acme', which is not one of local" },
    ],
  })
  expect(world.row(1)).toMatchObject({ engineType: 'embedded', status: 'RUNNING' })
  expect(world.records(1).map(({ eventType }) => eventType)).not.toContain('RunPaused')
})

it('a queue that the engine lends moves with its run', async () => {
  const { world, migration } = await moved('lent')
  expect(await migration).toMatchObject({ from: 'embedded', to: 'temporal', again: ['a'] })
  expect(world.row(1).engineType).toBe('temporal')
})
