/** Pauses of a whole plan or tenant over HTTP, and events from outside. */
import { expect, it } from 'vitest'
import { until } from '../fixtures/until.ts'
import { heldServer, type Held } from './held-run.ts'
import { BOB, EVE } from './served.ts'

const statusOf = async (server: Held, executionId: string): Promise<string> =>
  (await server.call(`GET /v1/executions/${executionId}`)).body.status

const becomes = (server: Held, executionId: string, status: string): Promise<void> =>
  until(async () => (await statusOf(server, executionId)) === status)

it('pauses every run of a plan, those that start meanwhile too, and its end resumes just these [P-23]', async () => {
  await using server = await heldServer()
  const [running, byHand] = [await server.started(), await server.started()]
  await server.signal(byHand, { signalType: 'PAUSE' })
  await becomes(server, byHand, 'PAUSED')
  const set = await server.call('PUT /v1/pauses/plan:held', { body: { reason: 'stock count' } })
  const said = { setBy: 'ana', setAt: expect.any(String), since: expect.any(String) }
  expect([set.status, set.body]).toEqual([200, { scope: 'plan:held', reason: 'stock count', ...said }])
  await becomes(server, running, 'PAUSED')
  const { executionId: late } = (await server.call('POST /v1/executions', { body: { planId: 'held' } })).body
  await becomes(server, late, 'PAUSED')
  expect((await server.call('GET /v1/pauses')).body).toEqual({
    pauses: [{ scope: 'plan:held', reason: 'stock count', ...said }],
  })
  const why = (await server.call(`GET /v1/executions/${late}/why`)).text
  expect(why).toContain('plan:held')
  const lifted = await server.call('DELETE /v1/pauses/plan:held')
  expect([lifted.status, lifted.body]).toEqual([200, { scope: 'plan:held', lifted: 'yes' }])
  for (const run of [running, late]) await becomes(server, run, 'RUNNING')
  expect(await statusOf(server, byHand)).toBe('PAUSED')
  const paused = (await server.log(running)).find(({ eventType }) => eventType === 'RunPaused')
  expect(paused?.payload).toMatchObject({ scope: 'plan:held', reason: 'stock count' })
  expect((await server.call('GET /v1/pauses')).body).toEqual({ pauses: [] })
})

it('is one pause however often it is set, and can be lifted again by whoever was cut off in the middle [P-23]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const first = (await server.call('PUT /v1/pauses/tenant', { body: { reason: 'first' } })).body
  await server.call('PUT /v1/pauses/tenant', { as: BOB, body: { reason: 'second' } })
  const { pauses } = (await server.call('GET /v1/pauses')).body
  expect(pauses).toEqual([
    { scope: 'tenant', reason: 'second', setBy: 'bob', setAt: expect.any(String), since: first.since },
  ])
  await becomes(server, run, 'PAUSED')
  expect((await server.call('DELETE /v1/pauses/tenant')).status).toBe(200)
  expect((await server.call('DELETE /v1/pauses/tenant')).status).toBe(200)
  await becomes(server, run, 'RUNNING')
  const types = (await server.log(run)).map(({ eventType }) => eventType)
  expect(types.filter((type) => /RunPaused|RunResumed/.test(type))).toEqual(['RunPaused', 'RunResumed'])
})

it('belongs to its tenant, is set by operators alone, and spans no tenants', async () => {
  await using server = await heldServer()
  await server.call('PUT /v1/pauses/tenant', { body: {} })
  expect((await server.call('GET /v1/pauses', { as: EVE })).body).toEqual({ pauses: [] })
  expect((await server.call('DELETE /v1/pauses/tenant', { as: EVE })).body.error.code).toBe('PAUSE_NOT_FOUND')
  expect((await server.call('PUT /v1/pauses/tenant', { as: 'acme.vic.viewer', body: {} })).status).toBe(403)
  const fleet = await server.call('PUT /v1/pauses/fleet', { body: {} })
  expect([fleet.status, fleet.body.error.code]).toEqual([400, 'PAUSE_INVALID'])
})

const WAITS = `
plan: waits
version: 1.0.0
steps: [{ id: paid, wait: { forEvent: order.paid, key: '\${input.id}' } }]
output: '\${steps.paid.output}'
`

it('an event reaches the run that waits for its key, once, and no other tenant can send it', async () => {
  await using server = await heldServer()
  await server.publish(WAITS)
  const input = { id: 'A-17' }
  const { executionId } = (await server.call('POST /v1/executions', { body: { planId: 'waits', input } })).body
  const event = { name: 'order.paid', key: 'A-17', data: { amount: 120 }, id: 'pay-1' }
  await server.call('POST /v1/events', { as: EVE, body: { ...event, data: 'not yours' } })
  await until(async () => (await server.call(`GET /v1/executions/${executionId}/why`)).text.includes('order.paid'))
  const sent = await server.call('POST /v1/events', { as: BOB, body: event })
  expect(sent.body).toEqual({ kind: 'sent', id: 'pay-1', waiting: 1, expiresAt: expect.any(String) })
  await becomes(server, executionId, 'COMPLETED')
  expect((await server.call(`GET /v1/executions/${executionId}`)).body.output).toEqual({ amount: 120 })
  expect((await server.call('POST /v1/events', { body: event })).body).toMatchObject({ kind: 'repeat', waiting: 0 })
  const other = await server.call('POST /v1/events', { body: { ...event, data: 'another' } })
  expect([other.status, other.body.error.code]).toEqual([409, 'EVENT_DUPLICATE'])
})
