/** Limits for starts over HTTP: what becomes of a start for which there is no room, and what frees a place. */
import { expect, it } from 'vitest'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import type { WhoAsks } from '../../src/edge/http/who/who-asks.ts'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { storeOf } from '../../src/library/services-of.ts'
import { until } from '../fixtures/until.ts'
import { heldServer, type Held } from './held-run.ts'
import { BOB, EVE, type Answered } from './served.ts'

const WITH_CLOCKWORK = { hasClockwork: true } as const

async function limited(server: Held, body: object, name = 'tenant'): Promise<void> {
  expect((await server.call(`PUT /v1/limits/${name}`, { body })).status).toBe(200)
}

const start = (server: Held, more: object = {}): Promise<Answered> =>
  server.call('POST /v1/executions', { body: { planId: 'held', ...more } })

const eventsOf = async (server: Held, executionId: string): Promise<readonly string[]> =>
  (await server.log(executionId)).map(({ eventType }) => eventType)

const statusOf = async (server: Held, executionId: string): Promise<string> =>
  (await server.call(`GET /v1/executions/${executionId}`)).body.status

it('rejects a start at the limit with 429 and Retry-After, stores nothing, and takes the same request id later [BPQ-01, BPQ-02, X-86]', async () => {
  await using server = await heldServer({}, WITH_CLOCKWORK)
  await limited(server, { maxRunning: 1, whenFull: 'REJECT' })
  const first = await server.started()
  const asked = { runRequestId: 'order-17' }
  const refused = await start(server, asked)
  expect(refused.status).toBe(429)
  expect(refused.body.error).toMatchObject({
    code: 'RUN_LIMIT_REACHED',
    category: 'RESOURCE_EXHAUSTED',
    retryable: true,
    details: { limit: 'tenant', retryAfterSeconds: 5 },
  })
  expect(refused.headers.get('retry-after')).toBe('5')
  const listed = (await server.call('GET /v1/executions')).body.executions
  expect(listed.map((row: { readonly executionId: string }) => row.executionId)).toEqual([first])
  await server.cancelled(first)
  const taken = await start(server, asked)
  expect(taken.status).toBe(202)
  expect((await start(server, asked)).body.executionId).toBe(taken.body.executionId)
})

it('queues a start at the limit as PENDING with one RunQueued and its place, and starts it when there is room [BPQ-01, BPQ-03, EVT-03]', async () => {
  await using server = await heldServer({}, WITH_CLOCKWORK)
  await limited(server, { maxRunning: 1, whenFull: 'QUEUE' })
  const first = await server.started()
  const second = (await start(server)).body.executionId
  const third = (await start(server)).body.executionId
  expect([await statusOf(server, second), await eventsOf(server, second)]).toEqual(['PENDING', ['RunQueued']])
  const queued = (await server.call('GET /v1/queue')).body.executions
  const places = queued.map(({ executionId, waitsFor }: { executionId: string; waitsFor: object[] }) => ({
    executionId,
    waitsFor,
  }))
  const since = expect.any(String)
  expect(places).toEqual([
    { executionId: third, waitsFor: [{ limit: 'tenant', position: 2, since, heldBy: [first] }] },
    { executionId: second, waitsFor: [{ limit: 'tenant', position: 1, since, heldBy: [first] }] },
  ])
  await server.cancelled(first)
  await until(async () => (await statusOf(server, second)) === 'RUNNING')
  expect((await eventsOf(server, second)).slice(0, 4)).toEqual([
    'RunQueued',
    'RunApproved',
    'RunStarted',
    'StepStarted',
  ])
  expect(await statusOf(server, third)).toBe('PENDING')
  server.release()
  await until(async () => (await statusOf(server, third)) === 'COMPLETED')
  expect(await eventsOf(server, first)).not.toContain('RunQueued')
})

it('replaces the oldest run: it is cancelled with a reason that names the new one, which starts when it has ended [BPQ-01]', async () => {
  await using server = await heldServer({}, WITH_CLOCKWORK)
  await limited(server, { maxRunning: 1, whenFull: 'REPLACE_OLDEST' })
  const first = await server.started()
  const second = (await start(server)).body.executionId
  await until(async () => (await statusOf(server, second)) === 'RUNNING')
  expect(await statusOf(server, first)).toBe('CANCELLED')
  const cancel = (await server.call(`GET /v1/executions/${first}/signals`)).body.decisions[0]
  expect(cancel.signalPayload).toEqual({ reason: `replaced by run ${second}: the limit 'tenant' keeps the newest` })
})

