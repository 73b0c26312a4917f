/**
 * What the operations tell of runs on a real Temporal server: the status is the log's whether the server is there or not, and
 * what only Temporal knows comes beside it.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import { loadPlan, openKeelson, type Keelson, type KeelsonError } from '../../src/main.ts'
import type { ActorContext } from '../../src/ports/provider-adapter.ts'
import { adapterWorld } from '../fixtures/adapter-world.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { began, startWorker, workerSteps } from '../fixtures/temporal-worker.ts'
import { temporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { testFolder } from '../fixtures/folder.ts'
import { refusal } from '../fixtures/refusal.ts'
import { operationsOf } from '../fixtures/operations-of.ts'

const ADA: ActorContext = { userId: 'ada', roles: ['Admin'], tenantId: 'local' }
const PLACE = { tenantId: 'local', projectId: 'default', environmentId: 'local' }

let server: TemporalServer
beforeAll(async () => {
  server = await startTemporal()
}, 600_000)
afterAll(() => server?.stop())

it('a reference names the queue of the run’s workflow, and the execution once there is one [TMP-19, ENG-03]', async () => {
  const world = await adapterWorld('temporal', { engine: temporal({ address: server.address }) })
  const operations = operationsOf(world.keelson)
  const plan = await world.publish('{ plan: one, version: 1.0.0, steps: [{ id: a, run: echo }] }')
  const runId = world.uuid()
  const ref = await operations.startRun(plan, { ...PLACE, runId }, ADA)
  const taskQueue = 'dvt-temporal-local'
  expect(ref).toEqual({ provider: 'temporal', namespace: 'default', workflowId: runId, runId, taskQueue })
  expect(await world.ended(runId)).toBe('COMPLETED')
  const { engineRunRef } = (await world.keelson.run(runId)).row
  expect(await operations.getRunStatus(engineRunRef, ADA)).toMatchObject({ runId, status: 'COMPLETED' })
  await expect(world.keelson.onEngine('temporal').ping?.()).resolves.toBeUndefined()
  await world.close()
})

it('two tenants with one run id have two workflows, and each ends its own [TMP-12]', async () => {
  const engine = () => temporal({ address: server.address, taskQueue: 'shared' })
  const mine = await adapterWorld('temporal', { engine: engine() })
  const folder = testFolder()
  const ran: string[] = []
  const steps = { echo: () => void ran.push('acme') }
  const theirs = await openKeelson({ directory: folder, engine: engine(), tenantId: 'acme', steps })
  const runId = `order-${mine.uuid()}`
  const plan = loadPlan('{ plan: one, version: 1.0.0, steps: [{ id: a, run: echo }] }')
  const run = await theirs.start(plan, {}, { runId })
  expect((await run.result()).status).toBe('COMPLETED')
  const own = await mine.keelson.start(plan, {}, { runId })
  expect((await own.result()).status).toBe('COMPLETED')
  const nameOf = async (keelson: Keelson): Promise<string> => (await keelson.run(runId)).row.engineRunRef
  expect(await nameOf(theirs)).toContain(`temporal://default/keelsonRun/acme%2F${runId}/`)
  expect(await nameOf(mine.keelson)).toContain(`temporal://default/keelsonRun/${runId}/`)
  const eve: ActorContext = { userId: 'eve', roles: ['Admin'], tenantId: 'acme' }
  const seen = await operationsOf(theirs).getRunStatus(await nameOf(theirs), eve)
  expect(seen).toMatchObject({ runId, status: 'COMPLETED' })
  expect(ran).toEqual(['acme'])
  await theirs.close()
  await mine.close()
})

it.each([
  ['one byte', `run:${'x'.repeat(251)}`],
  ['up to three bytes', `run:${'船'.repeat(251)}`],
])(
  'a run id of 255 characters of %s names its workflow, in the local tenant and in another [X-14]',
  async (_of, runId) => {
    const engine = () => temporal({ address: server.address, taskQueue: 'long' })
    const plan = loadPlan('{ plan: one, version: 1.0.0, steps: [{ id: a, run: echo }] }')
    for (const tenantId of ['local', 'acme']) {
      const keelson = await openKeelson({
        directory: testFolder(),
        engine: engine(),
        tenantId,
        steps: { echo: () => 1 },
      })
      const run = await keelson.start(plan, {}, { runId })
      expect((await run.result()).status).toBe('COMPLETED')
      const { engineRunRef } = (await keelson.run(runId)).row
      const actor: ActorContext = { userId: 'eve', roles: ['Admin'], tenantId }
      expect(await operationsOf(keelson).getRunStatus(engineRunRef, actor)).toMatchObject({
        runId,
        status: 'COMPLETED',
      })
      await expectSound(keelson, await keelson.run(runId))
      await keelson.close()
    }
  },
)

it('a run id that makes a longer name than a server takes is refused before anything is written [X-14]', async () => {
  const engine = temporal({ address: server.address, taskQueue: 'long' })
  await using keelson = await openKeelson({ directory: testFolder(), engine, steps: { echo: () => 1 } })
  const plan = loadPlan('{ plan: one, version: 1.0.0, steps: [{ id: a, run: echo }] }')
  const runId = '🚢'.repeat(255)
  expect(await refusal(keelson.start(plan, {}, { runId }))).toMatchObject({ code: 'VALUE_TOO_LARGE' })
  expect((await refusal(keelson.run(runId))).code).toBe('RUN_NOT_FOUND')
})

it('a plan that may do without is marked as degraded by what its engine lacks; another only keeps the report, which is stored before the start [CAP-05, CAP-11, CAP-15, EVT-36]', async () => {
  const world = await adapterWorld('temporal', { engine: temporal({ address: server.address, taskQueue: 'lacking' }) })
  const operations = operationsOf(world.keelson)
  const startedBy = async (yaml: string) => {
    const { runId } = await operations.startRun(await world.publish(yaml), { ...PLACE, runId: world.uuid() }, ADA)
    expect(await world.ended(runId)).toBe('COMPLETED')
    await expectSound(world.keelson, await world.keelson.run(runId))
    const records = await world.records(runId)
    const types = records.map(({ eventType }) => eventType)
    expect(types.slice(0, 3)).toEqual(['RunValidated', 'RunApproved', 'RunStarted'])
    const { planId: _id, planVersion: _version, ...kept } = await (await world.keelson.run(runId)).validationReport()
    expect(records[0]?.payload).toMatchObject({ ...kept, targetAdapter: 'temporal' })
    return {
      report: records[0]?.payload,
      started: records.find(({ eventType }) => eventType === 'RunStarted')?.payload,
    }
  }
  const degrading = await startedBy(`
plan: degrading
version: 1.0.0
requires: [cancel.forced]
metadata: { fallbackBehavior: degrade }
steps: [{ id: a, run: echo }]
`)
  expect(degrading.report).toMatchObject({ status: 'WARNINGS', warnings: [{ code: 'CAPABILITY_DEGRADED' }] })
  expect(degrading.started).toMatchObject({
    degraded: true,
    warnings: [{ code: 'CAPABILITY_DEGRADED' }],
    validationReportRef: 'event:1',
  })
  const wide = await startedBy(`
plan: wide
version: 1.0.0
policy: { concurrency: 600 }
steps: [{ id: a, run: echo }]
`)
  expect(wide.report).toMatchObject({ status: 'WARNINGS', warnings: [{ code: 'PERFORMANCE_IMPACT' }] })
  for (const field of ['degraded', 'warnings', 'validationReportRef']) expect(wide.started).not.toHaveProperty(field)
  await world.close()
})

it('a delayed run is PENDING until its instant, and a refused one keeps its report, as on every engine [BPQ-03, CAP-11, X-85]', async () => {
  const world = await adapterWorld('temporal', { engine: temporal({ address: server.address, taskQueue: 'later' }) })
  const later = loadPlan('{ plan: later, version: 1.0.0, steps: [{ id: a, run: echo }] }')
  const notBefore = Date.now() + 3_600_000
  const run = await world.keelson.start(later, {}, { notBefore })
  expect(run.row).toMatchObject({ status: 'PENDING', nextWakeAt: notBefore })
  expect(await run.snapshot()).toMatchObject({
    status: 'PENDING',
    queued: { policy: 'DELAY', notBefore: new Date(notBefore).toISOString() },
  })
  expect(await run.validationReport()).toMatchObject({ status: 'VALID', targetAdapter: 'temporal' })
  await run.signal('CANCEL', { reason: 'no longer wanted' })
  expect((await run.result()).status).toBe('CANCELLED')
  const lacking = loadPlan(
    '{ plan: lacking, version: 1.0.0, requires: [cancel.forced], steps: [{ id: a, run: echo }] }',
  )
  const error: unknown = await world.keelson.start(lacking).catch((thrown: unknown) => thrown)
  const { report, runId } = (error as KeelsonError).problems[0].details ?? {}
  expect(report).toMatchObject({
    status: 'ERRORS',
    targetAdapter: 'temporal',
    errors: [{ code: 'CAPABILITY_NOT_SUPPORTED', capability: 'cancel.forced' }],
    remediation: {
      suggestedFallbackBehavior: 'degrade',
      suggestedCapabilities: [],
      suggestedTargetAdapter: 'embedded',
    },
  })
  const refused = await world.keelson.run(String(runId))
  expect([refused.row.status, await refused.validationReport()]).toEqual(['FAILED', report])
  await world.close()
})

it('a plan that is altered between its check here and the worker’s is not run: the worker’s check decides [X-43]', async () => {
  const directory = testFolder()
  const engine = { address: server.address, taskQueue: 'altered' }
  const client = await temporalWorld(server.address, workerSteps(directory), {
    taskQueue: 'altered',
    worker: false,
    open: { directory },
  })
  const operations = operationsOf(client.keelson)
  const plan = await client.keelson.planRef(
    loadPlan('{ plan: altered, version: 1.0.0, steps: [{ id: a, run: echo }] }'),
  )
  const { runId } = await operations.startRun(plan, { ...PLACE, runId: crypto.randomUUID() }, ADA)
  const database = new DatabaseSync(join(directory, 'keelson.db'))
  database.prepare(`UPDATE plans SET text = replace(text, '"a"', '"x"') WHERE sha256 = ?`).run(plan.sha256)
  database.close()
  const worker = await startWorker({ directory, engine })
  const run = await client.keelson.run(runId)
  await expect(run.result()).resolves.toMatchObject({
    status: 'FAILED',
    error: { code: 'PLAN_INTEGRITY_VALIDATION_FAILED' },
  })
  expect((await run.records()).map(({ eventType }) => eventType)).toEqual(['RunApproved', 'AlertRaised', 'RunFailed'])
  expect(began(directory)).toEqual([])
  await worker.stop()
  await client.close()
})

it('a workflow that drains for a rotation is seen so beside the status, and nowhere else [TMP-17, ENG-08, ENG-10]', async () => {
  const engine = temporal({ address: server.address, taskQueue: 'rotating', rotation: { steps: 2 } })
  const world = await adapterWorld('temporal', { engine })
  const operations = operationsOf(world.keelson)
  const plan = await world.publish(`
plan: rotating
version: 1.0.0
steps:
  - { id: a, dependsOn: [], run: held }
  - { id: b, dependsOn: [], run: echo }
  - { id: c, dependsOn: [b], run: echo }
`)
  const { runId } = await operations.startRun(plan, { ...PLACE, runId: world.uuid() }, ADA)
  await world.stage.atWork(runId, 'a')
  await world.logged(runId, 'StepCompleted', 'b')
  const seen = async () => (await operations.getEnrichedStatus(runId, ADA)).substatus
  await until(async () => (await seen()) === 'CONTINUE_AS_NEW')
  const plain = await operations.getRunStatus(runId, ADA)
  expect(plain).toMatchObject({ status: 'RUNNING' })
  expect(plain).not.toHaveProperty('substatus')
  expect(await operations.getEnrichedStatus(runId, ADA)).toMatchObject({ status: 'RUNNING', provider: 'answered' })
  world.stage.release(runId)
  expect(await world.ended(runId)).toBe('COMPLETED')
  const ended = await operations.getEnrichedStatus(runId, ADA)
  expect(ended).toMatchObject({ status: 'COMPLETED', provider: 'unneeded' })
  expect(ended).not.toHaveProperty('substatus')
  await world.close()
})

it('a run whose worker was killed is seen as recovering until another has its step [TMP-17, ENG-08]', async () => {
  const directory = testFolder()
  const engine = { address: server.address, taskQueue: 'recovering' }
  const client = await temporalWorld(server.address, workerSteps(directory), {
    taskQueue: 'recovering',
    worker: false,
    open: { directory },
  })
  const operations = operationsOf(client.keelson)
  const first = await startWorker({ directory, engine })
  const run = await client.start('{ plan: gated, version: 1.0.0, steps: [{ id: a, run: gated }] }')
  await until(() => began(directory).includes(`${first.pid} a#1/1`))
  const seen = () => operations.getEnrichedStatus(run.runId, ADA)
  expect(await seen()).not.toHaveProperty('substatus')
  await first.kill9()
  // No worker is left: only Temporal can tell, once the heartbeats are missed.
  await until(async () => (await seen()).substatus === 'RECOVERING')
  expect(await seen()).toMatchObject({ status: 'RUNNING', provider: 'answered' })
  writeFileSync(join(directory, 'open-a'), '')
  const second = await startWorker({ directory, engine })
  await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
  expect(await seen()).not.toHaveProperty('substatus')
  await second.stop()
  await client.close()
})
