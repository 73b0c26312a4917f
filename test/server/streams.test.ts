/** The log of a run as server-sent events, over real HTTP. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RunRow } from '../../src/ports/run-store.ts'
import { testFolder } from '../fixtures/folder.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { until } from '../fixtures/until.ts'
import { gate, MANY, numbers, stepsWith } from './long-runs.ts'
import { BOB, EVE, served, type Served } from './served.ts'
import { follow, told, type SseMessage } from './sse.ts'

const GREET = `
plan: greet
version: 1.0.0
steps:
  - { id: hello, run: hello, with: { name: '\${input.name}' } }
output: { said: '\${steps.hello.output}' }
`
const steps = { hello: ({ name }: { name: string }) => `hello ${name}` }
const SEQ = (messages: readonly SseMessage[]): readonly number[] =>
  told(messages).flatMap(({ event, id }) => (event === 'end' ? [] : [Number(id)]))

async function started(server: Served, planId: string, input: unknown): Promise<string> {
  const { body } = await server.call('POST /v1/executions', { body: { planId, input } })
  return body.executionId
}

/** A run that stands at its gate, and its address. */
async function waiting(server: Served, before = 2): Promise<{ readonly id: string; readonly path: string }> {
  await server.publish(MANY)
  const id = await started(server, 'many', { before: numbers(before), after: numbers(2) })
  return { id, path: `/v1/executions/${id}/stream` }
}

const isGateOpen = ({ event, data }: SseMessage): boolean => event === 'StepStarted' && data?.stepId === 'gate'

it('sends every event of a run under its number, and ends with the run', async () => {
  await using server = await served({ steps })
  await server.publish(GREET)
  const id = await started(server, 'greet', { name: 'Ana' })
  await using reader = await follow(server.url, `/v1/executions/${id}/stream`)
  expect(reader.status).toBe(200)
  expect(reader.headers['content-type']).toBe('text/event-stream')
  expect(reader.headers['cache-control']).toBe('no-store')
  const messages = told(await reader.until(() => false))
  const { events } = (await server.call(`GET /v1/executions/${id}/events`)).body
  expect(messages.slice(0, -1).map(({ data }) => data)).toEqual(events)
  expect(messages.slice(0, -1).map(({ id: seq, event }) => [seq, event])).toEqual(
    events.map(({ runSeq, eventType }: { runSeq: number; eventType: string }) => [String(runSeq), eventType]),
  )
  expect(messages.at(-1)).toEqual({
    id: String(events.length),
    event: 'end',
    data: { executionId: id, status: 'COMPLETED', lastEventSeq: events.length },
  })
  expect(server.told).toEqual([])
})

it('goes on after the event that the reader names, by header before query', async () => {
  await using server = await served({ steps })
  await server.publish(GREET)
  const { body } = await server.call('POST /v1/executions?mode=sync', {
    body: { planId: 'greet', input: { name: 'Ana' } },
  })
  const path = `/v1/executions/${body.executionId}/stream`
  const last = body.lastEventSeq
  const after = async (query: string, lastEventId?: string): Promise<readonly number[]> => {
    await using reader = await follow(server.url, `${path}${query}`, lastEventId === undefined ? {} : { lastEventId })
    return SEQ(await reader.until(() => false))
  }
  const from = (seq: number): readonly number[] => numbers(last - seq).map((index) => seq + 1 + index)
  expect(await after('?after=2')).toEqual(from(2))
  expect(await after('', '3')).toEqual(from(3))
  expect(await after('?after=1', '3')).toEqual(from(3))
  expect(await after('', String(last))).toEqual([])
  const beyond = await server.call(`GET ${path}`, { headers: { 'last-event-id': String(last + 1) } })
  expect([beyond.status, beyond.body.error]).toMatchObject([
    400,
    { code: 'HEADER_INVALID', details: { lastEventSeq: last } },
  ])
  const nonsense = await server.call(`GET ${path}`, { headers: { 'last-event-id': '-1' } })
  expect([nonsense.status, nonsense.body.error.code]).toEqual([400, 'HEADER_INVALID'])
})

it('sends a comment when nothing happens for a while', async () => {
  const held = gate()
  await using server = await served({ steps: stepsWith(held) }, { streams: { keepAliveMs: 20 } })
  const { path } = await waiting(server)
  await using reader = await follow(server.url, path)
  const messages = await reader.until(({ comment }) => comment === true)
  expect(messages.at(-1)).toEqual({ comment: true })
  expect((await reader.until(({ comment }) => comment === true)).at(-1)).toEqual({ comment: true })
  held.open()
  expect((await reader.until(({ event }) => event === 'end')).at(-1)).toMatchObject({ event: 'end' })
})