it('says which limit a run waits for and what would free a place, to its own tenant alone', async () => {
  await using server = await heldServer({}, WITH_CLOCKWORK)
  await limited(server, { maxRunning: 1, whenFull: 'QUEUE' }, 'plan:held')
  const first = await server.started()
  const second = (await start(server)).body.executionId
  const why = (await server.call(`GET /v1/executions/${second}/why`)).body
  const since = expect.any(Number)
  expect(why.steps[0].causes[0]).toMatchObject({
    kind: 'run-not-started',
    status: 'PENDING',
    limits: [{ limit: 'plan:held', position: 1, since, heldBy: [first] }],
  })
  const mine = (await server.call('GET /v1/resources')).body.resources
  expect(mine).toMatchObject([{ capacity: 1, used: 1, waiting: 1, holders: [{ executionId: first, slot: 'RUN' }] }])
  expect((await server.call('GET /v1/resources', { as: EVE })).body.resources).toEqual([])
})

it('is shown with who set it and when, is changed while runs wait, and frees them when it is taken away', async () => {
  await using server = await heldServer({}, WITH_CLOCKWORK)
  const before = Date.now()
  await limited(server, { maxRunning: 1 })
  await server.started()
  const [second, third] = [(await start(server)).body.executionId, (await start(server)).body.executionId]
  const [shown] = (await server.call('GET /v1/limits', { as: BOB })).body.limits
  expect(shown).toEqual({
    name: 'tenant',
    maxRunning: 1,
    whenFull: 'QUEUE',
    priority: 0,
    setBy: 'ana',
    setAt: shown.setAt,
  })
  expect(Date.parse(shown.setAt)).toBeGreaterThanOrEqual(before)
  await limited(server, { maxRunning: 2 })
  await until(async () => (await statusOf(server, second)) === 'RUNNING')
  expect(await statusOf(server, third)).toBe('PENDING')
  expect((await server.call('DELETE /v1/limits/tenant', { as: EVE })).body.error.code).toBe('LIMIT_NOT_FOUND')
  expect((await server.call('DELETE /v1/limits/tenant')).status).toBe(200)
  await until(async () => (await statusOf(server, third)) === 'RUNNING')
})

it('counts runs by the concurrencyKey of their plan: one value waits while another starts', async () => {
  await using server = await heldServer({}, WITH_CLOCKWORK)
  await server.publish(
    `plan: keyed\nversion: 1.0.0\nconcurrencyKey: '\${input.customer}'\nsteps: [{ id: a, run: held }]\n`,
  )
  await limited(server, { maxRunning: 1 }, 'key:keyed')
  const statuses: string[] = []
  for (const customer of ['a', 'a', 'b']) {
    const asked = { body: { planId: 'keyed', input: { customer } } }
    statuses.push(await statusOf(server, (await server.call('POST /v1/executions', asked)).body.executionId))
  }
  expect(statuses).toEqual(['RUNNING', 'PENDING', 'RUNNING'])
})

it('starts an approved run of the queue by itself, and a delayed one not before its time [BPQ-04, BPQ-11]', async () => {
  await using server = await heldServer({}, WITH_CLOCKWORK)
  const asks = (await start(server, { queue: true, needsApproval: true })).body.executionId
  const notBefore = new Date(Date.now() + 700).toISOString()
  const delayed = (await start(server, { notBefore })).body.executionId
  expect([await statusOf(server, asks), await statusOf(server, delayed)]).toEqual(['PENDING', 'PENDING'])
  expect(await eventsOf(server, delayed)).toEqual(['RunQueued'])
  expect((await server.call(`POST /v1/queue/${asks}/approve`, { as: BOB })).status).toBe(200)
  await until(async () => (await statusOf(server, asks)) === 'RUNNING')
  await until(async () => (await statusOf(server, delayed)) === 'RUNNING')
  const begun = (await server.log(delayed)).find(({ eventType }) => eventType === 'RunStarted')
  expect(Date.parse(begun?.emittedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(notBefore))
})

it('delays a start at the limit: accepted, PENDING with its instant, and no RunStarted before it [BPQ-01, X-85]', async () => {
  await using server = await heldServer()
  await limited(server, { ratePerMinute: 1, whenFull: 'DELAY' })
  const begun = (await start(server)).body.executionId
  let asked = Date.now()
  let delayed = await start(server)
  // The minute may have turned before it.
  if ((await statusOf(server, delayed.body.executionId)) === 'RUNNING') {
    asked = Date.now()
    delayed = await start(server)
  }
  expect(delayed.status).toBe(202)
  const [queued] = await server.log(delayed.body.executionId)
  expect(queued).toMatchObject({ eventType: 'RunQueued', payload: { policy: 'DELAY' } })
  const notBefore = Date.parse(String(queued?.payload?.['notBefore']))
  expect([notBefore % 60_000, notBefore > asked, notBefore <= asked + 60_000]).toEqual([0, true, true])
  expect(await eventsOf(server, begun)).not.toContain('RunQueued')
})

it('refuses a plan that asks for more steps at once than an administrator allows its tenant [SCH-12]', async () => {
  await using server = await heldServer()
  await limited(server, { maxConcurrentSteps: 10 })
  const text = (steps: number): string =>
    `plan: wide\nversion: 1.0.${steps}\npolicy: { concurrency: ${steps} }\nsteps: [{ id: a, run: echo }]\n`
  const refused = await server.call('PUT /v1/plans', { body: { text: text(11) } })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'PLAN_OVER_QUOTA'])
  expect((await server.call('PUT /v1/plans', { body: { text: text(10) } })).status).toBeLessThan(300)
  await limited(server, { maxConcurrentSteps: 9 })
  const started = await server.call('POST /v1/executions', { body: { planId: 'wide' } })
  expect([started.status, started.body.error.code]).toEqual([403, 'PLAN_OVER_QUOTA'])
})

