/** Signals that wait for a second person, and decisions that cannot be stored. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { roleRules } from '../../src/app/identity/role-rules.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import { heldServer, type Held } from './held-run.ts'
import { ANA, BOB, EVE } from './served.ts'

const STOP = { signalType: 'EMERGENCY_STOP', payload: { reason: 'fire' } }
const approvals = { approvalFor: ['EMERGENCY_STOP', 'UPDATE_PARAMS', 'PAUSE', 'RETRY_RUN'] }

async function pending(server: Held, run: string): Promise<string> {
  const sent = await server.signal(run, STOP)
  expect([sent.status, sent.body.decision, sent.body.approvalRequired]).toEqual([202, 'PENDING', true])
  return sent.body.signalDecisionId
}

it('is not applied until a second person accepts it, and then once, whoever else tries [AUT-03, AUT-04]', async () => {
  await using server = await heldServer({}, approvals)
  const run = await server.started()
  const signal = { ...STOP, signalId: randomUUID() }
  const first = await server.signal(run, signal)
  const id = first.body.signalDecisionId
  expect((await server.signal(run, signal)).body).toEqual(first.body)
  expect(await server.answers(run)).toEqual([])
  expect((await server.call(`GET /v1/executions/${run}`)).body.status).toBe('RUNNING')
  expect((await server.call('GET /v1/decisions?state=PENDING')).body.decisions).toEqual([first.body])
  const both = await Promise.all(
    [BOB, 'acme.carl.Admin', BOB].map((as) => server.call(`POST /v1/decisions/${id}/accept`, { as, body: {} })),
  )
  expect(both.map(({ status }) => status)).toEqual([200, 200, 200])
  const [settled] = both
  expect(settled?.body).toMatchObject({ decision: 'ACCEPTED', approvalRequired: true, signalId: signal.signalId })
  expect(['bob', 'carl']).toContain(settled?.body.approvedBy)
  expect(new Set(both.map(({ body }) => body.approvedBy)).size).toBe(1)
  expect((await server.answers(run)).map(({ eventType }) => eventType)).toEqual(['SignalAccepted'])
  expect((await server.answers(run))[0]?.payload).toMatchObject({ actorId: 'ana', signalType: 'EMERGENCY_STOP' })
  expect((await server.call(`GET /v1/executions/${run}`)).body.status).toBe('CANCELLED')
  expect((await server.call('GET /v1/decisions?state=PENDING')).body.decisions).toEqual([])
})

it('is never applied once a second person has refused it, and the log has the refusal [AUT-04, SIG-15]', async () => {
  await using server = await heldServer({}, approvals)
  const run = await server.started()
  const id = await pending(server, run)
  const refused = await server.call(`POST /v1/decisions/${id}/refuse`, { as: BOB, body: { reason: 'no fire here' } })
  expect([refused.status, refused.body]).toEqual([
    200,
    expect.objectContaining({ decision: 'REJECTED', approvedBy: 'bob', reason: 'no fire here' }),
  ])
  const late = await server.call(`POST /v1/decisions/${id}/accept`, { as: BOB, body: {} })
  expect([late.status, late.body.error.code]).toEqual([409, 'DECISION_SETTLED'])
  expect((await server.answers(run)).map(({ eventType, payload }) => [eventType, payload?.['reasonCode']])).toEqual([
    ['SignalRejected', 'AUTHZ_DENIED'],
  ])
  expect((await server.call(`GET /v1/executions/${run}`)).body.status).toBe('RUNNING')
})

it('is not decided by its sender, by who lacks the role, or from another tenant [AUT-04, AUT-09, AUT-10]', async () => {
  await using server = await heldServer({}, approvals)
  const run = await server.started()
  const id = await pending(server, run)
  const answerOf = async (as: string) => {
    const { status, body } = await server.call(`POST /v1/decisions/${id}/accept`, { as, body: {} })
    return [status, body.error?.code]
  }
  expect(await answerOf(ANA)).toEqual([403, 'AUTHZ_DENIED'])
  expect(await answerOf('acme.op.Operator')).toEqual([403, 'AUTHZ_DENIED'])
  expect(await answerOf('acme.eye.viewer')).toEqual([403, 'AUTHZ_DENIED'])
  expect(await answerOf(EVE)).toEqual([404, 'SIGNAL_NOT_FOUND'])
  expect(await server.answers(run)).toEqual([])
  expect(await answerOf(BOB)).toEqual([200, undefined])
})

it('is judged by the state of the run at the time when it is accepted [AUT-04, SIG-05]', async () => {
  await using server = await heldServer({}, approvals)
  const run = await server.started()
  const id = await pending(server, run)
  await server.cancelled(run)
  const late = await server.call(`POST /v1/decisions/${id}/accept`, { as: BOB, body: {} })
  expect([late.status, late.body.error.code]).toEqual([409, 'RUN_TERMINAL'])
  const [record] = (await server.call('GET /v1/decisions')).body.decisions
  expect(record).toMatchObject({ decision: 'ACCEPTED', engineResult: { status: 'failure', errorCode: 'RUN_TERMINAL' } })
})

it('starts the new run of a RETRY_RUN when it is accepted, in the name of its sender [AUT-04, SIG-07, X-20]', async () => {
  await using server = await heldServer({}, approvals)
  const run = await server.started()
  await server.cancelled(run)
  const sent = await server.signal(run, { signalType: 'RETRY_RUN', payload: { reason: 'again' } })
  expect([sent.status, sent.body.startedExecutionId]).toEqual([202, undefined])
  const { body } = await server.call(`POST /v1/decisions/${sent.body.signalDecisionId}/accept`, { as: BOB, body: {} })
  const fresh = await server.call(`GET /v1/executions/${body.startedExecutionId}`)
  expect(fresh.body).toMatchObject({ originalExecutionId: run, triggeredBy: 'ana' })
})

it('does nothing at all when its decision cannot be stored, from any door [AUT-02]', async () => {
  const inner = openMemoryStore({ clock: systemClock })
  let isBroken = false
  const store = {
    ...inner,
    recordDecision: async (...given: Parameters<typeof inner.recordDecision>) => {
      if (isBroken) throw new KeelsonError([problem('STORE_UNAVAILABLE', 'the disk is gone')])
      return inner.recordDecision(...given)
    },
  }
  await using server = await heldServer({ store })
  const run = await server.started()
  const before = await server.log(run)
  isBroken = true
  const sent = await server.signal(run, { signalType: 'PAUSE' })
  expect([sent.status, sent.body.error.code]).toEqual([503, 'STORE_UNAVAILABLE'])
  const cancelled = await server.call(`POST /v1/executions/${run}/cancel`, { body: {} })
  expect([cancelled.status, cancelled.body.error.code]).toEqual([503, 'STORE_UNAVAILABLE'])
  const actor = { userId: 'op', roles: ['Operator'], tenantId: 'acme' }
  const signal = { signalId: randomUUID(), signalType: 'PAUSE', payload: {} }
  await expect(server.keelson.as(actor).signal(run, signal)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  isBroken = false
  expect(await server.log(run)).toEqual(before)
  expect(await inner.listDecisions('acme', {}, { limit: 10 })).toEqual({ decisions: [] })
})

it('keeps a decision of the authorization service only under a UUID of version 4, and each under its own [AUT-08]', async () => {
  const rules = roleRules({ uuid: randomUUID })
  const odd = {
    evaluate: async (asked: Parameters<typeof rules.evaluate>[0]) => ({
      ...(await rules.evaluate(asked)),
      policyDecisionId: 'p-1',
    }),
  }
  await using server = await heldServer({}, { authorizer: odd })
  const run = await server.started()
  const denied = await server.signal(run, { signalType: 'PAUSE' })
  expect([denied.status, denied.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  await using other = await heldServer()
  const held = await other.started()
  const ids = new Set<string>()
  for (const signalType of ['PAUSE', 'RESUME', 'PAUSE', 'RESUME'])
    ids.add((await other.signal(held, { signalType })).body.policyDecisionId)
  expect(ids.size).toBe(4)
})

it('refuses the sixty-first signal to a run within a minute, and says when to come again [SIG-10]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const first = { signalId: randomUUID(), signalType: 'PAUSE' }
  await server.signal(run, first)
  for (let sent = 1; sent < 60; sent += 1) expect((await server.signal(run, { signalType: 'PAUSE' })).status).toBe(200)
  const more = await server.signal(run, { signalType: 'RESUME' })
  expect([more.status, more.body.error.code, more.headers.get('retry-after')]).toEqual([
    429,
    'SIGNAL_RATE_EXCEEDED',
    '60',
  ])
  expect((await server.signal(run, first)).status).toBe(200)
})
