/**
 * Steps of remote workers in runs on Temporal: its activity leaves the step to the queue and waits for the report, as the embedded engine
 * does. Over real HTTP, with a real Temporal server.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { partsOf } from '../../src/library/services-of.ts'
import { aWorker, eventsOf, type AWorker } from '../server/a-worker.ts'
import { ended, PAY, TRAIN, typesOf } from '../server/far-steps.ts'
import { served, type Served } from '../server/served.ts'
import { temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'

/** An hour: a step that may take so long is a workflow of its own. */
const LONG = TRAIN.replace('training', 'long').replace('dispatch:', 'timeout: 1h\n    dispatch:')

let temporal: TemporalServer
let world: TemporalWorld
let server: Served
let worker: AWorker

beforeAll(async () => {
  temporal = await startTemporal()
  world = await temporalWorld(temporal.address, {}, { open: { tenantId: 'acme' } })
  server = await served({}, { keelson: world.keelson })
  worker = aWorker(server)
  for (const plan of [TRAIN, LONG, PAY]) await server.publish(plan)
}, 600_000)
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await world?.close()
  await temporal?.stop()
})

async function start(planId: string, input: object = {}): Promise<string> {
  const { status, body, text } = await server.call('POST /v1/executions', { body: { planId, input } })
  expect([status, text]).toEqual([202, expect.any(String)])
  return body.executionId as string
}

it.each(['training', 'long'])(
  'a step of a remote worker in a run of %s on Temporal is claimed, kept and reported',
  async (planId) => {
    expect(partsOf(world.keelson).capabilities.engineType).toBe('temporal')
    const runId = await start(planId, { rows: [1, 2] })
    const first = await worker.claimOne()
    expect(first).toMatchObject({ executionId: runId, step: 'train', input: { rows: [1, 2] }, attempt: 1 })
    expect((await worker.beat(first.claim)).body).toMatchObject({ answer: 'go-on' })
    const error = { name: 'ConnectionError', message: 'not yet' }
    expect((await worker.report(first.claim, { outcome: 'failed', error })).body).toMatchObject({ recorded: 'outcome' })
    const second = await worker.claimOne()
    expect(second).toMatchObject({ executionId: runId, attempt: 2, idempotencyKey: first.idempotencyKey })
    expect((await worker.done(second.claim, { model: 'm' })).body).toMatchObject({ recorded: 'outcome' })
    await ended(server, runId, 'COMPLETED')
    const events = await eventsOf(server, runId)
    expect(typesOf(events).filter((type) => type.startsWith('Step'))).toEqual([
      'StepStarted',
      'StepFailed',
      'StepStarted',
      'StepCompleted',
    ])
  },
)

it('a cancel of a run on Temporal reaches its remote worker', async () => {
  const runId = await start('training')
  const { claim } = await worker.claimOne()
  const body = { reason: 'not needed' }
  expect((await server.call(`POST /v1/executions/${runId}/cancel`, { body })).status).toBeLessThan(300)
  await expect.poll(async () => (await worker.beat(claim)).body.answer).toBe('cancel')
  await worker.done(claim, {})
  await ended(server, runId, 'CANCELLED')
})

it('what cannot be undone and whose worker is silent on Temporal is asked about, and not begun again [P-28]', async () => {
  const runId = await start('paying')
  await worker.claimOne({ leaseMs: 1_000 })
  const failed = async () => (await eventsOf(server, runId)).find(({ eventType }) => eventType === 'StepFailed')
  await expect.poll(failed).toBeDefined()
  expect((await failed())?.payload['error']).toMatchObject({ code: 'INDETERMINATE' })
  expect((await server.call(`GET /v1/executions/${runId}`)).body.status).toBe('RUNNING')
  expect(await worker.claim()).toEqual([])
})
