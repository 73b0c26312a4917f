/** The operations of an engine and the coordinator behind them, on the embedded and the mock engine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EMBEDDED } from '../../src/adapters/engines/embedded/capabilities.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import type { StartContext } from '../../src/app/operations/run-operations.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { startRun } from '../../src/app/start/start-run.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import type { PlanRef } from '../../src/core/plan/compile/plan-ref.ts'
import type { ActorContext } from '../../src/ports/provider-adapter.ts'
import { adapterWorld, type OpenWorld } from '../fixtures/adapter-world.ts'
import { refusal } from '../fixtures/refusal.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { operationsOf } from '../fixtures/operations-of.ts'

const ADA: ActorContext = { userId: 'ada', roles: ['Admin'], tenantId: 'local' }
const ONE = '{ plan: one, version: 1.0.0, steps: [{ id: a, run: echo, with: { n: 1 } }] }'

let world: OpenWorld
let operations: ReturnType<typeof operationsOf>
let production: ReturnType<typeof operationsOf>
let one: PlanRef

beforeAll(async () => {
  world = await adapterWorld('embedded')
  operations = operationsOf(world.keelson)
  production = operationsOf(world.keelson, { production: true })
  one = await world.publish(ONE)
})
afterAll(() => world?.close())

function context(change: Partial<StartContext> = {}): StartContext {
  return { tenantId: 'local', projectId: 'default', environmentId: 'local', runId: world.uuid(), ...change }
}

const codeOf = async (call: Promise<unknown>): Promise<string> => {
  const { code, problems } = await refusal(call)
  return `${code} ${problems[0]?.pointer ?? ''}`.trim()
}

describe('the engine of a run', () => {
  it('is the open one for a plan that says any, and nobody can ask for auto [ENG-02]', async () => {
    const ref = await operations.startRun(one, context(), ADA)
    expect(ref.provider).toBe('embedded')
    expect(await world.ended(ref.runId)).toBe('COMPLETED')
    for (const targetAdapter of ['auto', 'any'])
      expect(await codeOf(operations.startRun(one, context({ targetAdapter }), ADA))).toBe(
        'INVALID_TARGET_ADAPTER /targetAdapter',
      )
  })

  it('is not Conductor yet: that is a code of its own, and nothing is recorded [ADP-01]', async () => {
    const asked = context({ targetAdapter: 'conductor' })
    expect(await codeOf(operations.startRun(one, asked, ADA))).toBe('ADAPTER_NOT_IMPLEMENTED /targetAdapter')
    expect(await world.records(asked.runId)).toEqual([])
  })

  it('is refused by its field when the plan names another than the caller, before anything is recorded [ENG-12]', async () => {
    const plan = await world.publish(`${ONE.slice(0, -1)}, metadata: { targetAdapter: temporal } }`)
    const asked = context({ targetAdapter: 'embedded' })
    expect(await codeOf(operations.startRun(plan, asked, ADA))).toBe('INVALID_TARGET_ADAPTER /targetAdapter')
    expect(await codeOf(operations.startRun(plan, context(), ADA))).toBe('ENGINE_NOT_OPEN /targetAdapter')
    expect(await world.records(asked.runId)).toEqual([])
  })

  it('must have what the plan requires, or nothing is started; the report is thrown and kept [CAP-02, CAP-04, CAP-11]', async () => {
    const plan = await world.publish(`${ONE.slice(0, -1)}, requires: [workflow.dance] }`)
    const asked = context()
    const error = await refusal(operations.startRun(plan, asked, ADA))
    expect(error.code).toBe('PLAN_VALIDATION_FAILED')
    expect(error.problems[0]?.details).toMatchObject({
      runId: asked.runId,
      report: { status: 'ERRORS', targetAdapter: 'embedded', errors: [{ code: 'CAPABILITY_UNKNOWN' }] },
    })
    const records = await world.records(asked.runId)
    expect(records.map(({ eventType }) => eventType)).toEqual(['RunValidated', 'RunFailed'])
    expect(records[0]?.payload).toMatchObject({ status: 'ERRORS', errors: [{ code: 'CAPABILITY_UNKNOWN' }] })
    expect(await operations.getRunStatus(asked.runId, ADA)).toMatchObject({ status: 'FAILED' })
    expect(world.stage.calls(asked.runId)).toEqual([])
    const proof = await world.keelson.maintenance.verify((await world.keelson.run(asked.runId)).row)
    expect(isWhole(proof)).toBe(true)
    expect(await codeOf(operations.startRun(one, asked, ADA))).toBe('RUN_ALREADY_EXISTS')
  })

  it('is mock only outside production [X-47]', async () => {
    await using keelson = await openKeelson({ engine: 'mock', steps: { echo: () => 1 }, directory: ':memory:' })
    const plan = await keelson.planRef(loadPlan(ONE))
    const ref = await operationsOf(keelson).startRun(plan, context({ targetAdapter: 'mock' }), ADA)
    expect(ref).toEqual({ provider: 'mock', workflowId: ref.runId, runId: ref.runId })
    await (await keelson.run(ref.runId)).result()
    const inEarnest = operationsOf(keelson, { production: true }).startRun(
      plan,
      context({ targetAdapter: 'mock' }),
      ADA,
    )
    expect(await codeOf(inEarnest)).toBe('ENGINE_NOT_OPEN /targetAdapter')
  })
})

describe('the plan of a run', () => {
  it('has the schema version that its reference says, or nothing starts [PLN-14]', async () => {
    const other = { ...one, schemaVersion: 'v1.2' }
    expect(await codeOf(operations.startRun(other, context(), ADA))).toBe('PLAN_SCHEMA_VERSION_MISMATCH /schemaVersion')
  })

  it('comes by reference; as it is only where nothing is in earnest [ENG-09]', async () => {
    const inline = loadPlan(ONE)
    expect(await codeOf(production.startRun(inline, context(), ADA))).toBe('PLAN_INLINE_REFUSED')
    for (const [via, plan] of [[operations, inline] as const, [production, one] as const]) {
      const { runId } = await via.startRun(plan, context(), ADA)
      expect(await world.ended(runId)).toBe('COMPLETED')
    }
  })

  it('is refused with what is not its own: hash, id, version, format, size, time [PLN-12]', async () => {
    const other = await world.publish(ONE.replace('plan: one', 'plan: two'))
    const start = (change: Partial<PlanRef>): Promise<string> =>
      codeOf(operations.startRun({ ...one, ...change }, context(), ADA))
    expect(await start({ planId: 'two' })).toBe('PLAN_REF_INVALID /planId')
    expect(await start({ planVersion: '2.0.0' })).toBe('PLAN_REF_INVALID /planVersion')
    expect(await start({ sha256: other.sha256 })).toBe('PLAN_REF_INVALID /uri')
    expect(await start({ expiresAt: '2020-01-01T00:00:00Z' })).toBe('PLAN_REF_INVALID /expiresAt')
    const nowhere = 'f'.repeat(64)
    expect(await start({ sha256: nowhere, uri: `plan:sha256:${nowhere}` })).toBe('PLAN_NOT_FOUND')
    const fresh = await world.publish(ONE.replace('n: 1', 'n: 2'))
    const tooSmall = operations.startRun({ ...fresh, sizeBytes: 1 }, context(), ADA)
    expect(await codeOf(tooSmall)).toBe('PLAN_REF_INVALID /sizeBytes')
    const changed = await world.publishChanged(one, (plan) => Object.assign(plan, { schemaVersion: 'v0.9' }))
    expect(await codeOf(operations.startRun(changed, context(), ADA))).toBe('SCHEMA_VERSION_UNKNOWN /schemaVersion')
  })

  it.each(['file:///etc/passwd', 'https://plans.example/p', 's3://bucket/p', 'PLAN:sha256:x', 'plan:sha256:'])(
    'is not fetched from %s',
    async (uri) => {
      expect(await codeOf(operations.startRun({ ...one, uri }, context(), ADA))).toBe('PLAN_URI_NOT_ALLOWED')
    },
  )

  it('that was altered in the store starts nothing', async () => {
    const { store } = servicesOf(world.keelson)
    const text = (await store.getPlan('local', one.sha256)) ?? ''
    const sha256 = 'e'.repeat(64)
    await store.putPlan(
      { tenantId: 'local', sha256, planId: 'one', planVersion: '1.0.0', text },
      { replaceVersion: true },
    )
    const { sizeBytes: _size, ...ref } = one
    const error = await refusal(operations.startRun({ ...ref, sha256, uri: `plan:sha256:${sha256}` }, context(), ADA))
    expect(error.code).toBe('PLAN_INTEGRITY_VALIDATION_FAILED')
    expect(error.problems[0]?.details).toMatchObject({ expectedSha256: sha256, actualSha256: one.sha256 })
  })
})

describe('a run that is there', () => {
  it('is found by its reference, the text of it and its id; events carry what is stored of it [ENG-04, AUT-15]', async () => {
    const held = await world.publish('{ plan: held, version: 1.0.0, steps: [{ id: a, run: held }] }')
    const ref = await operations.startRun(held, context({ projectId: 'shop' }), ADA)
    await world.stage.atWork(ref.runId, 'a')
    for (const given of [ref, `embedded://${ref.runId}`, ref.runId])
      expect((await operations.getRunStatus(given, ADA)).runId).toBe(ref.runId)
    const pause = { signalId: world.uuid(), signalType: 'PAUSE', payload: {} }
    await operations.signal(`embedded://${ref.runId}`, pause, ADA)
    await world.logged(ref.runId, 'RunPaused')
    const paused = (await world.records(ref.runId)).filter(({ eventType }) => /Signal|Paused/.test(eventType))
    expect(paused).toHaveLength(2)
    for (const record of paused)
      expect(record).toMatchObject({
        tenantId: 'local',
        projectId: 'shop',
        environmentId: 'local',
        planId: 'held',
        planVersion: '1.0.0',
        runId: ref.runId,
      })
    await operations.cancelRun(ref.runId, ADA)
    expect(await world.ended(ref.runId)).toBe('CANCELLED')
  })

  it('starts by its id once more only out of the queue [ENG-11]', async () => {
    const queued = await world.keelson.start(loadPlan(ONE), {}, { queue: true })
    const again = context({ runId: queued.runId })
    const other = await world.publish(ONE.replace('n: 1', 'n: 3'))
    expect(await codeOf(operations.startRun(other, again, ADA))).toBe('RUN_ALREADY_EXISTS')
    const both = await Promise.allSettled([1, 2].map(() => operations.startRun(one, again, ADA)))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await world.ended(queued.runId)).toBe('COMPLETED')
    expect(await codeOf(operations.startRun(one, again, ADA))).toBe('RUN_ALREADY_EXISTS')
    const types = (await world.records(queued.runId)).map(({ eventType }) => eventType)
    expect(types.filter((type) => type === 'RunStarted')).toHaveLength(1)
    expect(types[0]).toBe('RunQueued')
  })

  it('that failed is run again by RETRY_RUN as a new one, once for the signal [SIG-07]', async () => {
    const failing = await world.publish('{ plan: failing, version: 1.0.0, steps: [{ id: a, run: refuse }] }')
    const { runId } = await operations.startRun(failing, context(), ADA)
    expect(await world.ended(runId)).toBe('FAILED')
    const before = await world.records(runId)
    const retry = { signalId: world.uuid(), signalType: 'RETRY_RUN', payload: {} }
    await operations.signal(runId, retry, ADA)
    await operations.signal(runId, retry, ADA)
    const { runs } = await world.keelson.list({ originalRunId: runId })
    expect(runs).toHaveLength(1)
    expect(await world.ended(runs[0]?.runId ?? '')).toBe('FAILED')
    const after = await world.records(runId)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.slice(before.length).map(({ eventType }) => eventType)).toEqual(['SignalAccepted', 'RunForked'])
  })

  it('that completed is not run again', async () => {
    const { runId } = await operations.startRun(one, context(), ADA)
    expect(await world.ended(runId)).toBe('COMPLETED')
    const asked = operations.signal(runId, { signalId: world.uuid(), signalType: 'RETRY_RUN', payload: {} }, ADA)
    await expect(asked).rejects.toMatchObject({ code: 'RUN_TERMINAL' })
    expect((await world.keelson.list({ originalRunId: runId })).runs).toEqual([])
    expect((await world.records(runId)).at(-1)).toMatchObject({ eventType: 'SignalRejected' })
  })

  it('on an engine that knows nothing more has the same status, enriched or not', async () => {
    const { runId } = await operations.startRun(one, context(), ADA)
    await world.ended(runId)
    const status = await operations.getRunStatus(runId, ADA)
    expect(await operations.getEnrichedStatus(runId, ADA)).toEqual({ ...status, provider: 'unneeded' })
  })
})

describe('substatus words that the log tells', () => {
  it('are RETRYING in backoff and WAITING_APPROVAL before approval [ENG-08]', async () => {
    const flaky = await world.publish(
      '{ plan: flaky, version: 1.0.0, steps: [{ id: a, run: flaky, with: { failures: 1 }, retry: { maxAttempts: 2, initialBackoffMs: 60000 } }] }',
    )
    const { runId } = await operations.startRun(flaky, context(), ADA)
    await world.logged(runId, 'StepFailed', 'a')
    expect(await operations.getRunStatus(runId, ADA)).toMatchObject({ status: 'RUNNING', substatus: 'RETRYING' })
    await operations.cancelRun(runId, ADA)
    await world.ended(runId)
    const services = servicesOf(world.keelson)
    const answer = await startRun(services, new RunAdvancer(services), {
      plan: loadPlan(ONE),
      principal: LOCAL_PRINCIPAL,
      engine: EMBEDDED,
      admission: { policy: 'QUEUE', autoApprove: false },
    })
    expect(await operations.getRunStatus(answer.row.runId, ADA)).toEqual({
      runId: answer.row.runId,
      status: 'PENDING',
      substatus: 'WAITING_APPROVAL',
    })
  })
})
