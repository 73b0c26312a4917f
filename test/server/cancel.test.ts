/** Cancelling, forking, retrying, and the queue over HTTP. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { until } from '../fixtures/until.ts'
import { heldServer } from './held-run.ts'
import { ANA, BOB, EVE } from './served.ts'

it('cancels a run, again without effect, and names how another one ended [X-71, SIG-06, API-06]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const first = await server.call(`POST /v1/executions/${run}/cancel`, { body: { reason: 'no' } })
  expect([200, 202]).toContain(first.status)
  expect(first.headers.get('location')).toBe(`/v1/executions/${run}`)
  expect(first.headers.get('retry-after')).toBe(first.status === 202 ? '5' : null)
  server.release()
  await until(async () => (await server.call(`GET /v1/executions/${run}`)).body.status === 'CANCELLED')
  const again = await server.call(`POST /v1/executions/${run}/cancel`, { body: {} })
  expect([again.status, again.body]).toEqual([200, { executionId: run, status: 'CANCELLED', state: 'cancelled' }])
  expect(again.headers.get('location')).toBe(`/v1/executions/${run}`)
  expect(await server.answers(run)).toHaveLength(1)
  const [record] = (await server.call(`GET /v1/executions/${run}/signals`)).body.decisions
  expect(record).toMatchObject({ signalType: 'CANCEL', audit: { actorId: 'ana', reason: 'no' } })
})

it('refuses to cancel what completed, with its status [X-71, SIG-05, SIG-11]', async () => {
  await using server = await heldServer()
  server.release()
  const { body } = await server.call('POST /v1/executions?mode=sync', { body: { planId: 'held' } })
  const late = await server.call(`POST /v1/executions/${body.executionId}/cancel`, { body: {} })
  expect([late.status, late.body.error.code, late.body.error.details]).toEqual([
    409,
    'RUN_TERMINAL',
    { executionId: body.executionId, status: 'COMPLETED' },
  ])
  const paused = await server.signal(body.executionId, { signalType: 'PAUSE' })
  expect([paused.status, paused.body.error.code]).toEqual([409, 'RUN_TERMINAL'])
  expect(paused.body.error.message).toContain('RETRY_RUN')
})

it('lets nobody cancel who may not, nor another tenant [AUT-09, AUT-10]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const answerOf = async (as: string) => {
    const { status, body } = await server.call(`POST /v1/executions/${run}/cancel`, { as, body: {} })
    return [status, body.error.code]
  }
  expect(await answerOf('acme.eye.viewer')).toEqual([403, 'AUTHZ_DENIED'])
  expect(await answerOf(EVE)).toEqual([404, 'RUN_NOT_FOUND'])
  expect(await server.answers(run)).toEqual([])
})

it('starts one new run for a RETRY_RUN of an ended run, and leaves the old log as it is [SIG-07, X-20]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  await server.cancelled(run)
  const before = await server.log(run)
  const signal = { signalId: randomUUID(), signalType: 'RETRY_RUN', payload: { reason: 'again' } }
  const sent = await server.signal(run, signal)
  expect([sent.status, sent.body.decision]).toEqual([200, 'ACCEPTED'])
  expect((await server.signal(run, signal)).body.startedExecutionId).toBe(sent.body.startedExecutionId)
  const after = await server.log(run)
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after.slice(before.length).map(({ eventType }) => eventType)).toEqual(['SignalAccepted', 'RunForked'])
})

it('forks an ended run once for an Idempotency-Key, and shows before what a fork would do', async () => {
  await using server = await heldServer()
  server.release()
  const { body } = await server.call('POST /v1/executions?mode=sync', { body: { planId: 'held' } })
  const path = `POST /v1/executions/${body.executionId}/fork`
  const preview = await server.call(`${path}?preview=true`, { body: { from: 'second' } })
  expect(preview.body).toMatchObject({ taken: ['first'], again: { second: expect.anything() }, approval: 'none' })
  const forked = async () => server.call(path, { body: { from: 'second' }, headers: { 'idempotency-key': 'again-1' } })
  const first = await forked()
  expect(first.status).toBe(202)
  expect(first.body).toMatchObject({ originalExecutionId: body.executionId, existed: false })
  expect((await forked()).body.executionId).toBe(first.body.executionId)
  const foreign = await server.call(path, { as: EVE, body: {} })
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'RUN_NOT_FOUND'])
})

it('says of a cancellation that waits for a second person which decision that is, and stops nothing before [AUT-04]', async () => {
  await using server = await heldServer({}, { approvalFor: ['CANCEL'] })
  const run = await server.started()
  const asked = await server.call(`POST /v1/executions/${run}/cancel`, { body: {} })
  const { signalDecisionId, ...told } = asked.body
  expect([asked.status, told]).toEqual([
    202,
    { executionId: run, status: 'RUNNING', state: 'running', approvalRequired: true },
  ])
  const accepted = await server.call(`POST /v1/decisions/${signalDecisionId}/accept`, { as: BOB, body: {} })
  expect([accepted.status, accepted.body.decision]).toEqual([200, 'ACCEPTED'])
  server.release()
  await until(async () => (await server.call(`GET /v1/executions/${run}`)).body.status === 'CANCELLED')
})

it('a fork is for those who may send RETRY_RUN, and no way around a second person [AUT-04, AUT-05, SIG-01]', async () => {
  for (const approvalFor of [[], ['RETRY_RUN']]) {
    await using server = await heldServer({}, { approvalFor })
    server.release()
    const { body } = await server.call('POST /v1/executions?mode=sync', { body: { planId: 'held' } })
    const path = `POST /v1/executions/${body.executionId}/fork`
    const forked = async (role: string) => {
      const { status, body: told } = await server.call(path, { as: `acme.ana.${role}`, body: { from: 'second' } })
      return `${status} ${told.error?.code ?? ''} ${told.error?.message ?? ''}`.trim()
    }
    const needs =
      'ana may not fork a run, which needs the right to RETRY_RUN: RETRY_RUN needs one of the roles Engineer, Admin; ana has none of them'
    expect(await forked('Operator')).toBe(`403 AUTHZ_DENIED ${needs}`)
    const leftOut = 'RETRY_RUN needs a second person here, whom a fork would leave out: send the signal'
    for (const role of ['Engineer', 'Operator+Engineer', 'Admin'])
      expect(await forked(role)).toBe(approvalFor.length === 0 ? '202' : `403 AUTHZ_DENIED ${leftOut}`)
    const preview = await server.call(`${path}?preview=true`, { as: 'acme.ana.Operator', body: { from: 'second' } })
    expect(preview.status).toBe(200)
    expect((await server.call(path, { as: 'evil.eve.Operator', body: {} })).status).toBe(404)
  }
})

it('shows what is queued, and lets it start or end by the word of a second person', async () => {
  await using server = await heldServer()
  const asked = { body: { planId: 'held', queue: true, needsApproval: true } }
  const [one, two] = [await server.call('POST /v1/executions', asked), await server.call('POST /v1/executions', asked)]
  const queued = (await server.call('GET /v1/queue')).body.executions
  expect(queued.map((row: { readonly executionId: string }) => row.executionId).toSorted()).toEqual(
    [one.body.executionId, two.body.executionId].toSorted(),
  )
  expect((await server.call('GET /v1/queue', { as: EVE })).body.executions).toEqual([])
  const approved = await server.call(`POST /v1/queue/${one.body.executionId}/approve`, { as: BOB })
  expect([approved.status, approved.body]).toEqual([200, { executionId: one.body.executionId, status: 'APPROVED' }])
  const rejected = await server.call(`POST /v1/queue/${two.body.executionId}/reject`, {
    as: BOB,
    body: { reason: 'no' },
  })
  expect([rejected.status, rejected.body.status]).toEqual([200, 'CANCELLED'])
  const again = await server.call(`POST /v1/queue/${two.body.executionId}/approve`, { as: ANA })
  expect([again.status, again.body.error.code]).toEqual([409, 'RUN_NOT_WAITING'])
  const [record] = (await server.call(`GET /v1/executions/${two.body.executionId}/signals`)).body.decisions
  expect(record.audit).toMatchObject({ actorId: 'bob', actorRole: 'Admin', reason: 'no' })
})
