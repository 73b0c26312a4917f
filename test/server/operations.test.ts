/** What operators look after, over real HTTP: alerts, engines, followers of the log, dead letters, artifacts. */
import { afterEach, expect, it } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { tenantSubscriber } from '../../src/core/feed/subscriber.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import type { StepContext } from '../../src/ports/step-handlers.ts'
import { testFolder } from '../fixtures/folder.ts'
import { heldServer } from './held-run.ts'
import { ANA, EVE, served, type Answered, type Served } from './served.ts'

const OPERATOR = 'ops.olga.server-operator'
const PLAN = 'plan: packing\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\n'
const ACME = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'ana' }

let server: Served | undefined

afterEach(async () => {
  await server?.[Symbol.asyncDispose]()
})

it('shows alerts about runs of the tenant with filters and page by page', async () => {
  const held = await heldServer()
  server = held
  const runs = [await held.started(), await held.started(), await held.started()]
  for (const runId of runs)
    await held.signal(runId, { signalType: 'UPDATE_PARAMS', payload: { params: { a: 1 }, reason: 'why not' } })
  const whole = await held.call('GET /v1/alerts')
  const ids = whole.body.alerts.map((one: { readonly alertId: string }) => one.alertId)
  expect(whole.body.alerts.map((one: { readonly runId: string }) => one.runId)).toEqual(runs.toReversed())
  expect(whole.body.alerts[0]).toMatchObject({ priority: 'P1', tenantId: 'acme' })
  const paged: string[] = []
  let cursor = ''
  for (let pages = 0; pages < 9; pages += 1) {
    const { body } = await held.call(`GET /v1/alerts?limit=1${cursor}`)
    paged.push(...body.alerts.map((one: { readonly alertId: string }) => one.alertId))
    if (body.next === undefined) break
    cursor = `&cursor=${body.next}`
  }
  expect(paged).toEqual(ids)
  const one = await held.call(`GET /v1/alerts?executionId=${runs[1]}&priority=P1`)
  expect(one.body.alerts.map((alert: { readonly runId: string }) => alert.runId)).toEqual([runs[1]])
  expect((await held.call('GET /v1/alerts?priority=P3')).body).toEqual({ alerts: [] })
  expect((await held.call('GET /v1/alerts?code=NONE')).body).toEqual({ alerts: [] })
  expect((await held.call('GET /v1/alerts?since=2999-01-01T00:00:00Z')).body).toEqual({ alerts: [] })
  expect((await held.call('GET /v1/alerts', { as: EVE })).body).toEqual({ alerts: [] })
  const wrong = await held.call('GET /v1/alerts?cursor=nonsense')
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'LIST_CURSOR_INVALID'])
})

it('shows what its engine can do, whether it is ready, and the runs of the tenant that are in flight', async () => {
  const held = await heldServer()
  server = held
  await held.started()
  const { body } = await held.call('GET /v1/engines')
  expect(body.engines).toMatchObject([
    { engine: 'embedded', isStandard: true, drives: true, ready: true, maxInFlight: 10_000, runsInFlight: 1 },
  ])
  expect(body.engines[0].capabilities).toContain('signal.pause.native')
  expect((await held.call('GET /v1/engines', { as: EVE })).body.engines[0].runsInFlight).toBe(0)
})

it('shows followers and dead letters to whoever operates the server, who has them redelivered or drops them', async () => {
  const opened = await served({ steps: { pack: () => 'packed' } })
  server = opened
  await opened.publish(PLAN)
  const own = onBehalf(opened.keelson, ACME)
  let isBroken = true
  const got: string[] = []
  const handler = ({ record }: { readonly record: { readonly eventType: string } }): void => {
    if (isBroken && record.eventType.startsWith('Run')) throw new Error('the bus is away')
    got.push(record.eventType)
  }
  const bus = own.subscribe('bus', handler, { maxAttempts: 1, onProblem: () => undefined })
  const run = await own.start({ planId: 'packing' }, {})
  await run.result()
  await bus.drain()
  const address = `/v1/feed/subscribers/${encodeURIComponent(tenantSubscriber('acme', 'bus'))}/dead-letters`
  const asked = (line: string, body?: object): Promise<Answered> =>
    opened.call(line, { as: OPERATOR, ...(body === undefined ? {} : { body }) })
  const dead = (await bus.deadLetters()).length
  expect((await asked('GET /v1/feed/subscribers')).body.subscribers).toMatchObject([
    { name: 'bus', ofTenant: 'acme', runsBehind: 0, runsBlocked: 0, deadLetters: dead },
  ])
  for (const line of ['GET /v1/feed/subscribers', `GET ${address}`]) {
    const refused = await opened.call(line, { as: ANA })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  }
  const { deadLetters } = (await asked(`GET ${address}`)).body
  expect(deadLetters[0]).toMatchObject({
    ofTenant: 'acme',
    executionId: run.runId,
    runSeq: 1,
    error: 'the bus is away',
  })
  const [{ letterId: first }, { letterId: second }] = deadLetters
  expect((await asked(`GET ${address}/${first}`)).body).toMatchObject({ letterId: first, eventType: 'RunApproved' })
  expect((await asked(`DELETE ${address}/${first}`)).body).toEqual({ letterId: first, dropped: true })
  const gone = await asked(`GET ${address}/${first}`)
  expect([gone.status, gone.body.error.code]).toEqual([404, 'DEAD_LETTER_NOT_FOUND'])
  // The first try fails again: it stays, and waits to be asked for once more.
  expect((await asked(`POST ${address}/redeliver`, { letterIds: [second] })).body).toEqual({ asked: 1 })
  await bus.drain()
  expect((await asked(`GET ${address}/${second}`)).body.askedAt).toBeUndefined()
  isBroken = false
  const before = got.length
  expect((await asked(`POST ${address}/redeliver`, {})).body).toEqual({ asked: dead - 1 })
  await bus.drain()
  expect(got.slice(before)).toHaveLength(dead - 1)
  expect((await asked(`GET ${address}`)).body.deadLetters).toEqual([])
})

