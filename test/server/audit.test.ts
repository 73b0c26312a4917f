/** The audit log of a server: what people did and were refused, in order, chained and signed. */
import { expect, it } from 'vitest'
import { verifyAudit } from '../../src/app/audit/verify-audit.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import { partsOf, storeOf } from '../../src/library/services-of.ts'
import { testFolder } from '../fixtures/folder.ts'
import { heldServer, type Held } from './held-run.ts'
import { ANA, EVE } from './served.ts'

const AUDITOR = 'acme.ada.auditor'

async function records(server: Held, as = AUDITOR): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { body } = await server.call('GET /v1/audit?limit=1000', { as })
  return body.records.map((one: { readonly record: string }) => JSON.parse(one.record))
}

it('records every act with who did it, to what, and by which decision [AUT-12, AUT-15]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const { body } = await server.call(`POST /v1/executions/${run}/signals`, {
    headers: { 'x-correlation-id': 'desk-7' },
    body: { signalId: '0b9f6f3e-8f5b-4c39-9d5e-6a4c7a0e8f11', signalType: 'PAUSE' },
  })
  await server.cancelled(run)
  const acts = (await records(server)).filter(({ type }) => type !== 'API_CALL')
  expect(acts.map(({ type, action, call, decision, target }) => [type, action, call, decision, target])).toEqual([
    ['STATE_MUTATION', 'RUN_START', 'startExecution', 'GRANTED', run],
    ['SIGNAL_SENT', 'SIGNAL_SEND', 'sendSignal', 'GRANTED', run],
    ['STATE_MUTATION', 'RUN_CANCEL', 'cancelExecution', 'GRANTED', run],
  ])
  expect(acts[1]).toMatchObject({
    actorId: 'ana',
    tenantId: 'acme',
    correlationId: 'desk-7',
    policyDecisionId: body.policyDecisionId,
  })
  for (const one of acts) expect(one['correlationId']).toEqual(expect.any(String))
})

it('records every denial: of a role, of a signal, and of what is another tenant’s [AUT-09, AUT-12, SIG-15]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  await server.call(`POST /v1/executions/${run}/cancel`, { as: 'acme.eye.viewer', body: {} })
  await server.signal(run, { signalType: 'RETRY_RUN' }, 'acme.op.Operator')
  await server.signal(run, { signalType: 'PAUSE' }, 'acme.eye.viewer')
  const denied = (await records(server)).filter(({ decision }) => decision === 'DENIED')
  expect(denied.map(({ type, actorId, action, reasonCode }) => [type, actorId, action, reasonCode])).toEqual([
    ['AUTH_DECISION', 'eye', 'RUN_CANCEL', 'AUTHZ_DENIED'],
    ['SIGNAL_SENT', 'op', 'SIGNAL_SEND', 'AUTHZ_DENIED'],
    ['AUTH_DECISION', 'eye', 'SIGNAL_SEND', 'AUTHZ_DENIED'],
  ])
  // Also of those who do not come as far as the run, it is known which run it was.
  expect(denied.map(({ target }) => target)).toEqual([run, run, run])
  for (const one of denied) expect(one['policyDecisionId']).toEqual(expect.any(String))
  await server.call(`GET /v1/executions/${run}`, { as: EVE })
  await server.signal(run, { signalType: 'PAUSE' }, EVE)
  const foreign = (await records(server, EVE)).filter(({ decision }) => decision === 'DENIED')
  expect(foreign.map(({ action, target, reasonCode }) => [action, target, reasonCode])).toEqual([
    ['RUN_READ_STATUS', run, 'RUN_NOT_FOUND'],
    ['SIGNAL_SEND', run, 'RUN_NOT_FOUND'],
  ])
  expect((await records(server)).filter(({ actorId }) => actorId === 'eve')).toEqual([])
})

it('is read by auditors and admins of its tenant alone, and each reading is in it [AUT-12]', async () => {
  await using server = await heldServer()
  await server.started()
  for (const role of ['viewer', 'Operator', 'Engineer', 'approver', 'plan-author'])
    expect((await server.call('GET /v1/audit', { as: `acme.one.${role}` })).status).toBe(403)
  expect(await records(server, EVE)).toEqual([])
  await records(server)
  expect((await records(server, ANA)).filter(({ action }) => action === 'AUDIT_READ')).toContainEqual(
    expect.objectContaining({ actorId: 'ada', call: 'listAudit', decision: 'GRANTED', type: 'API_CALL' }),
  )
})