it('lets a principal have so many streams and no more; one that is closed makes room', async () => {
  const held = gate()
  await using server = await served({ steps: stepsWith(held) }, { streams: { perPrincipal: 2 } })
  const { path } = await waiting(server)
  await using first = await follow(server.url, path)
  await using second = await follow(server.url, '/v1/stream')
  expect([first.status, second.status]).toEqual([200, 200])
  const refused = await server.call(`GET ${path}`)
  expect([refused.status, refused.headers.get('retry-after'), refused.body.error]).toMatchObject([
    429,
    '5',
    { code: 'RATE_EXCEEDED', category: 'RESOURCE_EXHAUSTED', details: { limit: 2 } },
  ])
  await using others = await follow(server.url, path, { as: BOB })
  expect(others.status).toBe(200)
  first.cut()
  await until(async () => {
    await using again = await follow(server.url, path)
    return again.status === 200
  })
  held.open()
})

it('gives a run of another tenant the answer of one that does not exist, byte for byte [AUT-10]', async () => {
  await using server = await served({ steps })
  await server.publish(GREET)
  const id = await started(server, 'greet', { name: 'Ana' })
  const unknown = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  for (const what of ['stream', 'journal']) {
    const [foreign, none] = await Promise.all(
      [id, unknown].map((one) =>
        server.call(`GET /v1/executions/${one}/${what}`, { as: EVE, headers: { 'x-correlation-id': 'same' } }),
      ),
    )
    const seen = ({ status, text }: { status: number; text: string }, of: string): readonly unknown[] => [
      status,
      text.replaceAll(of, 'ID').replaceAll(/"timestamp":"[^"]*"/g, ''),
    ]
    expect(foreign?.status).toBe(404)
    expect(seen(foreign as never, id)).toEqual(seen(none as never, unknown))
  }
})

it('answers for a run that was set aside or archived before anything is sent', async () => {
  const folder = testFolder()
  await using server = await served({ steps, directory: folder })
  await server.publish(GREET)
  const sync = () => server.call('POST /v1/executions?mode=sync', { body: { planId: 'greet', input: { name: 'Ana' } } })
  const { body } = await sync()
  const { store } = servicesOf(server.keelson)
  const row = await store.findRun({ tenantId: 'acme', runId: body.executionId })
  await store.quarantine(row?.runKey ?? 0, 'RUN_QUARANTINED')
  const refused = await server.call(`GET /v1/executions/${body.executionId}/stream`)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'RUN_QUARANTINED'])
  expect(refused.headers.get('content-type')).toBe('application/json')
  const { body: other } = await sync()
  const kept = await store.findRun({ tenantId: 'acme', runId: other.executionId })
  await server.keelson.maintenance.archive(kept as RunRow, join(folder, 'kept'), { force: true })
  for (const what of ['stream', 'journal']) {
    const gone = await server.call(`GET /v1/executions/${other.executionId}/${what}`)
    expect([gone.status, gone.body.error.code]).toEqual([410, 'RUN_ARCHIVED'])
  }
})

it('says what happened to a run that is set aside while it is watched, and ends', async () => {
  const held = gate()
  await using server = await served({ steps: stepsWith(held) }, { streams: { keepAliveMs: 20 } })
  const { store } = servicesOf(server.keelson)
  const { id, path } = await waiting(server)
  await using reader = await follow(server.url, path)
  await reader.until(isGateOpen)
  const row = await store.findRun({ tenantId: 'acme', runId: id })
  await store.quarantine(row?.runKey ?? 0, 'RUN_QUARANTINED')
  // Nobody is told: it is seen when the run is looked at again, after some comments.
  expect((await reader.until(() => false)).at(-1)).toMatchObject({
    event: 'trouble',
    data: { error: { code: 'RUN_QUARANTINED', category: 'CONFLICT' } },
  })
  held.open()
})

it('tells readers to come back when the server stops', async () => {
  const held = gate()
  const server = await served({ steps: stepsWith(held) })
  const { path } = await waiting(server)
  await using reader = await follow(server.url, path)
  await using list = await follow(server.url, '/v1/stream')
  await reader.until(isGateOpen)
  const closed = server[Symbol.asyncDispose]()
  expect((await reader.until(() => false)).at(-1)).toEqual({ event: 'reconnect', retry: '1000', data: {} })
  expect((await list.until(() => false)).at(-1)).toEqual({ event: 'reconnect', retry: '1000', data: {} })
  held.open()
  await closed
})
