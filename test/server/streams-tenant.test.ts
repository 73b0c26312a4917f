/** Which runs of the tenant moved, as server-sent events: for lists that are live without polling. */
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { testFolder } from '../fixtures/folder.ts'
import { gate, MANY, numbers, stepsWith } from './long-runs.ts'
import { ANA, EVE, served, type Served } from './served.ts'
import { follow, told, type MovedExecution, type SseMessage, type SseReader } from './sse.ts'

const ONE = `
plan: one
version: 1.0.0
steps:
  - { id: item, run: item, with: { item: 1 } }
`
const steps = stepsWith(gate())

const movedIn = (messages: readonly SseMessage[]): readonly MovedExecution[] =>
  messages.flatMap(({ event, data }) => (event === 'moved' ? (data?.executions ?? []) : []))

async function run(server: Served, as?: string): Promise<string> {
  const given = { body: { planId: 'one', input: {} }, ...(as === undefined ? {} : { as }) }
  return (await server.call('POST /v1/executions?mode=sync', given)).body.executionId
}

async function hello(reader: SseReader): Promise<SseMessage> {
  const found = (await reader.until(({ event }) => event === 'hello')).at(-1)
  return found ?? expect.fail('no hello')
}

/** What a list would show that is told up to a run's end. */
async function untilEnded(reader: SseReader, ...ids: readonly string[]): Promise<readonly SseMessage[]> {
  const open = new Set(ids)
  return reader.until((message) => {
    for (const { executionId, status } of movedIn([message])) if (status === 'COMPLETED') open.delete(executionId)
    return open.size === 0
  })
}

it('says hello with a place, then which runs moved and how they stand', async () => {
  await using server = await served({ steps })
  await server.publish(ONE)
  await using reader = await follow(server.url, '/v1/stream')
  expect([reader.status, reader.headers['content-type']]).toEqual([200, 'text/event-stream'])
  const first = await hello(reader)
  expect(first).toEqual({ event: 'hello', id: first.data?.watermark, data: { watermark: expect.any(String) } })
  const id = await run(server)
  const last = movedIn(await untilEnded(reader, id)).at(-1)
  const { body } = await server.call(`GET /v1/executions/${id}`)
  expect(last).toEqual({
    executionId: id,
    status: 'COMPLETED',
    state: 'completed',
    lastEventSeq: body.lastEventSeq,
    updatedAt: body.updatedAt,
  })
})

it('names each run once in a message, however often it moved, and sends at most one in a while', async () => {
  await using server = await served({ steps })
  await server.publish(MANY)
  await using reader = await follow(server.url, '/v1/stream')
  await hello(reader)
  const began = performance.now()
  const held = await Promise.all(
    numbers(5).map(() =>
      server.call('POST /v1/executions', { body: { planId: 'many', input: { before: numbers(100), after: [] } } }),
    ),
  )
  const ids = held.map(({ body }) => body.executionId as string)
  const open = new Set(ids)
  const messages = await reader.until((message) => {
    for (const { executionId, lastEventSeq } of movedIn([message])) if (lastEventSeq > 200) open.delete(executionId)
    return open.size === 0
  })
  const moves = told(messages)
  for (const one of moves) {
    const named = movedIn([one]).map(({ executionId }) => executionId)
    expect(named).toEqual([...new Set(named)])
  }
  const elapsed = performance.now() - began
  expect(moves.length).toBeLessThanOrEqual(2 + elapsed / LIMITS.streamMovesMs)
})

it('never tells runs of other tenants [AUT-10]', async () => {
  await using server = await served({ steps })
  await server.publish(ONE)
  await server.publish(ONE, 'evil')
  await using own = await follow(server.url, '/v1/stream')
  await using other = await follow(server.url, '/v1/stream', { as: EVE })
  await hello(own)
  const from = await hello(other)
  const mine = await run(server)
  const theirs = await run(server, EVE)
  await untilEnded(own, mine)
  expect(new Set(movedIn(await untilEnded(other, theirs)).map(({ executionId }) => executionId))).toEqual(
    new Set([theirs]),
  )
  // Also to who comes back: from a place before all of them.
  await using again = await follow(server.url, '/v1/stream', { as: EVE, lastEventId: from.id ?? '' })
  const since = movedIn(await untilEnded(again, theirs))
  expect(since.map(({ executionId }) => executionId)).toEqual([theirs])
})