it('tells how many events a follower is behind, since when, and which delivery it tries again', async () => {
  const opened = await served({ steps: { pack: () => 'packed' } })
  server = opened
  await opened.publish(PLAN)
  const own = onBehalf(opened.keelson, ACME)
  const run = await own.start({ planId: 'packing' }, {})
  await run.result()
  const events = (await run.records()).length
  const refuse = (): void => {
    throw new Error('the bus is away')
  }
  const bus = own.subscribe('bus', refuse, { maxAttempts: 9, pollMs: 3_600_000, onProblem: () => undefined })
  await bus.drain()
  await bus.stop()
  const { body } = await opened.call('GET /v1/feed/subscribers', { as: OPERATOR })
  expect(body.subscribers).toMatchObject([
    {
      name: 'bus',
      runsBehind: 1,
      runsBlocked: 1,
      eventsBehind: events,
      moreBehind: false,
      oldestAt: (await run.records())[0]?.persistedAt,
      failing: [{ ofTenant: 'acme', executionId: run.runId, runSeq: 1, tries: expect.any(Number) }],
    },
  ])
})

/** Names of subscribers are part of addresses, whatever is in them. */
const NAMES = ['a/b', 'all/../x', '%2F', 'ünï cødé?#&=', '<img src=x onerror=alert(1)>', '..', 'a//b/', 'n'.repeat(255)]

it.each(NAMES.map((name) => [name.slice(0, 40), name]))(
  'reaches the dead letters of a subscriber that is called %j',
  async (_, name) => {
    const opened = await served({ steps: { pack: () => 'packed' } })
    server = opened
    await opened.publish(PLAN)
    const own = onBehalf(opened.keelson, ACME)
    const refuse = (): void => {
      throw new Error('no use')
    }
    const bus = own.subscribe(name, refuse, { maxAttempts: 1, onProblem: () => undefined })
    await (await own.start({ planId: 'packing' }, {})).result()
    await bus.drain()
    const client = connect({ url: opened.url, apiKey: OPERATOR })
    const [{ subscriber = '', deadLetters = 0 } = {}] = (await client.call('listSubscribers')).subscribers
    expect(subscriber).toBe(tenantSubscriber('acme', name))
    const { deadLetters: found } = await client.call('listDeadLetters', { params: { subscriber } })
    expect(found).toHaveLength(deadLetters)
    const params = { subscriber, letterId: found[0]?.letterId ?? '' }
    expect((await client.call('getDeadLetter', { params })).error).toBe('no use')
    const body = { letterIds: [params.letterId] }
    expect(await client.call('redeliverDeadLetters', { params: { subscriber }, body })).toEqual({ asked: 1 })
    await client.call('dropDeadLetter', { params, query: { reason: 'NOT_NEEDED' } })
    const { records } = (await opened.call('GET /v1/audit', { as: 'ops.ada.auditor' })).body
    expect(JSON.parse(records.at(-1).record)).toMatchObject({
      actorId: 'olga',
      call: 'dropDeadLetter',
      target: `${subscriber} ${params.letterId}`,
      because: 'NOT_NEEDED',
    })
  },
)

it('gives the bytes of an artifact that the run refers to, and records who took them [SEC-05, AUT-12]', async () => {
  const pack = async (_input: unknown, { artifacts }: StepContext): Promise<string> => {
    await artifacts.put(new Uint8Array([0, 255, 1, 254]), { kind: 'bytes', name: 'four.bin' })
    return 'packed'
  }
  const opened = await served({ steps: { pack }, directory: testFolder() })
  server = opened
  for (const tenant of ['acme', 'evil']) await opened.publish(PLAN, tenant)
  const own = onBehalf(opened.keelson, ACME)
  const run = await own.start({ planId: 'packing' }, {})
  await run.result()
  const sha256 = String((await run.artifacts())[0]?.sha256)
  const path = `/v1/executions/${run.runId}/artifacts/${sha256}`
  const response = await fetch(`${opened.url}${path}`, { headers: { authorization: `Bearer ${ANA}` } })
  expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255, 1, 254])
  expect(response.headers.get('content-type')).toBe('application/octet-stream')
  expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''four.bin")
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await opened.call(`GET ${path}`, { as: 'acme.vic.viewer' })).status).toBe(403)
  expect((await opened.call(`GET ${path}`, { as: EVE })).body.error.code).toBe('RUN_NOT_FOUND')
  // Another tenant has the same bytes of its own, and the run of this one does not refer to other bytes.
  const other = await opened.call(`GET ${path.slice(0, -4)}0000`)
  expect([other.status, other.body.error.code]).toEqual([404, 'ARTIFACT_NOT_FOUND'])
  const { records } = (await opened.call('GET /v1/audit')).body
  const kept = records.map(({ record }: { readonly record: string }) => JSON.parse(record))
  const taken = kept.filter((one: { readonly type: string }) => one.type === 'ARTIFACT_ACCESSED')
  expect(taken.map((one: { readonly decision: string }) => one.decision)).toEqual(['GRANTED', 'DENIED'])
  expect(taken[0]).toMatchObject({ actorId: 'ana', call: 'getArtifact', target: `${run.runId} ${sha256}` })
})
