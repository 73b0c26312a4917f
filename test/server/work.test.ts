/** Steps of queues over real HTTP: claimed, kept, reported, cancelled, handed out again; and never seen by strangers. */
import { afterEach, describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import type { OpenOptions } from '../../src/main.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { testFolder } from '../fixtures/folder.ts'
import { aWorker, eventsOf, WORKER } from './a-worker.ts'
import { ended, openFar, PAY, TRAIN, typesOf, type Far } from './far-steps.ts'
import { EVE, type Served } from './served.ts'

const ACME = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'author' }

let server: Served | undefined
afterEach(async () => server?.[Symbol.asyncDispose]())

async function open(plan: string = TRAIN, opening: OpenOptions = {}): Promise<Far> {
  const opened = await openFar(plan, opening)
  server = opened
  return opened
}

it('hands a step out with its input and key, and its report is the outcome of the step', async () => {
  const opened = await open()
  const { worker, start, call } = opened
  const runId = await start({ rows: 3 })
  const claimed = await worker.claimOne({ worker: 'w1', build: 'b7' })
  expect(claimed).toMatchObject({
    executionId: runId,
    planId: 'training',
    planVersion: '1.0.0',
    step: 'train',
    slot: 'train',
    handler: 'train',
    queue: 'gpu',
    input: { rows: 3 },
    attempt: 1,
    engineAttempt: 1,
    effect: 'idempotent',
  })
  expect(claimed.claim).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(await worker.claim({ worker: 'w1', build: 'b7' })).toEqual([])
  expect((await worker.beat(claimed.claim)).body.answer).toBe('go-on')
  const artifacts = [{ uri: 's3://models/m1', kind: 'model' }]
  const reported = await worker.report(claimed.claim, { outcome: 'completed', output: { model: 'm1' }, artifacts })
  expect([reported.status, reported.body]).toEqual([200, { recorded: 'outcome', repeated: false }])
  await ended(opened, runId, 'COMPLETED')
  const events = await eventsOf(opened, runId)
  expect(typesOf(events)).toEqual(['RunApproved', 'RunStarted', 'StepStarted', 'StepCompleted', 'RunCompleted'])
  expect(events[3]?.payload).toMatchObject({ artifactRefs: artifacts })
  expect((await call('GET /v1/workers')).body.workers).toEqual([
    {
      worker: 'w1',
      actorId: 'robot',
      build: 'b7',
      queues: ['gpu'],
      handlers: ['train', 'pay'],
      askedAt: expect.any(String),
    },
  ])
})

it('treats a reported error as one of a function here: classified, retried, then final', async () => {
  const opened = await open()
  const { worker, start } = opened
  const runId = await start({ rows: 3 })
  const first = await worker.claimOne()
  const error = { message: 'out of memory', code: 'ECONNRESET', name: 'Error' }
  await worker.report(first.claim, { outcome: 'failed', error })
  const second = await worker.claimOne()
  expect([second.attempt, second.idempotencyKey]).toEqual([2, first.idempotencyKey])
  await worker.report(second.claim, { outcome: 'failed', error: { message: 'no such model', code: 'ValidationError' } })
  await ended(opened, runId, 'FAILED')
  const failures = (await eventsOf(opened, runId)).filter(({ eventType }) => eventType === 'StepFailed')
  expect(failures.map(({ payload }) => payload['error'])).toMatchObject([
    { code: 'ECONNRESET', errorClass: 'transport', retryable: true },
    { code: 'HANDLER_FAILED', errorClass: 'validation', retryable: false },
  ])
  expect(failures.map(({ data }) => data?.['errorText'])).toMatchObject([
    { message: 'out of memory' },
    { message: 'no such model' },
  ])
})

