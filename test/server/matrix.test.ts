/**
 * Every route of the table, asked with what belongs to another tenant and with what nobody has: the same answer to the byte, and no
 * byte of the other tenant in any answer or log line. A new row of the table is tested without a change here.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathNames, type Contract } from '../../src/core/api/contract.ts'
import type { RequestLine } from '../../src/edge/http/serve/world.ts'
import { fileFolder } from '../fixtures/folder.ts'
import { BOUND, peopled, send, type Peopled, type Told } from './peopled.ts'
import { isStream, sampleRequest, type Names, type SampleRequest } from './sample-requests.ts'
import { ANA, EVE } from './served.ts'

const folder = fileFolder()
let world: Peopled
/** Everything that the other tenant was told, for the last test. */
const answered: { readonly id: string; readonly text: string }[] = []

/** What the log of the process says of each request, by whose it was. */
const logged: RequestLine[] = []

beforeAll(async () => {
  world = await peopled(folder, { served: (line) => void logged.push(line) })
  const { acme, server } = world
  const limit = await server.call(`PUT /v1/limits/${acme.names['limitName']}`, { body: LIMIT })
  const pause = await server.call(`PUT /v1/pauses/${acme.names['pauseScope']}`, { body: {} })
  expect([limit.status, pause.status]).toEqual([200, 200])
})
afterAll(async () => world[Symbol.asyncDispose]())

const LIMIT = { maxRunning: 4_321, whenFull: 'QUEUE' }
/** Names in a path that no tenant has: parts of a plan that is named beside them, and what all tenants of a server share. */
const SHARED = ['step', 'from', 'to', 'subscriber', 'letterId']
/** Names of one's own choice: whoever uses the other's makes, and removes, one of their own. The other's stays, as the last tests see. */
const CHOSEN = ['limitName', 'pauseScope', 'viewId']
/** Names of what belongs to a tenant, wherever a route takes them: those of every path, and those that only a query or a body has. */
const OWNED = [...new Set([...BOUND.flatMap(pathNames), 'originalExecutionId'])].filter(
  (name) => !SHARED.includes(name),
)

const GUARDED = BOUND.filter(({ access }) => access !== 'anyone' && access !== 'signature')
const NAMING = GUARDED.filter((contract) => {
  const shapes = [contract.params, contract.query, contract.body]
  const fields = shapes.flatMap((shape) => Object.keys((shape?.schema['properties'] ?? {}) as object))
  return fields.some((name) => OWNED.includes(name))
})