it('gives pages that follow each other, and lines that prove themselves elsewhere [AUT-12]', async () => {
  await using server = await heldServer()
  for (let made = 0; made < 3; made += 1) await server.started()
  const first = await server.call('GET /v1/audit?limit=2', { as: AUDITOR })
  expect(first.body.records.map((one: { readonly position: number }) => one.position)).toEqual([1, 2])
  const rest = await server.call(`GET /v1/audit?after=${first.body.next}`, { as: AUDITOR })
  const [third] = rest.body.records
  expect(JSON.parse(third.record).previous).toBe(first.body.records[1].hash)
  const lines = await server.call('GET /v1/audit?format=ndjson&limit=2', { as: AUDITOR })
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
  expect(
    lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(first.body.records)
  const { keys } = partsOf(server.keelson)
  expect((await verifyAudit(storeOf(server.keelson), 'acme', { keys })).findings).toEqual([])
})

it('answers who did what to what, how it ended and when, newest first or oldest first [AUT-12]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  await server.call(`POST /v1/executions/${run}/cancel`, { as: 'acme.eye.viewer', body: {} })
  await server.signal(run, { signalType: 'PAUSE' })
  const found = async (query: string): Promise<readonly unknown[]> => {
    const { body } = await server.call(`GET /v1/audit?${query}`, { as: AUDITOR })
    return body.records.map((one: { readonly record: string }) => JSON.parse(one.record).call ?? 'none')
  }
  expect(await found('decision=DENIED')).toEqual(['none'])
  expect(await found('actor=eye&action=RUN_CANCEL')).toEqual(['none'])
  expect(await found(`target=${run}`)).toEqual(['startExecution', 'none', 'sendSignal'])
  expect(await found(`target=${run}&order=newest`)).toEqual(['sendSignal', 'none', 'startExecution'])
  expect(await found('until=2000-01-01T00:00:00Z')).toEqual([])
  expect(await found('since=1h&limit=1')).toEqual(['startExecution'])
  const page = await server.call('GET /v1/audit?order=newest&limit=2', { as: AUDITOR })
  const { next, more, head, records: newest } = page.body
  expect([newest[0].position, newest[1].position, next, more]).toEqual([head.position, next, next, true])
  expect(newest[0].hash).toBe(head.hash)
  const wrong = await server.call('GET /v1/audit?since=yesterday', { as: AUDITOR })
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'BODY_INVALID'])
})

it('counts reads of runs instead of recording each, and writes the count when the server closes [AUT-12]', async () => {
  const store = openMemoryStore({ clock: systemClock })
  const server = await heldServer({ store: { ...store, close: async () => undefined }, keysDirectory: testFolder() })
  const run = await server.started()
  for (let read = 0; read < 7; read += 1) await server.call(`GET /v1/executions/${run}`, { as: 'acme.eye.viewer' })
  const before = await store.readAudit('acme', 0, 100)
  expect(before.filter(({ type }) => type === 'API_CALL')).toEqual([])
  await server[Symbol.asyncDispose]()
  const counted = (await store.readAudit('acme', 0, 100)).filter(({ type }) => type === 'API_CALL')
  expect(counted.map(({ record }) => JSON.parse(record))).toContainEqual(
    expect.objectContaining({ actorId: 'eye', action: 'RUN_READ_STATUS', count: 7 }),
  )
})

it('keeps what could not be stored and stores it later; what was asked is done all the same, and the process is told [AUT-12]', async () => {
  const inner = openMemoryStore({ clock: systemClock })
  let isBroken = true
  const store: typeof inner = {
    ...inner,
    appendAudit: async (...given) => {
      if (isBroken) throw new KeelsonError([problem('STORE_UNAVAILABLE', 'the disk is gone')])
      return inner.appendAudit(...given)
    },
  }
  await using server = await heldServer({ store, keysDirectory: testFolder() })
  const run = await server.started()
  expect(server.told).toHaveLength(1)
  isBroken = false
  expect((await server.signal(run, { signalType: 'PAUSE' })).status).toBe(200)
  expect((await records(server)).map(({ call }) => call)).toEqual(['startExecution', 'sendSignal'])
})