it('hands a step out again under its key when its worker is silent, and the first worker has it no more [ATT-04, X-66]', async () => {
  const opened = await open()
  const { worker, start } = opened
  const runId = await start({ rows: 1 })
  const first = await worker.claimOne({ leaseMs: 1_000 })
  const second = await worker.claimOne()
  expect(second).toMatchObject({ attempt: 1, engineAttempt: 2, idempotencyKey: first.idempotencyKey })
  const beaten = await worker.beat(first.claim)
  expect([beaten.status, beaten.body.error.code]).toEqual([404, 'CLAIM_NOT_HELD'])
  await worker.done(second.claim, { model: 'm2' })
  await ended(opened, runId, 'COMPLETED')
  const events = await eventsOf(opened, runId)
  expect(typesOf(events)).toEqual(['RunApproved', 'RunStarted', 'StepStarted', 'StepCompleted', 'RunCompleted'])
  expect(events[3]).toMatchObject({ engineAttemptId: 2, payload: { mayHaveRunTwice: true } })
})

describe('what a worker reports after its step was handed out again', () => {
  it('is recorded as late while another has the step, counts once, and leaves the step to the other [X-31]', async () => {
    const opened = await open(TRAIN, { directory: testFolder() })
    const { worker, start, call } = opened
    const runId = await start({ rows: 1 })
    const first = await worker.claimOne({ leaseMs: 1_000 })
    const second = await worker.claimOne()
    expect((await worker.done(first.claim, { model: 'm1' })).body).toEqual({ recorded: 'late', repeated: false })
    expect((await worker.done(first.claim, { model: 'm1' })).body).toEqual({ recorded: 'late', repeated: true })
    const other = await worker.done(first.claim, { model: 'm3' })
    expect([other.status, other.body.error.code]).toEqual([409, 'WORK_REPORTED'])
    await expect.poll(async () => typesOf(await eventsOf(opened, runId))).toContain('LateOutcomeRecorded')
    expect((await worker.beat(second.claim)).body.answer).toBe('go-on')
    expect((await worker.done(second.claim, { model: 'm2' })).body).toEqual({ recorded: 'outcome', repeated: false })
    await ended(opened, runId, 'COMPLETED')
    const events = await eventsOf(opened, runId)
    expect(typesOf(events).slice(2)).toEqual(['StepStarted', 'LateOutcomeRecorded', 'StepCompleted', 'RunCompleted'])
    expect(events[3]).toMatchObject({
      engineAttemptId: 1,
      payload: { stepId: 'train', attempt: 1, outcome: 'completed', audit: 'ORPHANED_TASK' },
      data: { result: { model: 'm1' } },
    })
    expect(events[4]).toMatchObject({ engineAttemptId: 2, data: { result: { model: 'm2' } } })
    expect((await call(`GET /v1/executions/${runId}`)).body.status).toBe('COMPLETED')
    const { row } = await onBehalf(opened.keelson, ACME).run(runId)
    expect(isWhole(await opened.keelson.maintenance.verify(row))).toBe(true)
  })

  it('is one of two that come in the same moment: the log has the one that was taken, and the other is told so', async () => {
    const store = openMemoryStore({ clock: { now: Date.now } })
    const both = Promise.withResolvers<void>()
    let asked = 0
    const findEndedClaim: RunStore['findEndedClaim'] = async (...which) => {
      const found = await store.findEndedClaim(...which)
      if ((asked += 1) === 2) both.resolve()
      await both.promise
      return found
    }
    const opened = await open(TRAIN, { store: { ...store, findEndedClaim } })
    const { worker, start } = opened
    const runId = await start({ rows: 1 })
    const first = await worker.claimOne({ leaseMs: 1_000 })
    const second = await worker.claimOne()
    const models = ['a', 'b']
    const told = await Promise.all(models.map((model) => worker.done(first.claim, { model })))
    const codes = told.map(({ status, body }) => (status === 200 ? 'taken' : (body.error.code as string)))
    expect(codes.toSorted()).toEqual(['WORK_REPORTED', 'taken'])
    await worker.done(second.claim, { model: 'z' })
    await ended(opened, runId, 'COMPLETED')
    const late = (await eventsOf(opened, runId)).filter(({ eventType }) => eventType === 'LateOutcomeRecorded')
    expect(late.map(({ data }) => data)).toEqual([{ result: { model: models[codes.indexOf('taken')] } }])
  })

  it('is recorded as late when the step has ended, also if it failed, and no tenant but its own may say it [X-31, AUT-10]', async () => {
    const opened = await open()
    const { worker, start } = opened
    const runId = await start({ rows: 1 })
    const first = await worker.claimOne({ leaseMs: 1_000 })
    const second = await worker.claimOne({ leaseMs: 1_000 })
    const third = await worker.claimOne()
    await worker.done(third.claim, { model: 'm3' })
    await ended(opened, runId, 'COMPLETED')
    const evil = aWorker(opened, 'evil.robot.worker')
    expect((await evil.done(first.claim)).body.error.code).toBe('CLAIM_NOT_HELD')
    const error = { message: 'out of memory', code: 'ENOMEM' }
    const failed = await worker.report(second.claim, { outcome: 'failed', error })
    expect(failed.body).toEqual({ recorded: 'late', repeated: false })
    expect((await worker.done(first.claim, { model: 'm1' })).body).toEqual({ recorded: 'late', repeated: false })
    await expect
      .poll(async () => typesOf(await eventsOf(opened, runId)).slice(3))
      .toEqual(['StepCompleted', 'RunCompleted', 'LateOutcomeRecorded', 'LateOutcomeRecorded'])
    const late = (await eventsOf(opened, runId)).slice(-2)
    expect(late.map(({ engineAttemptId, payload }) => [engineAttemptId, payload['outcome']])).toEqual([
      [2, 'failed'],
      [1, 'completed'],
    ])
    expect(late[0]?.payload['error']).toMatchObject({ code: 'ENOMEM' })
  })
})

