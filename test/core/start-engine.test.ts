/** Whoever starts a run, and however: its plan is held against the engine first, and an unfit one leaves nothing behind. */
import { describe, expect, it } from 'vitest'
import { EMBEDDED } from '../../src/adapters/engines/embedded/capabilities.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { startRun } from '../../src/app/start/start-run.ts'
import { loadPlan, openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import { World } from '../fixtures/virtual-world.ts'
import { refusal } from '../fixtures/refusal.ts'
import { fileFolder } from '../fixtures/folder.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const planOf = (rest: string, planId = 'p') =>
  loadPlan(`{ plan: ${planId}, version: 1.0.0, steps: [{ id: a, run: f }], ${rest} }`)
const ELSEWHERE = planOf('metadata: { targetAdapter: temporal }')
const UNABLE = planOf('requires: [workflow.dance], metadata: { fallbackBehavior: emulate }')
const UNFIT = [
  ['a plan for another engine', ELSEWHERE, 'INVALID_TARGET_ADAPTER'],
  ['a plan that requires what no engine has', UNABLE, 'PLAN_VALIDATION_FAILED'],
] as const

const folder = fileFolder()

const open = (options: OpenOptions = {}): Promise<Keelson> =>
  openKeelson({ directory: ':memory:', steps: { f: () => 1 }, adopt: false, ...options })

async function counted(keelson: Keelson): Promise<number> {
  const { runs } = await keelson.list({}, { limit: 100 })
  return runs.length
}

describe.each(UNFIT)('%s', (_, plan, code) => {
  it('is not started, queued or delayed, and neither run nor plan is written [CAP-02, CAP-04, CAP-10, ENG-12]', async () => {
    await using keelson = await open()
    for (const options of [{}, { queue: true }, { notBefore: Date.now() + 60_000 }]) {
      const error = await refusal(keelson.start(plan, {}, options))
      expect(error.code).toBe(code)
    }
    expect(await counted(keelson)).toBe(0)
    expect(await servicesOf(keelson).store.getPlan('local', plan.sha256)).toBeUndefined()
  })

  it('is not started out of a queue that somebody put it into unseen', async () => {
    await using keelson = await open()
    const services = servicesOf(keelson)
    const unseen = { status: 'WARNINGS', errors: [], warnings: [] } as const
    const { row } = await startRun(services, new RunAdvancer(services), {
      plan,
      principal: LOCAL_PRINCIPAL,
      engine: EMBEDDED,
      admission: { policy: 'QUEUE', autoApprove: true },
      report: unseen,
    })
    expect(await keelson.queue.start()).toEqual([{ runId: row.runId, status: 'FAILED', error: code }])
    expect((await keelson.run(row.runId)).row.status).toBe('APPROVED')
  })

  it('is not started as a child: the step that wants it fails by the same code', async () => {
    await using keelson = await open()
    await keelson.publish(plan)
    const parent = loadPlan('{ plan: parent, version: 1.0.0, steps: [{ id: call, plan: { planId: p } }] }')
    const run = await keelson.start(parent)
    expect(await run.result()).toMatchObject({ status: 'FAILED', error: { code } })
    expect(await counted(keelson)).toBe(1)
  })
})

it('tells by its report what the engine lacks [CAP-04, CAP-10]', async () => {
  await using keelson = await open()
  const { problems } = await refusal(keelson.start(UNABLE))
  const report = { status: 'ERRORS', targetAdapter: 'embedded', errors: [{ code: 'CAPABILITY_UNKNOWN' }] }
  expect(problems[0]).toMatchObject({ message: expect.stringContaining('workflow.dance'), details: { report } })
})

it('a run is not forked onto an engine its plan is not meant for, and the old run does not say it was [ENG-12]', async () => {
  const plan = planOf('metadata: { targetAdapter: mock }')
  const mock = await open({ directory: folder, engine: 'mock' })
  const old = await mock.start(plan)
  expect((await old.result()).status).toBe('COMPLETED')
  await mock.close()
  await using keelson = await open({ directory: folder })
  const error = await refusal(keelson.fork(old.runId))
  expect(error.code).toBe('INVALID_TARGET_ADAPTER')
  expect(error.problems[0]).toMatchObject({ details: { plan: 'mock', context: 'embedded' } })
  expect(await counted(keelson)).toBe(1)
  const types = (await (await keelson.run(old.runId)).records()).map(({ eventType }) => eventType)
  expect(types).not.toContain('RunForked')
})

it('what an engine does otherwise than the plan asks is the first event of the run', async () => {
  const process = new World().process('only')
  const { row } = await process.create('policy: { concurrency: 600 }\nsteps: [{ id: a, run: f }]', {
    engine: { engineType: 'temporal', maxInFlight: 500 },
  })
  const [first, second] = process.world.records(row.runKey)
  expect(first).toMatchObject({ eventType: 'RunValidated', payload: { status: 'WARNINGS' } })
  expect(first?.payload).toMatchObject({ warnings: [{ code: 'PERFORMANCE_IMPACT' }] })
  expect(second?.eventType).toBe('RunApproved')
})
