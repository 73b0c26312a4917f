/** Operations on many runs over real HTTP: previewed, begun, followed, aborted, and carried on by another process. */
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { openClockwork, type Clockwork } from '../../src/library/clockwork/clockwork.ts'
import { operationOf, fleetSignalId } from '../../src/app/fleet/record.ts'
import { storeOf } from '../../src/library/services-of.ts'
import { until } from '../fixtures/until.ts'
import { heldServer, type Held } from './held-run.ts'
import { ANA, BOB, EVE, type Answered, type ServedOptions } from './served.ts'

let server: Held | undefined
let clockwork: Clockwork | undefined

afterEach(async () => {
  await clockwork?.close()
  await server?.[Symbol.asyncDispose]()
  clockwork = undefined
})

async function open(options: ServedOptions = {}): Promise<Held> {
  server = await heldServer({}, options)
  return server
}

const HELD = { status: ['RUNNING', 'PAUSED'], planId: 'held' }

async function ended({ call }: Held, operationId: string): Promise<Answered['body']> {
  let body: Answered['body']
  await until(async () => {
    body = (await call(`GET /v1/operations/${operationId}`)).body
    return body.operation.state === 'DONE'
  })
  return body
}

it('previews how many runs match, which would refuse the signal and why, and sends nothing', async () => {
  const held = await open()
  const runs = [await held.started(), await held.started(), await held.started()]
  await held.cancelled(runs[0] ?? '')
  const asked = { filter: { planId: 'held' }, signalType: 'PAUSE', payload: { reason: 'a storm' } }
  const { status, body } = await held.call('POST /v1/operations/preview', { body: asked })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    matched: 3,
    examined: 3,
    wouldApply: 2,
    wouldChangeNothing: 0,
    wouldWait: 0,
    refused: { RUN_TERMINAL: 1 },
  })
  expect(body.sample[0]).toEqual({
    executionId: runs[0],
    planId: 'held',
    status: 'CANCELLED',
    would: 'refuse',
    code: 'RUN_TERMINAL',
    reason: 'the run has ended; RETRY_RUN starts a new one from its results',
  })
  expect(body.previewSha256).toMatch(/^[0-9a-f]{64}$/)
  expect(await held.answers(runs[1] ?? '')).toEqual([])
  const other = await held.call('POST /v1/operations/preview', { as: EVE, body: asked })
  expect(other.body).toMatchObject({ matched: 0, sample: [] })
})

it('sends one signal to each run that matches, records each decision, and counts what came of them', async () => {
  const held = await open({ hasClockwork: true })
  const runs = [await held.started(), await held.started(), await held.started()]
  await held.cancelled(runs[2] ?? '')
  const operationId = randomUUID()
  const body = { operationId, filter: { planId: 'held' }, signalType: 'PAUSE', payload: { reason: 'a storm' } }
  const begun = await held.call('POST /v1/operations', { body })
  expect(begun.status).toBe(202)
  expect(begun.headers.get('location')).toBe(`/v1/operations/${operationId}`)
  expect(begun.body).toMatchObject({ state: 'RUNNING', matched: 3, createdBy: 'ana' })
  const { operation, refusedRuns } = await ended(held, operationId)
  expect(operation).toMatchObject({ matched: 3, open: 0, done: 2, left: 0, refused: { RUN_TERMINAL: 1 } })
  expect(refusedRuns).toEqual([{ executionId: runs[2], code: 'RUN_TERMINAL' }])
  for (const runId of runs.slice(0, 2)) {
    const { body: told } = await held.call(`GET /v1/executions/${runId}/signals`)
    expect(told.decisions).toMatchObject([{ signalType: 'PAUSE', decision: 'ACCEPTED', audit: { actorId: 'ana' } }])
  }
  const again = await held.call('POST /v1/operations', { body })
  expect([again.status, again.body.state, again.body.done]).toEqual([200, 'DONE', 2])
  const other = await held.call('POST /v1/operations', { body: { ...body, signalType: 'RESUME' } })
  expect([other.status, other.body.error.code]).toEqual([409, 'OPERATION_DUPLICATE'])
  expect((await held.call('GET /v1/operations')).body.operations).toMatchObject([{ operationId, state: 'DONE' }])
  expect((await held.call('GET /v1/operations', { as: EVE })).body).toEqual({ operations: [] })
  const audit = await held.call('GET /v1/audit')
  const records = audit.body.records.map(({ record }: { readonly record: string }) => JSON.parse(record))
  expect(records.find(({ call }: { readonly call?: string }) => call === 'startOperation')).toMatchObject({
    target: operationId,
    actorId: 'ana',
    decision: 'GRANTED',
  })
})

