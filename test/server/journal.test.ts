/** The journal of a run over real HTTP: what happened, entry by entry, masked and cut. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { canonicalText } from '../../src/app/log/canonical.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import type { StepFunction } from '../../src/ports/step-handlers.ts'
import { until } from '../fixtures/until.ts'
import { gate, MANY, numbers, stepsWith } from './long-runs.ts'
import { served, type Served } from './served.ts'

const ANA = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'ana' }

interface Entry {
  readonly seq: number
  readonly eventType: string
  readonly state?: string
  readonly stepId?: string
  readonly persistedAt: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly data?: { readonly result?: unknown }
  readonly truncated?: unknown
}

async function runSync(server: Served, planId: string, input: unknown): Promise<string> {
  return (await server.call('POST /v1/executions?mode=sync', { body: { planId, input } })).body.executionId
}

async function entriesOf(server: Served, id: string, query = '?limit=1000'): Promise<readonly Entry[]> {
  return (await server.call(`GET /v1/executions/${id}/journal${query}`)).body.entries
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const sha256 = (value: unknown): string => createHash('sha256').update(canonicalText(value)).digest('hex')

const ECHO = `
plan: echo
version: 1.0.0
steps:
  - { id: echo, run: echo, with: { given: '\${input}' } }
output: '\${steps.echo.output}'
`
const echo = { echo: ({ given }: { given: unknown }) => given }

it('has an entry for each event of the log, in its order and without a gap [API-10, API-16, API-17]', async () => {
  await using server = await served({ steps: echo })
  await server.publish(ECHO)
  const id = await runSync(server, 'echo', { n: 1 })
  const { body, headers } = await server.call(`GET /v1/executions/${id}/journal`)
  const { events } = (await server.call(`GET /v1/executions/${id}/events`)).body
  expect(headers.get('content-type')).toBe('application/json')
  expect(body.executionId).toBe(id)
  expect(body.entries.map(({ seq, eventType }: Entry) => [seq, eventType])).toEqual(
    events.map(({ runSeq, eventType }: { runSeq: number; eventType: string }) => [runSeq, eventType]),
  )
  expect(body.entries.map(({ seq }: Entry) => seq)).toEqual(numbers(events.length).map((index) => index + 1))
  expect(body.entries.flatMap(({ state }: Entry) => state ?? [])).toEqual([
    'Pending',
    'Running',
    'Running',
    'Completed',
    'Completed',
  ])
  expect(body.entries.find(({ eventType }: Entry) => eventType === 'StepCompleted').data.result).toEqual({ n: 1 })
})

it('reads Cancelled for a step that was cancelled, though the log holds a StepFailed [API-17]', async () => {
  const aborted: StepFunction = (_input, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('left off'))))
  await using server = await served({ steps: { ...stepsWith(gate()), gate: aborted } })
  await server.publish(MANY)
  const { body } = await server.call('POST /v1/executions', {
    body: { planId: 'many', input: { before: [], after: [] } },
  })
  const id: string = body.executionId
  await until(async () =>
    (await entriesOf(server, id)).some(({ stepId, eventType }) => stepId === 'gate' && eventType === 'StepStarted'),
  )
  const run = await onBehalf(server.keelson, ANA).run(id)
  await run.cancel()
  await until(async () => (await server.call(`GET /v1/executions/${id}`)).body.status === 'CANCELLED')
  const entries = await entriesOf(server, id)
  const step = entries.find(({ stepId, eventType }) => stepId === 'gate' && eventType === 'StepFailed')
  expect([step?.state, step?.payload['error']]).toMatchObject(['Cancelled', { code: 'CANCELLED' }])
  expect(entries.filter(({ eventType }) => eventType === 'RunCancelled').map(({ state }) => state)).toEqual([
    'Cancelled',
  ])
})

it('gives pages by cursor, by time and by size, as an object or as lines [API-10]', async () => {
  const held = gate()
  held.open()
  await using server = await served({ steps: stepsWith(held) })
  await server.publish(MANY)
  const id = await runSync(server, 'many', { before: numbers(80), after: numbers(1) })
  const all = await entriesOf(server, id)
  const path = `/v1/executions/${id}/journal`
  const first = (await server.call(`GET ${path}`)).body
  expect([first.entries.length, first.next, first.truncated]).toEqual([100, 100, undefined])
  const second = (await server.call(`GET ${path}?cursor=100`)).body
  expect(second.next).toBeUndefined()
  expect([...first.entries, ...second.entries]).toEqual(all)
  expect((await server.call(`GET ${path}?cursor=3&limit=2`)).body).toMatchObject({ entries: all.slice(3, 5), next: 5 })
  const at = all[60]?.persistedAt ?? ''
  expect(await entriesOf(server, id, `?since=${at}&limit=1000`)).toEqual(all.filter((one) => one.persistedAt >= at))
  expect(await entriesOf(server, id, '?since=2999-01-01T00:00:00Z')).toEqual([])
  expect((await server.call(`GET ${path}?limit=1001`)).body.error.code).toBe('BODY_INVALID')
  const lines = await server.call(`GET ${path}?format=ndjson&limit=3`)
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
  expect(lines.text).toBe(
    all
      .slice(0, 3)
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  )
})

it('has a weak tag, and answers 304 to who has it [API-12]', async () => {
  await using server = await served({ steps: echo })
  await server.publish(ECHO)
  const id = await runSync(server, 'echo', {})
  for (const query of ['', '?format=ndjson']) {
    const path = `GET /v1/executions/${id}/journal${query}`
    const first = await server.call(path)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[0-9a-f]{16}"$/)
    const again = await server.call(path, { headers: { 'if-none-match': etag } })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    expect(again.headers.get('cache-control')).toBe('max-age=0, must-revalidate')
  }
})

const CANARY = 'hunter2canary'

it('shows no secret: neither under a name that says so nor in a text that has its form [API-16]', async () => {
  const given = {
    password: CANARY,
    nested: { apiKey: [CANARY], 'x-authorization': 'no', dbPassword: { value: CANARY } },
    header: `Bearer ${CANARY}${CANARY}`,
    url: `https://ana:${CANARY}@example.com/x?token=${CANARY}&page=2&sig=${CANARY}`,
    said: `the password=${CANARY}, was it`,
    key: `kls_${CANARY}`,
    pem: `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----`,
    plain: 'shown',
  }
  await using server = await served({
    steps: {
      echo: () => given,
      boom: () => {
        throw new Error(`token: ${CANARY}`)
      },
    },
  })
  await server.publish(ECHO)
  await server.publish(
    ECHO.replace('plan: echo', 'plan: boom').replace('run: echo', 'run: boom, retry: { maxAttempts: 1 }'),
  )
  const ids = [await runSync(server, 'echo', given), await runSync(server, 'boom', {})]
  for (const id of ids) {
    const { text } = await server.call(`GET /v1/executions/${id}/journal`)
    expect(text).not.toContain(CANARY)
    // A stack names places of this machine.
    expect(text).not.toContain(import.meta.dirname)
  }
  const shown = (await entriesOf(server, ids[0] ?? '')).find(({ eventType }) => eventType === 'StepCompleted')?.data
    ?.result
  expect(shown).toEqual({
    password: '***',
    nested: { apiKey: '***', 'x-authorization': 'no', dbPassword: '***' },
    header: 'Bearer ***',
    url: 'https://***@example.com/x?token=***&page=2&sig=***',
    said: 'the password=***, was it',
    key: '***',
    pem: '***',
    plain: 'shown',
  })
})

it('cuts a field of more than 1 KB, with the checksum of the whole, and never a character in two [API-16]', async () => {
  await using server = await served({ steps: echo })
  await server.publish(ECHO)
  // As JSON: 1,024 bytes with its quotes, and one more.
  for (const [text, isCut] of [
    ['x'.repeat(1_022), false],
    ['x'.repeat(1_023), true],
    ['ü'.repeat(511), false],
    ['ü'.repeat(512), true],
    ['\u0001'.repeat(900), true],
  ] as const) {
    const id = await runSync(server, 'echo', text)
    const result = (await entriesOf(server, id)).find(({ eventType }) => eventType === 'StepCompleted')?.data?.result
    expect(bytes(result)).toBeLessThanOrEqual(LIMITS.journalFieldBytes)
    if (!isCut) expect(result).toBe(text)
    else {
      expect(result).toMatchObject({ truncated: true, bytes: bytes(text), sha256: sha256(text) })
      expect(text.startsWith((result as { readonly begin: string }).begin)).toBe(true)
    }
  }
})

it('ends at 10,485,760 bytes with a marker, and the run goes on [API-16, API-17]', async () => {
  const held = gate()
  held.open()
  const large = 'x'.repeat(990)
  await using server = await served({ steps: { ...stepsWith(held), item: () => large } })
  await server.publish(MANY)
  const { body } = await server.call('POST /v1/executions', {
    body: { planId: 'many', input: { before: numbers(6_500), after: [] } },
  })
  const id: string = body.executionId
  expect((await (await onBehalf(server.keelson, ANA).run(id)).result()).status).toBe('COMPLETED')
  const row = await servicesOf(server.keelson).store.findRun({ tenantId: 'acme', runId: id })
  const entries: Entry[] = []
  let cursor = 0
  for (let isOver = false; !isOver;) {
    const page = (await server.call(`GET /v1/executions/${id}/journal?limit=1000&cursor=${cursor}`)).body
    entries.push(...page.entries)
    cursor = page.next ?? cursor
    isOver = page.next === undefined
    expect(page.truncated).toBe(isOver ? true : undefined)
  }
  const total = entries.reduce((sum, one) => sum + bytes(one) + 1, 0)
  expect(total).toBeLessThanOrEqual(LIMITS.journalBytes)
  expect(total).toBeGreaterThan(LIMITS.journalBytes - LIMITS.journalEntryBytes)
  expect(entries.map(({ seq }) => seq)).toEqual(numbers(entries.length).map((index) => index + 1))
  const last = (row?.nextSeq ?? 0) - 1
  expect(entries.at(-1)).toEqual({
    seq: entries.length,
    eventType: 'JournalTruncated',
    truncated: {
      leftOut: last - entries.length + 1,
      mostBytes: 10_485_760,
      sha256: Buffer.from(row?.headHash ?? []).toString('hex'),
    },
  })
  const beyond = await server.call(`GET /v1/executions/${id}/journal?cursor=${last}`)
  expect(beyond.body).toEqual({ executionId: id, entries: [], truncated: true })
})
