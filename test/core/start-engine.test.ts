/** Whoever starts a run, and however: its plan is held against the engine first, and what was found is kept. */
import { describe, expect, it } from 'vitest'
import { EMBEDDED } from '../../src/adapters/engines/embedded/capabilities.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { startRun } from '../../src/app/start/start-run.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { ADAPTERS } from '../../src/core/engine/capabilities.ts'
import {
  loadPlan,
  openKeelson,
  validatePlan,
  type Keelson,
  type KeelsonError,
  type OpenOptions,
  type ValidationReport,
} from '../../src/main.ts'
import { World } from '../fixtures/virtual-world.ts'
import { refusal } from '../fixtures/refusal.ts'
import { fileFolder, testFolder } from '../fixtures/folder.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const planOf = (rest: string, planId = 'p') =>
  loadPlan(`{ plan: ${planId}, version: 1.0.0, steps: [{ id: a, run: f }], ${rest} }`)
const ELSEWHERE = planOf('metadata: { targetAdapter: temporal }')
const UNABLE = planOf('requires: [workflow.dance], metadata: { fallbackBehavior: emulate }')
const PARENT = loadPlan('{ plan: parent, version: 1.0.0, steps: [{ id: call, plan: { planId: p } }] }')
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

/** What a test that goes round the check says was found. */
const UNSEEN = { ...validatePlan(planOf('')), status: 'WARNINGS' } as const

interface Kept {
  readonly report: ValidationReport
  readonly runId: string
}

const HOW = [{}, { queue: true }, { notBefore: Date.now() + 60_000 }]

describe.each(UNFIT)('%s', (_, plan, code) => {
  it('is not started, queued or delayed, and nothing is driven [CAP-02, CAP-04, CAP-10, ENG-12]', async () => {
    const calls: number[] = []
    await using keelson = await open({ steps: { f: () => calls.push(1) } })
    for (const options of HOW) {
      const error = await refusal(keelson.start(plan, {}, options))
      expect(error.code).toBe(code)
    }
    const { runs } = await keelson.list({}, { limit: 100 })
    expect(runs.filter(({ status, lease }) => status !== 'FAILED' || lease !== undefined)).toEqual([])
    expect(calls).toEqual([])
  })

  it('is not started out of a queue that somebody put it into unseen', async () => {
    await using keelson = await open()
    const services = servicesOf(keelson)
    const { row } = await startRun(services, new RunAdvancer(services), {
      plan,
      principal: LOCAL_PRINCIPAL,
      engine: EMBEDDED,
      admission: { policy: 'QUEUE', autoApprove: true },
      report: UNSEEN,
    })
    expect(await keelson.queue.start()).toEqual([{ runId: row.runId, status: 'FAILED', error: code }])
    expect((await keelson.run(row.runId)).row.status).toBe('PENDING')
  })
})

it('a plan for another engine leaves neither a run nor the plan, and fails the step that wants it as a child by its code [ENG-12]', async () => {
  await using keelson = await open()
  for (const options of HOW) await refusal(keelson.start(ELSEWHERE, {}, options))
  expect(await counted(keelson)).toBe(0)
  expect(await servicesOf(keelson).store.getPlan('local', ELSEWHERE.sha256)).toBeUndefined()
  await keelson.publish(ELSEWHERE)
  const run = await keelson.start(PARENT)
  expect(await run.result()).toMatchObject({ status: 'FAILED', error: { code: 'INVALID_TARGET_ADAPTER' } })
  expect(await counted(keelson)).toBe(1)
})

