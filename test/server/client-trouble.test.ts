/** The typed client and servers that are busy, gone, newer, or no servers of ours. */
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { backoffSeconds, connect, type Client } from '../../src/client/connect.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { loopback } from '../fixtures/loopback.ts'
import { allOf } from './all-of.ts'

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const refusal = (code: string): object => ({
  error: { code, category: 'X', message: 'later', help: 'x', retryable: true, hint: 'wait' },
  timestamp: '2026-01-01T00:00:00.000Z',
  correlationId: 'c-1',
})

/** A client whose waits take no time, and which notes them. */
function hasty(url: string): { readonly client: Client; readonly waited: readonly number[] } {
  const waited: number[] = []
  const sleep = async (ms: number): Promise<void> => void waited.push(ms)
  return { client: connect({ url, sleep }), waited }
}

it('waits 5, 10, 20, 40 and then always 60 seconds between connections [API-08]', () => {
  expect([0, 1, 2, 3, 4, 5, 50].map(backoffSeconds)).toEqual([5, 10, 20, 40, 60, 60, 60])
})

it('sends again what may be repeated while the server is busy, as often as it says and no oftener [API-07, API-09]', async () => {
  const server = await loopback((_, response) => json(response, 503, refusal('SERVER_BUSY'), { 'retry-after': '7' }))
  const { client, waited } = hasty(server.url)
  await expect(client.me()).rejects.toMatchObject({ code: 'SERVER_BUSY', retryAfterSeconds: 7 })
  expect(waited).toEqual([7_000, 7_000, 7_000])
  expect(server.asked.length).toBe(LIMITS.clientTries)
  await expect(client.start({ planId: 'x' })).rejects.toMatchObject({ code: 'SERVER_BUSY' })
  expect(server.asked.length).toBe(LIMITS.clientTries + 1)
  await expect(client.start({ planId: 'x' }, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'SERVER_BUSY' })
  expect(server.asked.length).toBe(2 * LIMITS.clientTries + 1)
})

it('does not wait longer than a minute for a server', async () => {
  const server = await loopback((_, response) => json(response, 429, refusal('RATE_EXCEEDED'), { 'retry-after': '61' }))
  const { client, waited } = hasty(server.url)
  await expect(client.me()).rejects.toMatchObject({ code: 'RATE_EXCEEDED', retryAfterSeconds: 61 })
  expect(waited).toEqual([])
})

it('keeps a code of a newer server as text', async () => {
  const server = await loopback((_, response) => json(response, 409, refusal('CODE_OF_THE_FUTURE')))
  await expect(hasty(server.url).client.me()).rejects.toMatchObject({
    code: 'SERVER_REFUSED',
    serverCode: 'CODE_OF_THE_FUTURE',
    correlationId: 'c-1',
    problems: [{ message: 'CODE_OF_THE_FUTURE: later', hint: 'wait', retryable: true }],
  })
})

it('tells what is not a Keelson server', async () => {
  const page = await loopback((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'))
  await expect(hasty(page.url).client.me()).rejects.toMatchObject({
    code: 'SERVER_NOT_KEELSON',
    problems: [{ message: `${page.url} is not a Keelson server: it answers 200 with text/html` }],
  })
  const other = await loopback((_, response) => json(response, 404, { message: 'no such page' }))
  await expect(hasty(other.url).client.me()).rejects.toMatchObject({ code: 'SERVER_NOT_KEELSON' })
  const broken = await loopback(
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
  )
  await expect(hasty(broken.url).client.me()).rejects.toMatchObject({ code: 'SERVER_NOT_KEELSON' })
})

it.each([
  ['{"hello":"world"}', "its JSON has no 'executions'"],
  ['[]', 'its JSON is array where object was expected'],
  ['null', 'its JSON is null where object was expected'],
  ['{"executions":"none"}', "'executions' in its JSON is string where array was expected"],
])('tells that a server which answers %s is none of ours', async (text, why) => {
  const other = await loopback(
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(text),
  )
  const { client } = hasty(other.url)
  await expect(allOf(client.runs())).rejects.toMatchObject({
    code: 'SERVER_NOT_KEELSON',
    problems: [{ message: `${other.url} is not a Keelson server: ${why}` }],
  })
})

it('does not mind fields and words that a newer server has', async () => {
  const body = { executions: [{ executionId: 'r', status: 'DREAMING' }], next: 'c', mood: 'good' }
  const newer = await loopback((_, response) => json(response, 200, body))
  expect((await hasty(newer.url).client.ask('listExecutions')).body).toEqual(body)
})

it.each([502, 503, 504])('a proxy that answers %i by itself says that the server is away for now', async (status) => {
  const proxy = await loopback(
    (_, response) => void response.writeHead(status, { 'content-type': 'text/html' }).end('<p>'),
  )
  const { client } = hasty(proxy.url)
  await expect(client.me()).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    problems: [{ message: `${proxy.url} does not answer: a proxy before it answers ${status}`, retryable: true }],
  })
  await expect(client.start({ planId: 'x' })).rejects.toThrow(/whether the request was carried out is not known/)
})

