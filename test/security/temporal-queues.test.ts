/** A plan that names another tenant's task queue on a real Temporal server: that tenant's workers never see its steps. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import { loadPlan, openKeelson, type CompiledPlan, type Keelson } from '../../src/main.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { fileFolder } from '../fixtures/folder.ts'

let server: TemporalServer
const folder = fileFolder()
beforeAll(async () => {
  server = await startTemporal()
}, 600_000)
afterAll(async () => {
  await server?.stop()
})

const stealing = (taskQueue: string): CompiledPlan =>
  loadPlan(`{ plan: steal, version: 1.0.0, steps: [{ id: a, run: echo, dispatch: { taskQueue: ${taskQueue} } }] }`)
const PARENT = loadPlan('{ plan: parent, version: 1.0.0, steps: [{ id: call, plan: { planId: steal } }] }')

it('a start that names another tenant’s queue is refused, and a child plan that does keeps to its own', async () => {
  const ran: string[] = []
  const open = (tenantId: string): Promise<Keelson> => {
    const steps = { echo: () => void ran.push(tenantId) }
    const engine = temporal({ address: server.address, taskQueue: 'shared' })
    return openKeelson({ directory: join(folder, 'one'), engine, tenantId, steps })
  }
  await using acme = await open('acme')
  await acme.connect()
  await using mallory = await open('mallory')
  for (const queue of ['shared-acme', 'shared', 'shared-acme-wake', 'shared-mallory-wake'])
    await expect(mallory.start(stealing(queue))).rejects.toMatchObject({
      problems: [
        {
          code: 'TASK_QUEUE_REFUSED',
          message: `step 'a' names the queue '${queue}', which is not one of mallory`,
        },
      ],
    })
  expect((await mallory.list()).runs).toEqual([])
  await mallory.publish(stealing('shared-acme'))
  expect((await (await mallory.start(PARENT)).result()).status).toBe('COMPLETED')
  expect(ran).toEqual(['mallory'])
})

it('whoever runs the deployment can allow such a queue', async () => {
  const engine = temporal({
    address: server.address,
    taskQueue: 'lent',
    stepQueues: ['lent-pool'],
    worker: { queues: ['lent-pool'] },
  })
  await using keelson = await openKeelson({ directory: join(folder, 'two'), engine, steps: { echo: () => 1 } })
  expect((await (await keelson.start(stealing('lent-pool'))).result()).status).toBe('COMPLETED')
})