async function asEve(contract: Contract, request: SampleRequest, headers = {}): Promise<Told> {
  const told = await send(world.server.url, contract, request, { as: EVE, headers })
  const head = [...told.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const sent = [...Object.values(world.acme.names), ...Object.values(world.acme.nobodys)]
  answered.push({ id: contract.id, text: withoutNames(`${head}\n${told.text}`, sent) })
  return told
}

function withoutNames(text: string, names: readonly string[]): string {
  return [...names].sort((a, b) => b.length - a.length).reduce((left, name) => left.replaceAll(name, '<name>'), text)
}

/** What must be equal: status, names of headers, and the body but for the names that were sent, instants and ids. */
function comparable({ status, headers, text }: Told, names: Names): object {
  const masked = (given: string): string =>
    withoutNames(given, Object.values(names))
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
  const kept = ['content-type', 'cache-control', 'etag', 'retry-after', 'location']
  return {
    status,
    names: [...headers.keys()].sort(),
    values: kept.map((name) => masked(headers.get(name) ?? '')),
    body: masked(text),
  }
}

describe.each(NAMING.map((contract) => [contract.id, contract] as const))('%s', (_id, contract) => {
  it('answers what belongs to another tenant as what nobody has [AUT-09, AUT-10]', async () => {
    const { acme } = world
    const foreign = await asEve(contract, sampleRequest(contract, acme.names, true))
    const unknown = await asEve(contract, sampleRequest(contract, acme.nobodys, true))
    expect(comparable(foreign, acme.names)).toEqual(comparable(unknown, acme.nobodys))
    const isChosen = pathNames(contract).some((name) => CHOSEN.includes(name))
    if (pathNames(contract).length > 0 && !isChosen) expect(foreign.status).toBe(404)
  })

  it('knows no content of another tenant by its tag [AUT-10, API-12]', async () => {
    const { acme, server } = world
    if (contract.method !== 'GET' || isStream(contract) || pathNames(contract).length === 0) return
    const request = sampleRequest(contract, acme.names, true)
    const own = await send(server.url, contract, request, { as: ANA })
    const etag = own.headers.get('etag')
    if (etag === null) return
    expect(own.status).toBe(200)
    for (const tag of [etag, '*']) expect((await asEve(contract, request, { 'if-none-match': tag })).status).toBe(404)
  })
})

it.each(
  NAMING.filter((contract) => pathNames(contract).length > 0).map((contract) => [contract.id, contract] as const),
)('%s finds what the tenant itself has', async (_id, contract) => {
  if (contract.method !== 'GET') return
  const { server } = world
  const { status, text } = await send(server.url, contract, sampleRequest(contract, forOwn(contract)), { as: ANA })
  expect({ status, refused: status === 200 ? '' : text }).toEqual({ status: 200, refused: '' })
})

/** Signals were sent to the run that waits. */
function forOwn({ id }: Contract): Names {
  const { names, runs } = world.acme
  return id === 'getSignal' ? { ...names, executionId: runs.waiting } : names
}

describe.each(GUARDED.map((contract) => [contract.id, contract] as const))('%s', (_id, contract) => {
  it('is refused to whoever does not say who they are, and to a bearer that nobody gave [API-14]', async () => {
    const { acme, server } = world
    for (const as of [undefined, 'nonsense']) {
      const told = await send(server.url, contract, sampleRequest(contract, acme.names), as === undefined ? {} : { as })
      expect(told.status).toBe(401)
      expect(JSON.parse(told.text)).toMatchObject({ error: { code: 'NOT_AUTHENTICATED', category: 'UNAUTHENTICATED' } })
      expect(told.headers.get('www-authenticate')).toBe('Bearer realm="keelson"')
    }
  })

  it('takes the tenant from who asks alone: in a query or a body it is refused [AUT-09]', async () => {
    const { acme, server } = world
    const request = sampleRequest(contract, acme.names)
    for (const name of ['tenantId', 'tenant']) {
      const asked = { ...request, query: { ...request.query, [name]: 'acme' } }
      expect(await refusalOf(server.url, contract, asked)).toEqual({ status: 400, code: 'BODY_INVALID' })
      if (request.body === undefined) continue
      const sent = { ...request, body: { ...request.body, [name]: 'acme' } }
      expect(await refusalOf(server.url, contract, sent)).toEqual({ status: 400, code: 'BODY_INVALID' })
    }
  })
})

async function refusalOf(url: string, contract: Contract, request: SampleRequest): Promise<object> {
  const { status, text } = await send(url, contract, request, { as: `${ANA}+server-operator` })
  return { status, code: (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code }
}

it('a list gives another tenant nothing, whoever made the cursor [AUT-10]', async () => {
  const { acme, evil, server } = world
  const lists = GUARDED.filter(({ query }) => Object.hasOwn((query?.schema['properties'] ?? {}) as object, 'cursor'))
  for (const contract of lists) {
    const request = sampleRequest(contract, acme.names)
    const own = await send(server.url, contract, { ...request, query: { ...request.query, limit: '1' } }, { as: ANA })
    const { next } = JSON.parse(own.text) as { readonly next?: string }
    if (typeof next !== 'string') continue
    const told = await asEve(contract, { ...request, query: { ...request.query, limit: '50', cursor: next } })
    expect([200, 400]).toContain(told.status)
    expect(withoutNames(told.text, [next])).not.toContain(acme.mark)
    for (const id of Object.values(acme.runs)) expect(told.text).not.toContain(id)
  }
  const listed = await server.call('GET /v1/executions', { as: EVE })
  expect(listed.body.executions.map((one: { executionId: string }) => one.executionId).sort()).toEqual(
    Object.values(evil.runs).sort(),
  )
})

it('every name that a tenant has of its own is tried, and none that was asked for by another is changed [AUT-09]', async () => {
  const { acme, server } = world
  expect(Object.keys(acme.names).filter((name) => !OWNED.includes(name) && !SHARED.includes(name))).toEqual([])
  const { limitName, pauseScope, viewId, scheduleId, trigger, keyId } = acme.names
  expect((await server.call('GET /v1/limits')).body.limits).toMatchObject([{ name: limitName, ...LIMIT }])
  expect((await server.call('GET /v1/pauses')).body.pauses).toMatchObject([{ scope: pauseScope }])
  expect((await server.call('GET /v1/views')).text).toContain(`"${viewId}"`)
  expect((await server.call(`GET /v1/schedules/${scheduleId}`)).body.schedule).toMatchObject({ cron: '@daily' })
  expect((await server.call(`GET /v1/triggers/${trigger}`)).body.planId).toBe(acme.names['planId'])
  const { keys } = (await server.call('GET /v1/keys')).body
  expect(keys.find((key: { readonly keyId: string }) => key.keyId === keyId)).not.toHaveProperty('revokedAt')
})

it('starts a run of its own for another tenant with the same Idempotency-Key [IDC-09]', async () => {
  const { server } = world
  for (const tenantId of ['acme', 'evil'])
    await server.publish('plan: same\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\n', tenantId)
  const given = { body: { planId: 'same' }, headers: { 'idempotency-key': 'one-and-the-same' } }
  const first = await server.call('POST /v1/executions', { as: ANA, ...given })
  const other = await server.call('POST /v1/executions', { as: EVE, ...given })
  expect([first.status, other.status]).toEqual([202, 202])
  expect(other.body.executionId).not.toBe(first.body.executionId)
  expect(other.headers.get('x-idempotent-replayed')).toBeNull()
})

it('no byte of a tenant is in any answer to another, nor in a log line [AUT-09, AUT-10]', () => {
  const { acme, server } = world
  expect(answered.length).toBeGreaterThan(NAMING.length)
  expect(answered.filter(({ text }) => text.includes(acme.mark)).map(({ id }) => id)).toEqual([])
  expect(server.told).toEqual([])
  const lines = logged.filter(({ tenantId }) => tenantId === 'evil')
  expect(lines.length).toBeGreaterThan(NAMING.length)
  const said = [...Object.values(acme.runs), acme.mark, acme.names['token'] ?? '', acme.names['claim'] ?? '']
  expect(lines.filter((line) => said.some((text) => JSON.stringify(line).includes(text)))).toEqual([])
})
