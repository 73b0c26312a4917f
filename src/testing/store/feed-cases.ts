/**
 * Cases about the feed: every event at least once and in order per run, and a subscriber's position is what it settled.
 */
import assert from 'node:assert/strict'
import { tenantSubscriber } from '../../core/feed/subscriber.ts'
import type { FeedPage } from '../../ports/feed.ts'
import type { RunRow } from '../../ports/run-store.ts'
import {
  append,
  dead,
  delivered,
  drain,
  failed,
  firstOf,
  itemsOf,
  NONE,
  NOW,
  read,
  seqs,
  settle,
  statusOf,
  SUB,
  threeRuns,
} from './feed-fixtures.ts'
import { openSeal, openWrite } from './sealed-events.ts'
import { allEvents, bootstrap, bytesOf, commitOne, nextCommit, rowOf, step, type StoreCase } from './store-case.ts'

export const FEED_CASES: readonly StoreCase[] = [
  {
    title: 'a subscriber sees every event of every run once and in order, whatever the size of its pages [P-50]',
    run: async (world) => {
      const runs = await threeRuns(world)
      const { store } = world
      for (const limit of [1, 2, 3, 100]) {
        const seen = await drain(store, `by ${limit}`, limit)
        for (const run of runs) assert.deepEqual(seen.get(run.runId), await seqs(store, run), `pages of ${limit}`)
        assert.equal(seen.size, 3)
        assert.deepEqual(await statusOf(store, `by ${limit}`), NONE)
        const [first] = runs
        assert.equal(await store.settledSeq(first.runKey, `by ${limit}`), (await seqs(store, first)).at(-1))
        assert.equal(await store.settledSeq(first.runKey, 'nobody'), 0)
      }
      await append(world, runs[1], 'z')
      const more = await drain(store, 'by 1', 1)
      assert.deepEqual([...more], [['r2', (await seqs(store, runs[1])).slice(-1)]])
    },
  },
  {
    title: 'a subscriber of one tenant sees its runs alone: others are not counted, not settled and not waited for',
    run: async (world) => {
      const { store } = world
      const own = await bootstrap(world, { runId: 'r1', tenantId: 'tenant-a' })
      const other = await bootstrap(world, { runId: 'r1', tenantId: 'tenant-b' })
      const name = tenantSubscriber('tenant-a', SUB)
      assert.equal((await statusOf(store, name)).runsBehind, 1)
      const page = await read(store, name)
      assert.deepEqual(
        page.items.map(({ runKey }) => runKey),
        [own.runKey],
      )
      // It also cannot settle a foreign tenant's event.
      const [foreign] = itemsOf(await read(store, 'all'), other)
      assert.ok(foreign !== undefined)
      await settle(store, page, [...page.items.map(delivered), dead(foreign)], name)
      assert.deepEqual(await statusOf(store, name), NONE)
      await append(world, other, 'a')
      await settle(store, await read(store, name), [], name)
      assert.deepEqual([(await read(store, name)).items, await statusOf(store, name)], [[], NONE])
      assert.deepEqual(await store.subscribersBehind(other.runKey), [])
      assert.deepEqual(await store.readDeadLetters(name, 9), [])
      await append(world, own, 'a')
      assert.deepEqual(await store.subscribersBehind(own.runKey), [name])
      assert.deepEqual(await store.faults(), [])
    },
  },
  {
    title: 'an item is the event as it is stored, with the run it belongs to',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1', tenantId: 'tenant-b' }, [
        { ...step('StepCompleted', 'a'), data: { result: 'ü' } },
      ])
      const [stored] = await allEvents(world.store, row.runKey)
      const [item, ...more] = (await read(world.store)).items
      assert.ok(item !== undefined && stored !== undefined && more.length === 0)
      assert.deepEqual(bytesOf(item.event), bytesOf(stored))
      assert.equal(item.event.persistedAt, stored.persistedAt)
      const { event, ...rest } = item
      assert.deepEqual(rest, { runKey: row.runKey, run: { tenantId: 'tenant-b', runId: 'r1' }, attempts: 0 })
    },
  },
  {
    title:
      'only what was newly appended lies beyond the cursor: no duplicate, nothing refused, no commit without events [STO-14]',
    run: async (world) => {
      const { store } = world
      const row = await bootstrap(world, { runId: 'r1' })
      const write = openWrite(row, step('StepStarted', 'a'))
      await store.appendOpen(row, [write], openSeal(row))
      assert.deepEqual((await drain(store)).get('r1'), await seqs(store, row))
      const [again] = await store.appendOpen(row, [write], openSeal(row))
      assert.equal(again?.idempotent, true)
      const head = await rowOf(store, row.runKey)
      assert.equal((await commitOne(store, nextCommit(head, [{ eventType: 'RunStarted' }]))).kind, 'constraint')
      const stale = { ...nextCommit(head, [step('StepStarted', 'b')]), expected: { epoch: 9, nextSeq: 9 } }
      assert.equal((await commitOne(store, stale)).kind, 'conflict')
      assert.equal((await commitOne(store, nextCommit(head, [], { newEpoch: 2 }))).kind, 'committed')
      assert.deepEqual((await read(store)).items, [])
      assert.deepEqual(await statusOf(store), NONE)
      await store.appendOpen(row, [write, openWrite(row, step('StepStarted', 'c'))], openSeal(row))
      assert.deepEqual((await drain(store)).get('r1'), (await seqs(store, row)).slice(-1))
    },
  },
  {
    title: 'what was committed and not settled comes after a reopening, what was settled does not [STO-14]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await append(world, row, 'a', 'b')
      const page = await read(world.store, SUB, 2)
      await settle(world.store, page, page.items.slice(0, 1).map(delivered))
      const store = await world.reopen()
      assert.deepEqual((await drain(store)).get('r1'), (await seqs(store, row)).slice(1))
      const again = { ...world, store }
      await append(again, row, 'c')
      assert.deepEqual((await drain(store)).get('r1'), (await seqs(store, row)).slice(-1))
    },
  },
  {
    title: 'reading settles nothing, and what of a page nobody settled comes again',
    run: async (world) => {
      const [one, two, three] = await threeRuns(world)
      const { store } = world
      const keys = (page: FeedPage) => page.items.map(({ runKey, event }) => `${runKey}/${event.runSeq}`).toSorted()
      const page = await read(store)
      assert.deepEqual(keys(await read(store)), keys(page))
      await settle(store, page, [])
      assert.deepEqual(keys(await read(store)), keys(page))
      await settle(store, page, [...itemsOf(page, one).slice(0, 2), ...itemsOf(page, three)].map(delivered))
      const seen = await drain(store, SUB, 1)
      assert.deepEqual(seen.get('r1'), (await seqs(store, one)).slice(2))
      assert.deepEqual(seen.get('r2'), await seqs(store, two))
      assert.equal(seen.has('r3'), false)
      await settle(store, page, page.items.map(delivered))
      assert.deepEqual((await read(store)).items, [])
    },
  },
  {
    title: 'subscribers stand alone, and one that is dropped starts at the beginning again',
    run: async (world) => {
      const [one] = await threeRuns(world)
      const { store } = world
      await drain(store, 'first')
      const page = await read(store, 'second')
      assert.equal(page.items.length, 7)
      await settle(store, page, [failed(firstOf(page, one), NOW + 9)], 'second')
      assert.deepEqual(await statusOf(store, 'first'), NONE)
      assert.deepEqual(await statusOf(store, 'second'), { runsBehind: 3, runsBlocked: 1, deadLetters: 0 })
      await store.dropSubscriber('second')
      assert.deepEqual(await statusOf(store, 'second'), { runsBehind: 3, runsBlocked: 0, deadLetters: 0 })
      assert.equal((await read(store, 'second')).items.length, 7)
      await store.dropSubscriber('nobody')
      assert.deepEqual((await read(store, 'first')).items, [])
    },
  },
  {
    title: 'who has not settled all of a run is named, however far it is with others [P-50, STO-15]',
    run: async (world) => {
      const [one, two, three] = await threeRuns(world)
      const { store } = world
      const behind = (run: RunRow): Promise<readonly string[]> => store.subscribersBehind(run.runKey)
      assert.deepEqual(await behind(one), [])
      await drain(store, 'zoe')
      const page = await read(store, 'ann')
      await settle(store, page, [failed(firstOf(page, one), NOW + 9), ...itemsOf(page, two).map(delivered)], 'ann')
      assert.deepEqual([await behind(one), await behind(two), await behind(three)], [['ann'], [], ['ann']])
      await append(world, two, 'late')
      assert.deepEqual(await behind(two), ['ann', 'zoe'])
      await drain(store, 'zoe')
      await drain(store, 'ann', 100, NOW + 10)
      assert.deepEqual([await behind(one), await behind(two), await behind(three)], [[], [], []])
      await append(world, two, 'later')
      await store.dropSubscriber('zoe')
      assert.deepEqual(await behind(two), ['ann'])
    },
  },
  {
    title: 'a run with more events than a page goes on in the next, also after it was blocked',
    run: async (world) => {
      const { store } = world
      const large = await bootstrap(world, { runId: 'large' })
      await append(world, large, ...Array.from({ length: 24 }, (_, n) => `s${n}`))
      const small = await bootstrap(world, { runId: 'small' })
      const page = await read(store, SUB, 10)
      assert.equal(page.items.length, 10)
      const [first, second] = itemsOf(page, large)
      assert.ok(first !== undefined && second !== undefined)
      await settle(store, page, [delivered(first), failed(second, NOW + 10)])
      assert.deepEqual([...(await drain(store, SUB, 10)).keys()], ['small'])
      const retried = await read(store, SUB, 3, NOW + 10)
      assert.deepEqual(
        retried.items.map(({ event }) => event.runSeq),
        (await seqs(store, large)).slice(1, 4),
      )
      await settle(store, retried, retried.items.map(delivered))
      await append(world, small, 'x')
      const rest = await drain(store, SUB, 5)
      assert.deepEqual(rest.get('large'), (await seqs(store, large)).slice(4))
      assert.deepEqual(rest.get('small'), (await seqs(store, small)).slice(1))
    },
  },
  {
    title: 'what is appended between reading and settling is not lost',
    run: async (world) => {
      const [one, two, three] = await threeRuns(world)
      const { store } = world
      const page = await read(store)
      for (const run of [one, two, three]) await append(world, run, 'x')
      const late = await bootstrap(world, { runId: 'r4' })
      const [first] = itemsOf(page, two)
      assert.ok(first !== undefined)
      await settle(store, page, [
        ...itemsOf(page, one).map(delivered),
        failed(first, NOW + 1),
        ...itemsOf(page, three).map(dead),
      ])
      const seen = await drain(store, SUB, 2)
      assert.deepEqual(seen.get('r1'), (await seqs(store, one)).slice(4))
      assert.deepEqual(seen.get('r3'), (await seqs(store, three)).slice(1))
      assert.deepEqual(seen.get('r4'), await seqs(store, late))
      assert.equal(seen.has('r2'), false)
      assert.deepEqual((await drain(store, SUB, 2, NOW + 1)).get('r2'), await seqs(store, two))
    },
  },
  {
    title: 'runs that were settled in part stay behind while others go on, and lose nothing',
    run: async (world) => {
      const { store } = world
      const runs: RunRow[] = []
      for (let n = 0; n < 3; n++) runs.push(await bootstrap(world, { runId: `r${n}` }))
      for (const run of runs) await append(world, run, 'a', 'b', 'c')
      const seen = new Map<number, number[]>()
      for (let round = 0; round < 24; round++) {
        const page = await read(store, SUB, 2 + (round % 4))
        const taken = runs.flatMap((run) => itemsOf(page, run).slice(0, 1))
        for (const { runKey, event } of taken) seen.set(runKey, [...(seen.get(runKey) ?? []), event.runSeq])
        await settle(store, page, taken.map(delivered))
        const run = runs[round % 3]
        if (round < 9 && run !== undefined) await append(world, run, `late${round}`)
      }
      for (const run of runs) assert.deepEqual(seen.get(run.runKey), await seqs(store, run))
      assert.deepEqual(await statusOf(store), NONE)
    },
  },
  {
    title: 'the status says how many runs are behind and how many of them are blocked',
    run: async (world) => {
      const { store } = world
      assert.deepEqual(await statusOf(store), NONE)
      assert.deepEqual((await read(store)).items, [])
      const [one, two, three] = await threeRuns(world)
      assert.deepEqual(await statusOf(store), { runsBehind: 3, runsBlocked: 0, deadLetters: 0 })
      const page = await read(store)
      await settle(store, page, [failed(firstOf(page, one), NOW), ...itemsOf(page, two).map(delivered)])
      assert.deepEqual(await statusOf(store), { runsBehind: 2, runsBlocked: 1, deadLetters: 0 })
      const again = await read(store)
      await settle(store, again, [...itemsOf(again, one), ...itemsOf(again, three)].map(delivered))
      assert.deepEqual(await statusOf(store), NONE)
      await append(world, two, 'x')
      assert.deepEqual(await statusOf(store), { runsBehind: 1, runsBlocked: 0, deadLetters: 0 })
    },
  },
]