it('takes the report of a worker that was silent too long, as long as nobody else has the step', async () => {
  const opened = await open()
  const runId = await opened.start()
  const { claim, leaseUntil } = await opened.worker.claimOne({ leaseMs: 1_000 })
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(leaseUntil))
  expect((await opened.worker.done(claim, { model: 'm' })).body).toEqual({ recorded: 'outcome', repeated: false })
  await ended(opened, runId, 'COMPLETED')
})

it('holds the run when the worker of an irreversible step is silent, and records what it reports later [P-28]', async () => {
  const opened = await open(PAY)
  const { worker, start, call } = opened
  const runId = await start()
  const { claim } = await worker.claimOne({ leaseMs: 1_000 })
  await expect
    .poll(async () => typesOf(await eventsOf(opened, runId)))
    .toEqual(['RunApproved', 'RunStarted', 'StepStarted', 'StepFailed'])
  expect((await eventsOf(opened, runId))[3]?.payload['error']).toMatchObject({ code: 'INDETERMINATE' })
  expect(await worker.claim()).toEqual([])
  expect((await worker.beat(claim)).body.answer).toBe('cancel')
  const late = await worker.done(claim, { paid: true })
  expect(late.body).toEqual({ recorded: 'late', repeated: false })
  expect((await worker.done(claim, { paid: true })).body).toEqual({ recorded: 'late', repeated: true })
  await expect.poll(async () => typesOf(await eventsOf(opened, runId))).toContain('LateOutcomeRecorded')
  const { body } = await call(`GET /v1/executions/${runId}`)
  expect(body.status).toBe('RUNNING')
})

it('tells the worker to stop when the run is cancelled, and waits for what it says', async () => {
  const opened = await open()
  const { worker, start, call } = opened
  const runId = await start()
  const { claim } = await worker.claimOne()
  await call(`POST /v1/executions/${runId}/cancel`, { body: { reason: 'enough' } })
  await expect.poll(async () => (await worker.beat(claim)).body.answer).toBe('cancel')
  await worker.report(claim, { outcome: 'failed', error: { message: 'stopped' } })
  await ended(opened, runId, 'CANCELLED')
})

