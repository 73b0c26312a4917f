/** The queue and the pools over HTTP, as people look at them: in order, with who may not and why, and who has what since when. */
import { expect, it } from 'vitest'
import { heldServer, type Held } from './held-run.ts'
import { BOB, type Answered } from './served.ts'

async function limited(server: Held, body: object, name = 'tenant'): Promise<void> {
  expect((await server.call(`PUT /v1/limits/${name}`, { body })).status).toBe(200)
}

const start = (server: Held): Promise<Answered> => server.call('POST /v1/executions', { body: { planId: 'held' } })

it('shows the value of a concurrency key while it is in use, and then no more', async () => {
  await using server = await heldServer()
  await server.publish(
    `plan: keyed\nversion: 1.0.0\nconcurrencyKey: '\${input.customer}'\nsteps: [{ id: a, run: held }]\n`,
  )
  await limited(server, { maxRunning: 1 }, 'key:keyed')
  const asked = { body: { planId: 'keyed', input: { customer: 'a' } } }
  const { executionId } = (await server.call('POST /v1/executions', asked)).body
  const pools = async () => (await server.call('GET /v1/resources')).body.resources
  expect(await pools()).toMatchObject([
    { pool: expect.stringMatching(/^limit:key%3Akeyed\/[0-9a-f]{32}@acme$/), used: 1 },
  ])
  await server.cancelled(executionId)
  expect(await pools()).toEqual([])
})

const ASKS = `
plan: asks
version: 1.0.0
steps: [{ id: sign, manual: { title: Sign, rule: MakerChecker } }]
`

it('tells the queue oldest first, who may not approve a run and why, and what this server could not start', async () => {
  await using server = await heldServer()
  await server.publish(ASKS)
  await server.publish('plan: far\nversion: 1.0.0\nsteps: [{ id: a, run: elsewhere }]\n')
  const admitted = async (planId: string, more: object = {}): Promise<string> =>
    (await server.call('POST /v1/executions', { body: { planId, queue: true, ...more } })).body.executionId
  const asks = await admitted('asks', { needsApproval: true })
  const free = await admitted('held', { needsApproval: true })
  const far = await admitted('far')
  const seen = async (query: string, as?: string) =>
    (await server.call(`GET /v1/queue?${query}`, as === undefined ? {} : { as })).body
  const why = 'ana may not approve the run: ana asked for it (MakerChecker)'
  const first = await seen('order=oldest&limit=2')
  expect(first.executions).toMatchObject([
    { executionId: asks, substatus: 'WAITING_APPROVAL', mayNot: { code: 'AUTHZ_DENIED', why } },
    { executionId: free, substatus: 'WAITING_APPROVAL' },
  ])
  expect(first.executions[1]).not.toHaveProperty('mayNot')
  const { executions, next } = await seen(`order=oldest&limit=2&cursor=${first.next}`)
  const cannotStart = { code: 'NO_HANDLER', why: "this process has no 'elsewhere'" }
  expect([executions, next]).toMatchObject([[{ executionId: far, cannotStart }], undefined])
  expect((await seen('limit=1')).executions[0].executionId).toBe(far)
  expect((await seen('order=oldest', BOB)).executions[0]).not.toHaveProperty('mayNot')
  const denied = await server.call(`POST /v1/queue/${asks}/approve`)
  expect([denied.status, denied.body.error.message]).toEqual([403, why])
})

it('tells who holds a place and since when, and that a place of a minute comes with time', async () => {
  await using server = await heldServer()
  await limited(server, { maxRunning: 1 }, 'plan:held')
  const before = Date.now()
  const holder = await server.started()
  const waiter = (await start(server)).body.executionId
  const asked = await server.call(`POST /v1/queue/${waiter}/start`)
  expect(asked.body).toEqual({ executionId: waiter, outcome: 'SKIPPED', status: 'PENDING' })
  const { resources } = (await server.call('GET /v1/resources')).body
  const since = expect.any(String)
  expect(resources).toEqual([
    {
      pool: 'limit:plan%3Aheld@acme',
      capacity: 1,
      used: 1,
      waiting: 1,
      holders: [{ executionId: holder, slot: 'RUN', amount: 1, since }],
      waiters: [{ executionId: waiter, slot: 'RUN', amount: 1, since }],
    },
  ])
  expect(Date.parse(resources[0].holders[0].since)).toBeGreaterThanOrEqual(before)
  await server.call('DELETE /v1/limits/plan:held')
  await limited(server, { ratePerMinute: 1 })
  for (let n = 0; n < 3; n += 1) await start(server)
  const { executions } = (await server.call('GET /v1/queue')).body
  expect(executions[0].waitsFor).toMatchObject([{ limit: 'tenant', perMinute: true, heldBy: [] }])
})

it('tells of several limits which of them has no room', async () => {
  await using server = await heldServer()
  await limited(server, { maxRunning: 1 }, 'plan:held')
  await limited(server, { maxRunning: 9 })
  const holder = await server.started()
  await start(server)
  const [{ waitsFor }] = (await server.call('GET /v1/queue')).body.executions
  const [full, roomy] = waitsFor.toSorted((a: { limit: string }, b: { limit: string }) => (a.limit < b.limit ? -1 : 1))
  const since = expect.any(String)
  expect(full).toEqual({ limit: 'plan:held', position: 1, since, heldBy: [holder] })
  expect(roomy).toEqual({ limit: 'tenant', position: 1, since, heldBy: [holder], hasRoom: true })
})