it('carries who asks to no other address', async () => {
  const thief = await loopback((_, response) => json(response, 200, {}))
  const server = await loopback((_, response) => void response.writeHead(307, { location: `${thief.url}/v1/me` }).end())
  const client = connect({ url: server.url, apiKey: 'kls_secret' })
  await expect(client.me()).rejects.toMatchObject({ code: 'SERVER_NOT_KEELSON' })
  expect(server.asked[0]?.headers.authorization).toBe('Bearer kls_secret')
  expect(thief.asked).toEqual([])
})

it('says that a server is gone, and of a change that nobody knows whether it was made', async () => {
  const server = await loopback((_, response) => void response.destroy())
  const { client } = hasty(server.url)
  await expect(client.me()).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE', problems: [{ retryable: true }] })
  await expect(client.start({ planId: 'x' })).rejects.toThrow(/whether the request was carried out is not known/)
  expect(server.asked.length).toBe(2)
})

it('asks for a token before each request', async () => {
  const me = { tenantId: 't', actorId: 'a', kind: 'user', roles: [], actions: [] }
  const server = await loopback((_, response) => json(response, 200, me))
  let count = 0
  const client = connect({ url: `${server.url}/behind/`, token: () => `t${(count += 1)}`, actAs: 'bob' })
  await client.me()
  await client.me()
  expect(server.asked.map(({ url, headers }) => [url, headers.authorization, headers['x-keelson-act-as']])).toEqual([
    ['/behind/v1/me', 'Bearer t1', 'bob'],
    ['/behind/v1/me', 'Bearer t2', 'bob'],
  ])
})

const event = (runSeq: number): string =>
  `id: ${runSeq}\nevent: StepStarted\ndata: ${JSON.stringify({ runSeq, eventType: 'StepStarted' })}\n\n`

it('goes on after the last event when a stream breaks off, and waits longer each time [API-08]', async () => {
  const parts = [
    `: hello\n\n${event(1)}${event(2)}`,
    '',
    '',
    `${event(2)}${event(3)}`,
    `event: reconnect\nretry: 250\ndata: {}\n\n`,
    `${event(4)}event: end\ndata: {}\n\n`,
  ]
  const server = await loopback((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(parts[server.asked.length - 1])
  })
  const { client, waited } = hasty(server.url)
  const seen = await allOf(client.run('r').events())
  expect(seen.map(({ runSeq }) => runSeq)).toEqual([1, 2, 3, 4])
  expect(server.asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2', '2', '3', '3'])
  expect(waited).toEqual([5_000, 10_000, 20_000, 5_000, 250])
})

it('gives a stream up when it is told to, and after as many tries as it has', async () => {
  const server = await loopback((_, response) => void response.destroy())
  const { client, waited } = hasty(server.url)
  await expect(allOf(client.run('r').events(0, { tries: 3 }))).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
  })
  expect(waited).toEqual([5_000, 10_000])
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(allOf(client.run('r').events(0, { signal }))).rejects.toThrow('enough')
})