it('ends a cancelled step that nobody has claimed at once, and offers it no more', async () => {
  const opened = await open()
  const { worker, start, call } = opened
  const runId = await start()
  await expect.poll(async () => typesOf(await eventsOf(opened, runId))).toContain('StepStarted')
  await call(`POST /v1/executions/${runId}/cancel`, { body: { reason: 'enough' } })
  await ended(opened, runId, 'CANCELLED')
  expect(await worker.claim()).toEqual([])
})

it('answers a repeated report as the first, and refuses another one', async () => {
  const opened = await open()
  const runId = await opened.start()
  const { claim } = await opened.worker.claimOne()
  await opened.worker.done(claim, { model: 'm1' })
  await ended(opened, runId, 'COMPLETED')
  expect((await opened.worker.done(claim, { model: 'm1' })).body).toEqual({ recorded: 'outcome', repeated: true })
  const other = await opened.worker.done(claim, { model: 'm2' })
  expect([other.status, other.body.error.code]).toEqual([409, 'WORK_REPORTED'])
})

it('shows work to workers of its tenant alone, and a claim of another tenant as one that is not held [AUT-10]', async () => {
  const opened = await open()
  await opened.start()
  const evil = aWorker(opened, 'evil.robot.worker')
  expect(await evil.claim()).toEqual([])
  const { claim } = await opened.worker.claimOne()
  const foreign = await evil.done(claim)
  const unknown = await evil.done('a'.repeat(43))
  const { correlationId: _a, timestamp: _b, ...said } = foreign.body
  const { correlationId: _c, timestamp: _d, ...same } = unknown.body
  expect([foreign.status, said]).toEqual([unknown.status, same])
  expect(said.error.code).toBe('CLAIM_NOT_HELD')
  expect(
    (await opened.call('GET /v1/workers', { as: EVE })).body.workers.map((one: { worker: string }) => one.worker),
  ).toEqual(['robot'])
})

it('lets a worker do nothing but work [AUT-13, AUT-14]', async () => {
  const { call } = await open()
  for (const line of ['GET /v1/executions', 'GET /v1/workers', 'GET /v1/plans'])
    expect((await call(line, { as: WORKER })).status).toBe(403)
  expect((await call('POST /v1/work/claim', { as: 'acme.vi.viewer', body: {} })).status).toBe(403)
})

it('tells which steps wait for a worker, and which worker has one, to its tenant alone', async () => {
  const opened = await open()
  const { worker, start, call } = opened
  const runs = [await start({ rows: 1 }), await start({ rows: 2 })]
  const listed = async (): Promise<readonly Record<string, unknown>[]> => (await call('GET /v1/work')).body.work
  await expect.poll(async () => (await listed()).map(({ executionId }) => executionId)).toEqual(runs)
  const waits = { slot: 'train', attempt: 1, queue: 'gpu', handler: 'train', claims: 0, offeredAt: expect.any(String) }
  expect(await listed()).toEqual(runs.map((executionId) => ({ executionId, ...waits })))
  const { claim } = await worker.claimOne({ worker: 'w1' })
  const has = { claims: 1, worker: 'w1', claimedAt: expect.any(String), leaseUntil: expect.any(String) }
  expect((await listed())[0]).toEqual({ executionId: runs[0], ...waits, ...has })
  expect((await call('GET /v1/work?limit=1')).body.work.length).toBe(1)
  expect((await call('GET /v1/work', { as: EVE })).body).toEqual({ work: [] })
  expect((await call('GET /v1/work', { as: WORKER })).status).toBe(403)
  await worker.done(claim, { model: 'm' })
  await ended(opened, runs[0] ?? '', 'COMPLETED')
  expect((await listed()).map(({ executionId }) => executionId)).toEqual([runs[1]])
})
