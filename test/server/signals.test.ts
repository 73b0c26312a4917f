/** Signals over HTTP: who may send which, what is on record of them, and which refusals there are. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Authorizer } from '../../src/ports/authorizer.ts'
import { roleRules } from '../../src/app/identity/role-rules.ts'
import { storeOf } from '../../src/library/services-of.ts'
import { heldServer } from './held-run.ts'
import { ANA, EVE } from './served.ts'
import { ADMIN, ENGINEER, OPERATOR, PAYLOADS } from './signal-samples.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it('stores exactly what was decided, by whom and for what, before the run takes it [AUT-01, AUT-08, SIG-04, X-97]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const signalId = randomUUID()
  const sent = await server.signal(run, { signalId, signalType: 'PAUSE', payload: { reason: 'a look' } })
  expect(sent.status).toBe(200)
  const [taken] = await server.answers(run)
  expect(sent.body).toEqual({
    signalDecisionId: expect.stringMatching(/^[0-9a-f]{32}$/),
    signalId,
    executionId: run,
    signalType: 'PAUSE',
    signalPayload: { reason: 'a look' },
    decision: 'ACCEPTED',
    policyDecisionId: expect.stringMatching(UUID_V4),
    audit: {
      actorId: 'ana',
      actorRole: 'Admin',
      tenantId: 'acme',
      timestamp: expect.stringMatching(/^\d{4}-/),
      reason: 'a look',
    },
    engineProcessedAt: taken?.persistedAt,
    engineResult: { status: 'success' },
  })
  expect(taken?.payload).toMatchObject({ policyDecisionId: sent.body.policyDecisionId, signalId })
  for (const id of [signalId, sent.body.policyDecisionId, sent.body.signalDecisionId])
    expect((await server.call(`GET /v1/executions/${run}/signals/${id}`)).body).toEqual(sent.body)
  expect((await server.call(`GET /v1/executions/${run}/signals`)).body).toEqual({ decisions: [sent.body] })
  expect((await server.call('GET /v1/decisions')).body).toEqual({ decisions: [sent.body] })
})

it('takes an id as it is written: in capitals it is another one, and a repeat in the same spelling is not [IDM-07, SIG-03, SIG-04]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const small = randomUUID()
  const spellings = [small.toUpperCase(), small, small.toUpperCase()]
  const sent: { readonly signalId: string; readonly signalDecisionId: string }[] = []
  for (const signalId of spellings)
    sent.push((await server.signal(run, { signalId, signalType: 'PAUSE', payload: { reason: 'a look' } })).body)
  expect(sent.map(({ signalId }) => signalId)).toEqual(spellings)
  expect(sent[2]?.signalDecisionId).toBe(sent[0]?.signalDecisionId)
  expect(sent[1]?.signalDecisionId).not.toBe(sent[0]?.signalDecisionId)
  expect((await server.call(`GET /v1/executions/${run}/signals`)).body.decisions).toHaveLength(2)
})

it.each([
  ['Operator', OPERATOR],
  ['Engineer', ENGINEER],
  ['Admin', ADMIN],
  ['System', ['ESCALATE_ALERT']],
])('%s may send its signals and no others [AUT-05, AUT-13, SIG-01, SIG-08, X-51, X-104]', async (role, allowed) => {
  await using server = await heldServer()
  const run = await server.started()
  const denied: string[] = []
  // What ends the run comes last.
  for (const signalType of Object.keys(PAYLOADS).toSorted((a, b) => Number(ends(a)) - Number(ends(b)))) {
    const { body } = await server.signal(run, { signalType, payload: PAYLOADS[signalType] }, `acme.one.${role}`)
    if (body.error?.code === 'AUTHZ_DENIED') {
      expect(body.error.details.policyDecisionId).toMatch(UUID_V4)
      denied.push(signalType)
    }
  }
  expect(denied.toSorted()).toEqual(
    Object.keys(PAYLOADS)
      .filter((one) => !allowed.includes(one))
      .toSorted(),
  )
  const { decisions } = (await server.call(`GET /v1/executions/${run}/signals`)).body
  expect(decisions).toHaveLength(Object.keys(PAYLOADS).length)
  for (const one of decisions) expect(one.decision).toBe(denied.includes(one.signalType) ? 'REJECTED' : 'ACCEPTED')
})

const ends = (type: string): boolean => type === 'CANCEL' || type === 'EMERGENCY_STOP'

it.each(['viewer', 'auditor', 'approver', 'plan-author', 'nobody'])(
  '%s may send no signal at all, and nothing of it reaches the run [AUT-05, AUT-13]',
  async (role) => {
    await using server = await heldServer()
    const run = await server.started()
    for (const signalType of Object.keys(PAYLOADS)) {
      const sent = await server.signal(run, { signalType, payload: PAYLOADS[signalType] }, `acme.one.${role}`)
      expect([sent.status, sent.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
    }
    expect(await server.answers(run)).toEqual([])
  },
)

it('writes down the least role of the sender that suffices [AUT-06]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const roleOf = async (signalType: string) =>
    (await server.signal(run, { signalType, payload: PAYLOADS[signalType] }, 'acme.one.Admin+Operator')).body.audit
      .actorRole
  expect([await roleOf('PAUSE'), await roleOf('UPDATE_PARAMS')]).toEqual(['Operator', 'Admin'])
})

it('asks nobody for permission for a payload that does not fit its type, and records it [SIG-02, SIG-15, X-50]', async () => {
  const asked: string[] = []
  const rules = roleRules({ uuid: randomUUID })
  const authorizer: Authorizer = {
    evaluate: (request) => {
      if (request.signal !== undefined) asked.push(request.signal.type)
      return rules.evaluate(request)
    },
  }
  await using server = await heldServer({}, { authorizer })
  const run = await server.started()
  const bad: readonly (readonly [string, object])[] = [
    ['PAUSE', { reason: 'x'.repeat(501) }],
    ['CANCEL', { forceKill: true }],
    ['RETRY_STEP', {}],
    ['ESCALATE_ALERT', { level: 'LOUD' }],
    ['pause', {}],
  ]
  for (const [signalType, payload] of bad) {
    const { status, body } = await server.signal(run, { signalType, payload })
    expect([status, body.error.code]).toEqual([400, 'SIGNAL_INVALID_PAYLOAD'])
  }
  expect(asked).toEqual([])
  const { decisions } = (await server.call(`GET /v1/executions/${run}/signals`)).body
  expect(decisions.map((one: Readonly<Record<string, unknown>>) => [one['signalType'], one['decision']])).toEqual(
    bad.map(([signalType]) => [signalType, 'REJECTED']),
  )
  for (const one of decisions) expect(one.policyDecisionId).toMatch(UUID_V4)
  expect((await server.answers(run)).map(({ eventType }) => eventType)).toEqual(bad.map(() => 'SignalRejected'))
})

it('takes ids that are UUIDs of version 4 and no others [SIG-03]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  for (const signalId of ['1', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', `${randomUUID()}0`]) {
    const { status, body } = await server.signal(run, { signalId, signalType: 'PAUSE' })
    expect([status, body.error.code]).toEqual([400, 'BODY_INVALID'])
  }
  expect(await server.answers(run)).toEqual([])
})

it('counts a signal once however often it is sent, and refuses another under its id [SIG-04, SIG-11, SIG-15, X-50]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const signal = { signalId: randomUUID(), signalType: 'PAUSE', payload: { reason: 'a look' } }
  const first = await server.signal(run, signal)
  const again = await Promise.all([server.signal(run, signal), server.signal(run, signal)])
  for (const one of again) expect([one.status, one.body]).toEqual([200, first.body])
  const other = await server.signal(run, { ...signal, payload: { reason: 'another' } })
  expect([other.status, other.body.error.code]).toEqual([409, 'SIGNAL_DUPLICATE'])
  expect(await server.answers(run)).toHaveLength(1)
  expect((await server.call(`GET /v1/executions/${run}/signals`)).body.decisions).toHaveLength(1)
})

it('asks for a reason where a signal changes or stops a run, and raises an alert of the first priority [AUT-07, SIG-11]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  for (const reason of [undefined, '', ' \u200b']) {
    const payload = { params: { n: 1 }, ...(reason === undefined ? {} : { reason }) }
    const { status, body } = await server.signal(run, { signalType: 'UPDATE_PARAMS', payload })
    expect([status, body.error.code]).toEqual([400, 'AUTHZ_REASON_REQUIRED'])
  }
  const { status } = await server.signal(run, { signalType: 'UPDATE_PARAMS', payload: PAYLOADS['UPDATE_PARAMS'] })
  expect(status).toBe(200)
  const raised = (await server.log(run)).filter(({ eventType }) => eventType === 'AlertRaised')
  expect(raised.map(({ payload }) => [payload?.['code'], payload?.['priority']])).toEqual([
    ['DESTRUCTIVE_SIGNAL', 'P1'],
  ])
})

it('says of another tenant’s run that there is none, and adds nothing to its log [AUT-09, AUT-10, SIG-15]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const sent = await server.signal(run, { signalType: 'PAUSE' }, EVE)
  const unknown = await server.signal(run.replace(/.$/, 'x'), { signalType: 'PAUSE' }, EVE)
  expect([sent.status, sent.body.error.code, unknown.status]).toEqual([404, 'RUN_NOT_FOUND', 404])
  expect(sent.text.length).toBe(unknown.text.length)
  expect(await server.answers(run)).toEqual([])
  expect((await server.call('GET /v1/decisions', { as: EVE })).body).toEqual({ decisions: [] })
  expect((await server.call('GET /v1/decisions', { as: ANA })).body).toEqual({ decisions: [] })
})

it('recognises the repeat of a signal that an earlier version took without a record [SIG-04, X-50]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const signalId = randomUUID()
  const authorization = { allowed: true, policyDecisionId: randomUUID(), actorId: 'ana', actorRole: 'Admin' }
  const body = JSON.stringify({ signalId, signalType: 'PAUSE', payload: {}, authorization })
  const store = storeOf(server.keelson)
  await store.insertInbox({ tenantId: 'acme', runId: run }, { inboxId: `signal:${signalId}`, kind: 'signal', body })
  const again = await server.signal(run, { signalId, signalType: 'PAUSE' })
  expect([again.status, again.body.decision, again.body.policyDecisionId]).toEqual([
    200,
    'ACCEPTED',
    authorization.policyDecisionId,
  ])
  const other = await server.signal(run, { signalId, signalType: 'RESUME' })
  expect([other.status, other.body.error.code]).toEqual([409, 'SIGNAL_DUPLICATE'])
  expect(await server.answers(run)).toHaveLength(1)
  expect((await server.call(`GET /v1/executions/${run}/signals`)).body.decisions).toEqual([again.body])
})
