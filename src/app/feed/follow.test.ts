/**
 * Followers of the log: in order, at least once, and a bad event affects only its run. On the memory store and on
 * SQLite.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import { openSqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { FeedItem } from '../../ports/feed.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { newRun } from '../../testing/store/run-fixtures.ts'
import { openSeal, openWrite } from '../../testing/store/sealed-events.ts'
import { seededRandom } from '../../../test/fixtures/virtual-time.ts'
import { World } from '../../../test/fixtures/virtual-world.ts'
import { DELIVERY_BACKOFF, deliveryDelayMs } from './backoff.ts'
import { Follower } from './follow.ts'
import { redeliverDead } from './redeliver-dead.ts'
import { Bench, place, numbered, append } from '../../../test/fixtures/feed-bench.ts'

const STORES: Readonly<Record<string, (world: World) => Promise<RunStore>>> = {
  memory: async (world) => openMemoryStore({ clock: world.time }),
  sqlite: (world) => openSqliteStore({ path: join(folder, `${(opened += 1)}.db`), clock: world.time }),
}

let opened = 0
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-follow-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function bench(name: string): Promise<Bench> {
  const world = new World()
  const open = STORES[name]
  if (open === undefined) throw new Error(`no store ${name}`)
  return new Bench(world, await open(world))
}

describe.each(Object.keys(STORES))('on the %s store', (name) => {
  it('every event arrives, in order per run, and is not sent again [BUS-02, BUS-08, STO-14]', async () => {
    const here = await bench(name)
    for (const run of ['a', 'b', 'c']) await append(here.store, run, 4)
    await append(here.store, 'a', 2)
    expect(await here.follower({ pageEvents: 3 }).drain()).toBe(14)
    expect(here.of('a')).toEqual(numbered('a', 1, 2, 3, 4, 5, 6))
    expect(here.of('b')).toEqual(numbered('b', 1, 2, 3, 4))
    expect(here.of('c')).toEqual(numbered('c', 1, 2, 3, 4))
    expect(await here.follower().drain()).toBe(0)
    await append(here.store, 'b', 1)
    expect(await here.follower().drain()).toBe(1)
    expect(here.of('b').at(-1)).toBe('b:5')
  })

  it('an append that was a duplicate brings nothing new [STO-14]', async () => {
    const here = await bench(name)
    await append(here.store, 'a', 1)
    const run = newRun({ runId: 'a' })
    const write = openWrite(run, { eventType: 'StepStarted', slot: 's', attempt: 7 })
    const ref = { tenantId: run.tenantId, runId: 'a' }
    const [first] = await here.store.appendOpen(ref, [write], openSeal(run))
    expect(await here.follower().drain()).toBe(2)
    const [second] = await here.store.appendOpen(ref, [write], openSeal(run))
    expect([first?.persisted, second?.persisted]).toEqual([true, false])
    expect(await here.follower().drain()).toBe(0)
  })

  it('a process that dies after delivering and before settling delivers again [BUS-03, STO-14]', async () => {
    const here = await bench(name)
    await append(here.store, 'a', 3)
    const dying: RunStore = { ...here.store, settleFeed: () => Promise.reject(new Error('power cut')) }
    await expect(here.follower({ store: dying }).drain()).rejects.toThrow('power cut')
    await here.follower().drain()
    expect(here.seen).toEqual([...numbered('a', 1, 2, 3), ...numbered('a', 1, 2, 3)])
  })

  it('a failed delivery keeps back its own run only, which goes on from there [BUS-02, BUS-05, BUS-09]', async () => {
    const here = await bench(name)
    for (const run of ['a', 'b']) await append(here.store, run, 3)
    let isDown = true
    const each = async (item: FeedItem): Promise<void> => {
      if (isDown && place(item) === 'a:2') throw new Error('the bus is down')
      await here.deliver(item)
    }
    const follower = here.follower({ deliver: { each } })
    await follower.drain()
    expect(here.of('a')).toEqual(numbered('a', 1))
    expect(here.of('b')).toEqual(numbered('b', 1, 2, 3))
    expect(await here.store.feedStatus('bus')).toMatchObject({ runsBehind: 1, runsBlocked: 1, deadLetters: 0 })
    isDown = false
    expect(await follower.drain()).toBe(0)
    await here.world.advanceBy(1_000)
    await follower.drain()
    expect(here.of('a')).toEqual(numbered('a', 1, 2, 3))
    expect(here.problems).toEqual([])
  })

  it('the tenth failure makes a dead letter, told once, and the run goes on after it [BUS-07, BUS-09]', async () => {
    const here = await bench(name)
    await append(here.store, 'a', 3)
    let tries = 0
    const each = async (item: FeedItem): Promise<void> => {
      if (place(item) === 'a:2') {
        tries += 1
        throw new Error('poison')
      }
      await here.deliver(item)
    }
    const follower = here.follower({ deliver: { each } })
    for (let turn = 1; turn <= 9; turn += 1) {
      await follower.drain()
      await here.world.advanceBy(DELIVERY_BACKOFF.maxMs)
    }
    expect([tries, here.seen, here.problems]).toEqual([9, ['a:1'], []])
    await follower.drain()
    await here.world.advanceBy(DELIVERY_BACKOFF.maxMs)
    await follower.drain()
    expect([tries, here.seen]).toEqual([10, ['a:1', 'a:3']])
    expect(here.problems).toMatchObject([{ code: 'EVENT_BUS_DELIVERY_FAILED', details: { runSeq: 2, priority: 'P1' } }])
    expect(await here.store.readDeadLetters('bus', 10)).toMatchObject([{ runSeq: 2, error: 'poison' }])
  })

  it('dead letters are delivered again in order; one that fails keeps back the later ones of its run', async () => {
    const here = await bench(name)
    for (const run of ['a', 'b']) await append(here.store, run, 3)
    const poison = new Set(['a:1', 'a:3', 'b:2'])
    const each = async (item: FeedItem): Promise<void> => {
      if (poison.has(place(item))) throw new Error('poison')
      await here.deliver(item)
    }
    await here.follower({ deliver: { each }, maxAttempts: 1 }).drain()
    here.seen.length = 0
    const places = (deadLetters: readonly { run: { runId: string }; runSeq: number }[]): string[] =>
      deadLetters.map(({ run, runSeq }) => `${run.runId}:${runSeq}`).sort()
    const request = { store: here.store, subscriber: 'bus', deliver: each }
    const tried = await redeliverDead({ ...request, dryRun: true })
    expect(places(tried.delivered)).toEqual(['a:1', 'a:3', 'b:2'])
    expect(await here.store.feedStatus('bus')).toMatchObject({ deadLetters: 3 })
    poison.delete('b:2')
    const first = await redeliverDead(request)
    expect([
      places(first.delivered),
      first.failed.map(({ deadLetter }) => deadLetter.runSeq),
      places(first.waiting),
    ]).toEqual([['b:2'], [1], ['a:3']])
    poison.clear()
    await redeliverDead(request)
    expect(here.seen).toEqual(['b:2', 'a:1', 'a:3'])
    expect(await here.store.readDeadLetters('bus', 10)).toEqual([])
  })

  it('a page that fails as a whole is not settled and comes again until it works [BUS-05]', async () => {
    const here = await bench(name)
    for (const run of ['a', 'b']) await append(here.store, run, 2)
    let isFull = true
    const page = async (items: readonly FeedItem[]): Promise<void> => {
      if (isFull) throw new Error('disk full')
      here.seen.push(...items.map(place))
    }
    const follower = here.follower({ deliver: { page } })
    follower.start()
    await here.world.advanceBy(60_000)
    expect(here.seen).toEqual([])
    expect(here.problems.length).toBeGreaterThan(2)
    isFull = false
    await here.world.advanceBy(DELIVERY_BACKOFF.maxMs)
    await follower.stop()
    expect([...here.seen].sort()).toEqual([...numbered('a', 1, 2), ...numbered('b', 1, 2)])
  })

  it('started, it sees what is appended at its next poll, or at once when woken; stopped, it sees nothing more', async () => {
    const here = await bench(name)
    const follower = here.follower({ pollMs: 500 })
    follower.start()
    await here.world.advanceBy(100)
    await append(here.store, 'a', 1)
    await here.world.advanceBy(500)
    expect(here.seen).toEqual(['a:1'])
    await append(here.store, 'a', 1)
    follower.wake()
    await here.world.advanceBy(0)
    expect(here.seen).toEqual(['a:1', 'a:2'])
    await follower.stop()
    await append(here.store, 'a', 1)
    await here.world.advanceBy(10_000)
    expect(here.seen).toEqual(['a:1', 'a:2'])
  })
})

it('a bus that is off for a whole run does not keep it from its end, and gets all of it later [BUS-01]', async () => {
  const world = new World()
  const process = world.process('one')
  let isOff = true
  const seen: string[] = []
  const { store, clock, random, timers } = process.services
  const follower = new Follower({
    store,
    clock,
    random,
    timers,
    subscriber: 'bus',
    deliver: {
      each: async ({ event }) => {
        if (isOff) throw new Error('no bus')
        seen.push(event.eventType)
      },
    },
  })
  follower.start()
  const key = await process.start('steps: [{ id: a, run: f }, { id: b, run: f }]')
  await world.runUntil(() => world.hasEnded(key))
  expect(world.row(key).status).toBe('COMPLETED')
  expect([seen, (await store.feedStatus('bus')).runsBehind]).toEqual([[], 1])
  isOff = false
  await world.runUntil(() => seen.length > 0)
  await follower.stop()
  expect(seen).toEqual(world.records(key).map(({ eventType }) => eventType))
})

it('a transaction that stands in the way is told once, and again when it is another', async () => {
  const here = await bench('memory')
  let pid = 41
  const store: RunStore = {
    ...here.store,
    feedStatus: async (subscriber) => ({
      ...(await here.store.feedStatus(subscriber)),
      stalledBy: { pid, sinceMs: 9_000 },
    }),
  }
  const follower = here.follower({ store })
  await follower.drain()
  await follower.drain()
  pid = 42
  await follower.drain()
  expect(here.problems.map(({ code, details }) => [code, details?.['pid']])).toEqual([
    ['FEED_STALLED', 41],
    ['FEED_STALLED', 42],
  ])
})

it('waiting times double from a second to five minutes, spread between half and whole [BUS-06]', () => {
  const random = seededRandom('backoff')
  for (let failures = 1; failures <= 20; failures += 1) {
    const whole = Math.min(1_000 * 2 ** (failures - 1), 300_000)
    const delays = Array.from({ length: 50 }, () => deliveryDelayMs(failures, random))
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(whole / 2)
      expect(delay).toBeLessThanOrEqual(whole)
    }
    expect(new Set(delays).size).toBeGreaterThan(40)
  }
})