it('refuses a limit that is none: of an unknown name, without a number, or of steps beside the tenant', async () => {
  await using server = await heldServer()
  const codeOf = async (name: string, body: object): Promise<string> =>
    (await server.call(`PUT /v1/limits/${name}`, { body })).body.error.code
  expect(await codeOf('everything', { maxRunning: 1 })).toBe('LIMIT_INVALID')
  expect(await codeOf('tenant', {})).toBe('LIMIT_INVALID')
  expect(await codeOf('plan:held', { maxConcurrentSteps: 3 })).toBe('LIMIT_INVALID')
  expect(await codeOf('tenant', { maxRunning: 0 })).toBe('BODY_INVALID')
})

it('keeps the flood of one tenant from the starts of another [BPQ-09]', async () => {
  await using server = await heldServer({}, WITH_CLOCKWORK)
  await server.publish('plan: held\nversion: 1.0.0\nsteps: [{ id: a, run: echo }]\n', 'evil')
  await limited(server, { maxRunning: 1 })
  await server.started()
  for (let n = 0; n < 40; n += 1) await start(server)
  const told: string[] = []
  const evil = { tenantId: 'evil', projectId: 'default', environmentId: 'local', actorId: 'eve' }
  const subscription = onBehalf(server.keelson, evil).subscribe(
    'outbox',
    ({ record }) => void told.push(record.eventType),
  )
  const other = await server.call('POST /v1/executions?mode=sync', { as: EVE, body: { planId: 'held', input: {} } })
  expect([other.status, other.body.status]).toEqual([200, 'COMPLETED'])
  await until(async () => told.includes('RunCompleted'))
  await subscription.stop()
  const waiting = (await server.call('GET /v1/queue?limit=100')).body.executions
  expect(waiting.length).toBe(40)
})

it('a limit of a tenant is not that of a tenant whose name ends alike [BPQ-09]', async () => {
  // The issuer names tenants; some name them as addresses.
  const who: WhoAsks = ({ header }) => {
    const tenantId = header('authorization')?.slice('Bearer '.length) ?? ''
    return { tenantId, actorId: 'ana', projectId: 'default', environmentId: 'local', kind: 'user', roles: ['Admin'] }
  }
  await using server = await heldServer({}, { who, ...WITH_CLOCKWORK })
  const as = 'crew@corp'
  await onBehalf(server.keelson, { ...LOCAL_PRINCIPAL, tenantId: as }).publish(
    loadPlan('plan: held\nversion: 1.0.0\nsteps: [{ id: first, run: held }]\n'),
  )
  const limit = { maxRunning: 1, whenFull: 'REJECT' }
  expect((await server.call('PUT /v1/limits/tenant', { as, body: limit })).status).toBe(200)
  const begun = async (): Promise<number> =>
    (await server.call('POST /v1/executions', { as, body: { planId: 'held' } })).status
  expect([await begun(), await begun()]).toEqual([202, 429])
  const room = async (): Promise<readonly number[]> =>
    (await storeOf(server.keelson).listPools()).map(({ capacity }) => capacity)
  expect(await room()).toEqual([1])
  const wide = { ...limit, maxRunning: 9 }
  expect((await server.call('PUT /v1/limits/tenant', { as: 'corp', body: wide })).status).toBe(200)
  expect(await room()).toEqual([1])
  expect((await server.call('DELETE /v1/limits/tenant', { as: 'corp' })).status).toBe(200)
  expect([await room(), await begun()]).toEqual([[1], 429])
})
