/** Remote workers of runs that other processes drive: one Keelson drives, another serves; drivers come and go. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { aWorker, eventsOf } from './a-worker.ts'
import { served } from './served.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const PLAN = loadPlan(`
plan: paying
version: 1.0.0
steps:
  - { id: pay, run: pay, with: { n: 1 }, effect: irreversible, dispatch: { queue: gpu } }
output: { paid: "\${steps.pay.output.paid}" }
`)
const ACME = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'author' }

let databases = 0
const PLACES: Readonly<Record<string, () => Promise<() => Promise<OpenOptions>>>> = {
  SQLite: async () => {
    const directory = testFolder()
    return async () => ({ directory })
  },
  PostgreSQL: async () => {
    const connectionString = await postgres.createDatabase(`work${(databases += 1)}`)
    const keysDirectory = testFolder()
    return async () => ({ store: await openPostgresStore({ connectionString }), keysDirectory })
  },
}

async function started(driver: Keelson): Promise<string> {
  return (await onBehalf(driver, ACME).start(PLAN, {})).runId
}

describe.each(Object.entries(PLACES))('on %s', (_name, place) => {
  it('a step that another process offers is handed out here, and its report is taken there', async () => {
    const options = await place()
    await using server = await served({ ...(await options()), drives: false })
    await using driver = await openKeelson(await options())
    const runId = await started(driver)
    const worker = aWorker(server)
    const { claim } = await worker.claimOne()
    expect((await worker.done(claim, { paid: 7 })).body).toEqual({ recorded: 'outcome', repeated: false })
    const run = await onBehalf(driver, ACME).run(runId)
    expect(await run.result()).toMatchObject({ status: 'COMPLETED', output: { paid: 7 } })
  })

  it('whoever takes the run over finds the step offered, claimed or reported, and it is never in doubt [P-28]', async () => {
    const options = await place()
    await using server = await served({ ...(await options()), drives: false })
    const worker = aWorker(server)
    const first = await openKeelson(await options())
    const runId = await started(first)
    await expect.poll(async () => (await eventsOf(server, runId)).length).toBe(3)
    await first.close()
    const second = await openKeelson(await options())
    const { claim } = await worker.claimOne({ leaseMs: 60_000 })
    await second.close()
    const third = await openKeelson(await options())
    expect((await worker.beat(claim)).body.answer).toBe('go-on')
    await third.close()
    await worker.done(claim, { paid: 8 })
    expect((await eventsOf(server, runId)).length).toBe(3)
    await using last = await openKeelson(await options())
    const run = await onBehalf(last, ACME).run(runId)
    expect(await run.result()).toMatchObject({ status: 'COMPLETED', output: { paid: 8 } })
    const types = (await eventsOf(server, runId)).map(({ eventType }) => eventType)
    expect(types).toEqual(['RunApproved', 'RunStarted', 'StepStarted', 'StepCompleted', 'RunCompleted'])
  })
})

it('a run whose irreversible step a worker did is whole: its begin-claim is that of the worker [P-28]', async () => {
  await using server = await served({ directory: testFolder() })
  const run = await onBehalf(server.keelson, ACME).start(PLAN, {})
  const worker = aWorker(server)
  const { claim } = await worker.claimOne()
  await worker.done(claim, { paid: 1 })
  await run.result()
  expect(
    isWhole(await server.keelson.maintenance.verify((await onBehalf(server.keelson, ACME).run(run.runId)).row)),
  ).toBe(true)
})