it('tells who comes back what moved since, on a store that outlives the process', async () => {
  const directory = testFolder()
  const before = await served({ steps, directory })
  await before.publish(ONE)
  const reader = await follow(before.url, '/v1/stream')
  const place = (await hello(reader)).id ?? ''
  reader.cut()
  const missed = [await run(before), await run(before)]
  await before[Symbol.asyncDispose]()
  await using after = await served({ steps, directory })
  await using again = await follow(after.url, '/v1/stream', { lastEventId: place })
  const messages = told(await untilEnded(again, ...missed))
  expect(messages.map(({ event }) => event)).toEqual(['hello', 'moved'])
  expect(movedIn(messages).map(({ executionId, status }) => [executionId, status])).toEqual(
    missed.map((id) => [id, 'COMPLETED']),
  )
  // The hello of a reader that missed something has no place: it would be one after what it has not been told yet.
  expect(messages[0]?.id).toBeUndefined()
  const told2 = messages[1]?.id ?? ''
  // Whoever was told everything is told nothing, and goes on from there.
  await using third = await follow(after.url, '/v1/stream', { lastEventId: told2 })
  expect((await hello(third)).id).toEqual(expect.any(String))
})

it('gives out places that tell nothing of how much others do, and that are of use to nobody else [AUT-10]', async () => {
  await using server = await served({ steps, directory: testFolder() })
  await server.publish(ONE)
  await server.publish(ONE, 'evil')
  const placeOf = async (as?: string): Promise<string> => {
    await using reader = await follow(server.url, '/v1/stream', as === undefined ? {} : { as })
    return (await hello(reader)).id ?? ''
  }
  const places = [await placeOf()]
  for (let times = 0; times < 3; times += 1) await run(server, EVE)
  places.push(await placeOf(), await placeOf())
  expect(new Set(places).size).toBe(3)
  expect(new Set(places.map(({ length }) => length)).size).toBe(1)
  const sealed = places.map((place) => Buffer.from(place.split('.')[1] ?? '', 'base64url').toString('latin1'))
  for (const text of [...places, ...sealed]) expect(text).not.toMatch(/^\d+(\.|:|$)|\s{8}/)
  const resynced = async (lastEventId: string, as: string): Promise<string | undefined> => {
    await using reader = await follow(server.url, '/v1/stream', { lastEventId, as })
    const messages = told(await reader.until(({ event }) => event === 'moved' || event === 'resync'))
    return messages.at(-1)?.event
  }
  expect(await resynced(await placeOf(EVE), ANA)).toBe('resync')
  expect(await resynced(places[0] ?? '', EVE)).toBe('resync')
  expect(await resynced(`${(places[0] ?? '').slice(0, -2)}aa`, ANA)).toBe('resync')
  const mine = run(server)
  expect(await resynced(places[0] ?? '', ANA)).toBe('moved')
  await mine
})

it('says that it cannot know what moved: after a place that is not of this log, or that another process gave out', async () => {
  await using server = await served({ steps })
  const first = await served({ steps })
  const reader = await follow(first.url, '/v1/stream')
  const foreign = (await hello(reader)).id ?? ''
  reader.cut()
  await first[Symbol.asyncDispose]()
  for (const lastEventId of [foreign, 'nonsense', '99999999999999', '1.2.3']) {
    await using again = await follow(server.url, '/v1/stream', { lastEventId })
    const messages = told(await again.until(({ event }) => event === 'resync'))
    expect(messages.map(({ event, data }) => [event, Object.keys(data ?? {})])).toEqual([
      ['hello', ['watermark']],
      ['resync', []],
    ])
    expect([messages[1]?.id, messages[0]?.data?.watermark]).toEqual([expect.any(String), expect.any(String)])
  }
})

it('says resync when more moved than a message names', async () => {
  const directory = testFolder()
  await using server = await served({ steps, directory })
  await server.publish(ONE)
  const reader = await follow(server.url, '/v1/stream')
  const place = (await hello(reader)).id ?? ''
  reader.cut()
  const count = LIMITS.streamMovedRuns + 1
  const author = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'author' }
  const acme = onBehalf(server.keelson, author)
  await Promise.all(numbers(count).map(() => acme.start({ planId: 'one' }, {}, { queue: true })))
  await using again = await follow(server.url, '/v1/stream', { lastEventId: place })
  expect(told(await again.until(({ event }) => event !== 'hello' && event !== undefined)).at(-1)?.event).toBe('resync')
})

it('moves the place of a silent reader along with its comments', async () => {
  await using server = await served({ steps }, { streams: { keepAliveMs: 30 } })
  await server.publish(ONE, 'evil')
  await using reader = await follow(server.url, '/v1/stream')
  const from = (await hello(reader)).id
  await run(server, EVE)
  const beats = await reader.until(({ id, event }) => event === undefined && id !== undefined && id !== from)
  expect(told(beats)).toEqual([])
  expect(beats.at(-1)).toEqual({ id: expect.any(String) })
})
