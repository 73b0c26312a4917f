/** Many readers of one run, readers that are cut off, and readers that take nothing: over real HTTP. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { Rng } from '../sim/random.ts'
import { countingStore, type CountingStore } from '../fixtures/counting-store.ts'
import { until } from '../fixtures/until.ts'
import { SEED } from '../setup/seed.ts'
import { gate, LARGE, MANY, numbers, stepsWith, type Gate } from './long-runs.ts'
import { served, type Served } from './served.ts'
import { follow, told, type SseMessage } from './sse.ts'

const WATCHERS = 200

interface Counted extends CountingStore, AsyncDisposable {
  readonly server: Served
}

async function countedServer(held: Gate, largeBytes?: number): Promise<Counted> {
  const counting = countingStore(openMemoryStore({ clock: { now: Date.now } }))
  const server = await served(
    { store: counting.store, steps: stepsWith(held, largeBytes) },
    { streams: { perPrincipal: WATCHERS } },
  )
  return { ...counting, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function started(server: Served, plan: string, planId: string, input: unknown): Promise<string> {
  await server.publish(plan)
  const { body } = await server.call('POST /v1/executions', { body: { planId, input } })
  return `/v1/executions/${body.executionId}`
}

const seqs = (messages: readonly SseMessage[]): readonly number[] =>
  told(messages).flatMap(({ event, id }) => (event === 'end' ? [] : [Number(id)]))

async function lastSeq(server: Served, path: string): Promise<number> {
  return (await server.call(`GET ${path}`)).body.lastEventSeq
}

/** Work of the server that takes a while. */
async function calls(server: Served, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await server.call('GET /healthz')
}

const upTo = (last: number): readonly number[] => numbers(last).map((index) => index + 1)

it('reads the log of a run once for all who watch it', async () => {
  const held = gate()
  await using counted = await countedServer(held)
  const { server, count, reset } = counted
  const path = await started(server, MANY, 'many', { before: numbers(100), after: numbers(100) })
  const isAtGate = ({ event, data }: SseMessage): boolean => event === 'StepStarted' && data?.stepId === 'gate'
  await using first = await follow(server.url, `${path}/stream`)
  const before = await first.until(isAtGate)
  reset()
  const others = await Promise.all(numbers(WATCHERS - 1).map(() => follow(server.url, `${path}/stream`)))
  const caughtUp = await Promise.all(others.map((one) => one.until(isAtGate)))
  for (const one of caughtUp) expect(seqs(one)).toEqual(seqs(before))
  const forCatchingUp = count('readEvents')
  reset()
  held.open()
  const ends = await Promise.all([first, ...others].map((one) => one.until(({ event }) => event === 'end')))
  const forTheRest = count('readEvents')
  console.log(`streams: ${WATCHERS} watchers, reads of the log: ${forCatchingUp} to catch up, ${forTheRest} to follow`)
  for (const one of ends) expect(seqs(one)).toEqual(seqs(ends[0] ?? []))
  expect(forCatchingUp).toBeLessThanOrEqual(10)
  // One read for each time that it moved, and not for each reader.
  expect(forTheRest).toBeLessThanOrEqual(WATCHERS / 2)
  expect([...seqs(before), ...seqs(ends[0] ?? [])]).toEqual(upTo(await lastSeq(server, path)))
  await Promise.all(others.map((one) => one[Symbol.asyncDispose]()))
})

it('reads nothing more when the last reader has left', async () => {
  const held = gate()
  await using counted = await countedServer(held)
  const { server, count, reset } = counted
  const path = await started(server, MANY, 'many', { before: numbers(2), after: numbers(2) })
  const readers = await Promise.all([follow(server.url, `${path}/stream`), follow(server.url, '/v1/stream')])
  await until(() => count('readMoves') > 2)
  for (const one of readers) one.cut()
  await until(async () => {
    reset()
    // Two looks of the follower take longer than this call, if it still looked.
    await calls(server, 30)
    return count('readMoves') === 0
  })
  held.open()
})

it(`misses nothing and repeats nothing of 5,000 events, wherever it is cut (KEELSON_SEED=${SEED})`, async () => {
  const random = new Rng(SEED)
  const held = gate()
  await using counted = await countedServer(held)
  const { server } = counted
  const path = await started(server, MANY, 'many', { before: numbers(1250), after: numbers(1250) })
  held.open()
  const seen: number[] = []
  let cuts = 0
  for (let isOver = false; !isOver; cuts += 1) {
    await using reader = await follow(server.url, `${path}/stream`, { lastEventId: String(seen.at(-1) ?? 0) })
    let left = random.int(0, 400)
    const part = await reader.until(({ event }) => event === 'end' || --left < 0)
    seen.push(...seqs(part))
    isOver = part.at(-1)?.event === 'end'
  }
  console.log(`streams: KEELSON_SEED=${SEED}: ${seen.length} events in ${cuts} parts`)
  expect(seen.length).toBeGreaterThan(5_000)
  expect(seen).toEqual(upTo(await lastSeq(server, path)))
})

it('stops reading for a reader that takes nothing, and goes on where it stood', async () => {
  const held = gate()
  await using counted = await countedServer(held, 30_000)
  const { server, count, reset } = counted
  const path = await started(server, LARGE, 'large', { items: numbers(300) })
  await until(async () => (await server.call(`GET ${path}`)).body.status === 'COMPLETED')
  reset()
  await using reader = await follow(server.url, `${path}/stream`)
  reader.pause()
  // Until the buffers of the machine between them are full.
  let before = -1
  await until(async () => {
    const now = count('readEvents')
    const isStill = now === before
    before = now
    await calls(server, 20)
    return isStill
  })
  const whilePaused = count('readEvents')
  reader.resume()
  const messages = await reader.until(({ event }) => event === 'end')
  const inAll = count('readEvents')
  console.log(`streams: a reader that stopped: ${whilePaused} of ${inAll} pages were read`)
  expect(whilePaused).toBeLessThan(inAll / 2)
  expect(seqs(messages)).toEqual(upTo(await lastSeq(server, path)))
})