describe('a plan that requires what its engine lacks', () => {
  it('is refused with its report, and the refused run keeps it, however it was to start [CAP-03, CAP-04, CAP-11]', async () => {
    await using keelson = await open({ directory: testFolder() })
    for (const options of HOW) {
      const { problems } = await refusal(keelson.start(UNABLE, { n: 1 }, options))
      const { report, runId } = problems[0].details as unknown as Kept
      const run = await keelson.run(runId)
      expect(await run.validationReport()).toEqual(report)
      expect(await keelson.validatePlan(UNABLE)).toEqual({ ...report, generatedAt: expect.any(String) as string })
      const records = await run.records()
      expect(records.map(({ eventType }) => eventType)).toEqual(['RunValidated', 'RunFailed'])
      expect(records[0]?.data).toEqual({ input: { n: 1 } })
      expect(await run.result()).toMatchObject({ status: 'FAILED', error: { code: 'PLAN_VALIDATION_FAILED' } })
      expect(isWhole(await keelson.maintenance.verify(run.row))).toBe(true)
    }
    expect(await counted(keelson)).toBe(3)
  })

  it('is told so whatever else is wrong with the request, and by its request id is found again [CAP-04, BPQ-06]', async () => {
    await using keelson = await open({ directory: testFolder() })
    const plan = planOf('requires: [workflow.dance], inputs: { type: object, required: [n] }')
    const asked = { requestId: 'r-1' }
    const { problems } = await refusal(keelson.start(plan, {}, asked))
    expect(problems[0]?.code).toBe('PLAN_VALIDATION_FAILED')
    const again = await keelson.start(plan, {}, asked)
    expect([again.existed, again.runId, again.row.status]).toEqual([true, problems[0]?.details?.['runId'], 'FAILED'])
  })

  it('fails the step that wants it as a child, and the refused child keeps the report [CAP-11]', async () => {
    await using keelson = await open({ directory: testFolder() })
    await keelson.publish(UNABLE)
    const run = await keelson.start(PARENT)
    const result = await run.result()
    expect(result).toMatchObject({ status: 'FAILED', error: { code: 'CHILD_FAILED' } })
    expect(result.error?.message).toContain('PLAN_VALIDATION_FAILED')
    const [child] = (await run.related()).children
    const report = await (await keelson.run(child?.runId ?? '')).validationReport()
    expect(report).toMatchObject({ planId: 'p', status: 'ERRORS', errors: [{ capability: 'workflow.dance' }] })
    expect((await run.records()).map(({ eventType }) => eventType)).not.toContain('LateOutcomeRecorded')
    expect(isWhole(await keelson.maintenance.verify(run.row))).toBe(true)
  })

  it('is not forked to either, and the old run does not say it was [CAP-11]', async () => {
    await using keelson = await open({ directory: testFolder() })
    const old = await keelson.start(planOf(''))
    await old.result()
    const plan = loadPlan('{ plan: p, version: 2.0.0, steps: [{ id: a, run: f }], requires: [workflow.dance] }')
    const { code, problems } = await refusal(keelson.fork(old.runId, { plan }))
    expect(code).toBe('PLAN_VALIDATION_FAILED')
    const refused = await keelson.run(String(problems[0]?.details?.['runId']))
    expect(refused.row.originalRunId).toBe(old.runId)
    expect(await refused.validationReport()).toEqual(problems[0]?.details?.['report'])
    expect((await old.records()).map(({ eventType }) => eventType)).not.toContain('RunForked')
    expect(isWhole(await keelson.maintenance.verify(refused.row))).toBe(true)
  })
})

it('a run whose engine has all that its plan requires keeps a report that says so, at once, queued, delayed, forked and as a child [CAP-03, CAP-11]', async () => {
  await using keelson = await open()
  const plan = planOf('requires: [PAUSE_NATIVE, history.rotation]')
  await keelson.publish(plan)
  const now = await keelson.start(plan)
  await now.result()
  const parent = await keelson.start(PARENT)
  await parent.result()
  const [child] = (await parent.related()).children
  const runs = [
    now,
    await keelson.start(plan, {}, { queue: true }),
    await keelson.start(plan, {}, { queue: true, autoApprove: false }),
    await keelson.start(plan, {}, { notBefore: Date.now() + 3_600_000 }),
    await keelson.fork(now.runId),
    await keelson.run(child?.runId ?? ''),
  ]
  for (const run of runs)
    expect(await run.validationReport()).toEqual({
      planId: 'p',
      planVersion: '1.0.0',
      status: 'VALID',
      errors: [],
      warnings: [],
      generatedAt: (await run.records())[0]?.emittedAt,
      targetAdapter: 'embedded',
      adapterVersion: '1',
      adapterCapabilities: ADAPTERS.embedded.capabilities,
      capabilityChecks: [
        { capability: 'signal.pause.native', supported: true, adapterSupport: 'native' },
        { capability: 'workflow.continue.as.new', supported: true, adapterSupport: 'native' },
      ],
    })
})

describe('validatePlan', () => {
  it('gives the report of a start without starting: of the open engine, or of the one that is named [CAP-03]', async () => {
    await using keelson = await open({ engine: 'mock' })
    const plan = planOf('requires: [cancel.forced], metadata: { fallbackBehavior: degrade }')
    expect(await keelson.validatePlan(plan)).toMatchObject({ status: 'VALID', targetAdapter: 'mock' })
    expect(validatePlan(plan)).toMatchObject({ status: 'VALID', targetAdapter: 'embedded' })
    for (const report of [
      validatePlan(plan, { targetAdapter: 'temporal' }),
      await keelson.validatePlan(plan, { targetAdapter: 'temporal' }),
    ])
      expect(report).toMatchObject({
        status: 'WARNINGS',
        targetAdapter: 'temporal',
        warnings: [{ code: 'CAPABILITY_DEGRADED' }],
      })
    expect(await counted(keelson)).toBe(0)
  })

  it('refuses what a start refuses before any comparison, and options that it does not have [ENG-12]', () => {
    const codeOf = (call: () => unknown): unknown => {
      try {
        return call()
      } catch (thrown) {
        return (thrown as KeelsonError).code
      }
    }
    expect(codeOf(() => validatePlan(ELSEWHERE))).toBe('INVALID_TARGET_ADAPTER')
    expect(codeOf(() => validatePlan(UNABLE, { targetAdapter: 'auto' }))).toBe('INVALID_TARGET_ADAPTER')
    expect(codeOf(() => validatePlan(UNABLE, { targetAdapter: 'conductor' }))).toBe('ADAPTER_NOT_IMPLEMENTED')
    expect(codeOf(() => validatePlan(UNABLE, { engine: 'mock' } as object))).toBe('OPTION_UNKNOWN')
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