it('is carried on by another process after a crash, and no run gets the signal twice', async () => {
  const held = await open()
  const runs = [await held.started(), await held.started(), await held.started()]
  const operationId = randomUUID()
  const body = { operationId, filter: HELD, signalType: 'PAUSE', payload: {} }
  await held.call('POST /v1/operations', { body })
  const store = storeOf(held.keelson)
  const stored = await store.findOperation('acme', operationId)
  if (stored === undefined) throw new Error('the operation was not stored')
  // What a process has done that died after it had sent a signal, and before it noted what came of it.
  const [first = ''] = runs
  const signalId = fleetSignalId(operationOf(stored), first)
  const sent = await held.signal(first, { signalId, signalType: 'PAUSE', payload: {} }, ANA)
  expect(sent.status).toBe(200)
  expect(await store.putOperation({ ...stored, revision: 2, dueAt: Date.now() + 300 })).toBe(true)
  clockwork = openClockwork(held.keelson)
  const { operation } = await ended(held, operationId)
  expect(operation).toMatchObject({ matched: 3, done: 3, refused: {} })
  for (const runId of runs) expect(await held.answers(runId)).toHaveLength(1)
})

it('is aborted: runs whose turn has not come get no signal, and it begins no more', async () => {
  const held = await open()
  const runId = await held.started()
  const operationId = randomUUID()
  await held.call('POST /v1/operations', { body: { operationId, filter: HELD, signalType: 'PAUSE' } })
  const abort = `POST /v1/operations/${operationId}/abort`
  const foreign = await held.call(abort, { as: EVE, body: {} })
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'OPERATION_NOT_FOUND'])
  const aborted = await held.call(abort, { as: BOB, body: { reason: 'the storm is over' } })
  expect(aborted.body).toMatchObject({
    state: 'ABORTED',
    open: 1,
    abortedBy: 'bob',
    abortReason: 'the storm is over',
  })
  expect((await held.call(abort, { as: ANA, body: {} })).body.abortedBy).toBe('bob')
  expect(await storeOf(held.keelson).dueOperations(Number.MAX_SAFE_INTEGER, 9)).toEqual([])
  expect(await held.answers(runId)).toEqual([])
})

it('begins only with the runs of its preview, if it is asked to', async () => {
  const held = await open()
  await held.started()
  const asked = { filter: HELD, signalType: 'PAUSE' }
  const { previewSha256 } = (await held.call('POST /v1/operations/preview', { body: asked })).body
  await held.started()
  const body = { operationId: randomUUID(), ...asked, previewSha256 }
  const changed = await held.call('POST /v1/operations', { body })
  expect([changed.status, changed.body.error.code]).toEqual([409, 'OPERATION_CHANGED'])
  const again = await held.call('POST /v1/operations/preview', { body: asked })
  const begun = await held.call('POST /v1/operations', { body: { ...body, previewSha256: again.body.previewSha256 } })
  expect([begun.status, begun.body.matched]).toEqual([202, 2])
})

it('is refused as a whole where the signal is: without its role, without a reason, with a payload that does not fit [AUT-05, AUT-07]', async () => {
  const held = await open()
  await held.started()
  const refusal = async (signal: object, as: string): Promise<unknown> => {
    const body = { operationId: randomUUID(), filter: HELD, ...signal }
    const { status, body: told } = await held.call('POST /v1/operations', { as, body })
    const { operationId: _id, ...asked } = body
    const preview = await held.call('POST /v1/operations/preview', { as, body: asked })
    expect(preview.body.error.code).toBe(told.error.code)
    return [status, told.error.code]
  }
  const stop = { signalType: 'EMERGENCY_STOP', payload: { reason: 'a storm' } }
  expect(await refusal(stop, 'acme.olaf.Operator')).toEqual([403, 'AUTHZ_DENIED'])
  expect(await refusal({ ...stop, payload: {} }, ANA)).toEqual([400, 'AUTHZ_REASON_REQUIRED'])
  expect(await refusal({ ...stop, payload: { reason: '  ' } }, ANA)).toEqual([400, 'AUTHZ_REASON_REQUIRED'])
  expect(await refusal({ signalType: 'PAUSE', payload: { why: 1 } }, ANA)).toEqual([400, 'SIGNAL_INVALID_PAYLOAD'])
  expect((await held.call('GET /v1/operations')).body.operations).toEqual([])
})

it('leaves signals that a second person has to accept to that person, run by run [AUT-04]', async () => {
  const held = await open({ hasClockwork: true, approvalFor: ['PAUSE'] })
  const runId = await held.started()
  const operationId = randomUUID()
  const body = { operationId, filter: HELD, signalType: 'PAUSE', payload: {} }
  const preview = await held.call('POST /v1/operations/preview', { body: { filter: HELD, signalType: 'PAUSE' } })
  expect(preview.body).toMatchObject({ wouldWait: 1, wouldApply: 0 })
  await held.call('POST /v1/operations', { body })
  expect((await ended(held, operationId)).operation).toMatchObject({ approval: 1, done: 0 })
  const { body: pending } = await held.call('GET /v1/decisions?state=PENDING')
  expect(pending.decisions).toMatchObject([{ executionId: runId, signalType: 'PAUSE', decision: 'PENDING' }])
})
