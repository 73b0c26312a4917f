/** How long steps of queues wait and may take, what is said of that, and what requests of workers may ask for. */
import { afterEach, expect, it } from 'vitest'
import { compilePlan } from '../../src/app/plans/compile.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { openKeelson } from '../../src/main.ts'
import { eventsOf, WORKER } from './a-worker.ts'
import { ended, openFar, TRAIN, typesOf, type Far } from './far-steps.ts'
import type { Served } from './served.ts'

let server: Served | undefined
afterEach(async () => server?.[Symbol.asyncDispose]())

async function open(plan: string = TRAIN): Promise<Far> {
  const opened = await openFar(plan)
  server = opened
  return opened
}

it('says why a step waits: which queue, which function, and when a worker last asked for it', async () => {
  const opened = await open()
  const runId = await opened.start()
  const why = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await opened.call(`GET /v1/executions/${runId}/why/train`)).body.causes
  const waits = { kind: 'waiting-for-worker', queue: 'gpu', handler: 'train', since: expect.any(Number) }
  await expect.poll(why).toEqual([expect.objectContaining({ kind: 'running', attempt: 1 }), waits])
  await opened.worker.claim({ queues: ['cpu'] })
  await opened.worker.claim({ handlers: ['serve'], worker: 'w2' })
  expect(await why()).toEqual([expect.objectContaining({ kind: 'running' }), waits])
  const { claim } = await opened.worker.claimOne({ worker: 'w3', leaseMs: 1_000 })
  const has = { kind: 'with-worker', queue: 'gpu', worker: 'w3', since: expect.any(Number), until: expect.any(Number) }
  expect(await why()).toEqual([expect.objectContaining({ kind: 'running' }), has])
  await opened.worker.report(claim, { outcome: 'failed', error: { message: 'once more', code: 'ECONNRESET' } })
  await expect
    .poll(why)
    .toEqual([expect.objectContaining({ kind: 'running', attempt: 2 }), { ...waits, askedAt: expect.any(Number) }])
})

it('ends an attempt whose time is up, counted from its claim, and takes no report of it', async () => {
  const opened = await open(TRAIN.replace('    retry:', '    timeout: 1s\n    retry:'))
  const { worker, start } = opened
  const runId = await start()
  const first = await worker.claimOne()
  const second = await worker.claimOne()
  expect([first.attempt, second.attempt]).toEqual([1, 2])
  expect((await worker.beat(first.claim)).body.answer).toBe('cancel')
  expect((await worker.done(first.claim, { model: 'old' })).body.recorded).toBe('late')
  await worker.done(second.claim, { model: 'new' })
  await ended(opened, runId, 'COMPLETED')
  const failed = (await eventsOf(opened, runId)).find(({ eventType }) => eventType === 'StepFailed')
  expect(failed?.payload['error']).toMatchObject({ code: 'TIMEOUT' })
  expect((await opened.call(`GET /v1/executions/${runId}`)).body.output).toEqual({ model: 'new' })
})

it('lets a step wait for a worker without an end of its own time, and gives up after the time for queues', async () => {
  await using keelson = await openKeelson({ directory: ':memory:', engine: 'mock' })
  const plan = TRAIN.replace('{ maxAttempts: 2, initialBackoff: 1ms }', '{ maxAttempts: 1 }')
  const run = await keelson.start(loadPlan(plan.replace('    retry:', '    timeout: 1s\n    retry:')), { rows: 1 })
  const { status } = await run.result()
  expect(status).toBe('FAILED')
  const events = await run.records()
  expect(events.find(({ eventType }) => eventType === 'StepFailed')?.payload?.['error']).toMatchObject({
    code: 'WORK_UNCLAIMED',
    retryable: false,
  })
  const [begun, given] = ['StepStarted', 'StepFailed'].map((type) =>
    Date.parse(events.find(({ eventType }) => eventType === type)?.emittedAt ?? ''),
  )
  expect((given ?? 0) - (begun ?? 0)).toBe(LIMITS.queueAllowanceMs)
})

it.each([
  ['workClaims', 'max', 1],
  ['workWaitMs', 'waitMs', 1],
  ['workLeaseMsMax', 'leaseMs', 1],
  ['workLeaseMsMin', 'leaseMs', -1],
] as const)('takes %s for %s and refuses what is beyond it', async (limit, field, step) => {
  const { call, start, worker } = await open()
  await start()
  await worker.claimOne({ [field]: LIMITS[limit] })
  const body = { queues: ['gpu'], handlers: ['train'], [field]: LIMITS[limit] + step }
  const refused = await call('POST /v1/work/claim', { as: WORKER, body })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'BODY_INVALID'])
})

it('hands out at most as many steps as a worker asks for', async () => {
  const plan = `plan: many\nversion: 1.0.0\nsteps: [{ id: train, forEach: "input.items", run: train, dispatch: { queue: gpu } }]\n`
  const opened = await open(plan)
  const runId = await opened.start({ items: [1, 2, 3, 4, 5] })
  await expect
    .poll(async () => typesOf(await eventsOf(opened, runId)).filter((type) => type === 'StepStarted').length)
    .toBe(6)
  const first = await opened.worker.claimOne({ max: 1 })
  const more = await opened.worker.claim({ max: 3 })
  expect([first, ...more].map(({ slot }) => slot)).toEqual(['train[0]', 'train[1]', 'train[2]', 'train[3]'])
  for (const { claim, itemIndex } of [first, ...more, ...(await opened.worker.claim({ max: 9 }))])
    await opened.worker.done(claim, itemIndex)
  await ended(opened, runId, 'COMPLETED')
})

it('refuses a report that says neither what came of it nor what failed', async () => {
  const opened = await open()
  await opened.start()
  const { claim } = await opened.worker.claimOne()
  for (const body of [{ outcome: 'failed' }, { outcome: 'completed', error: { message: 'x' } }])
    expect((await opened.worker.report(claim, body)).body.error.code).toBe('BODY_INVALID')
})

it('refuses a queue for what is no function, and isolation for what runs elsewhere', () => {
  const refused = (step: string): readonly string[] => {
    const read = compilePlan(`plan: p\nversion: 1.0.0\nsteps: [{ id: a, ${step} }]\n`)
    return read.ok ? [] : read.problems.map(({ message }) => message)
  }
  expect(refused('run: f, dispatch: { queue: gpu }')).toEqual([])
  expect(refused('http: { url: "https://example.com" }, dispatch: { queue: gpu }')).toEqual([
    `remote workers call functions: a 'http' step has no 'queue'`,
  ])
  expect(refused('run: f, isolation: thread, dispatch: { queue: gpu }')).toEqual([
    'a step of the queue of remote workers runs there, and is not isolated here',
  ])
  expect(refused('run: f, dispatch: { queue: "a b" }')).toHaveLength(1)
})
