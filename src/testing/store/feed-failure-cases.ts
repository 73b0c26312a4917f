/** Cases about the feed where deliveries fail: a run waits alone, failures are counted, dead letters, erasure. */
import assert from 'node:assert/strict'
import type { RunRow } from '../../ports/run-store.ts'
import {
  failed,
  dead,
  append,
  NONE,
  NOW,
  SUB,
  delivered,
  drain,
  firstOf,
  itemsOf,
  read,
  seqs,
  settle,
  statusOf,
  threeRuns,
} from './feed-fixtures.ts'
import { bootstrap, step, type StoreCase } from './store-case.ts'

export const FEED_FAILURE_CASES: readonly StoreCase[] = [
  {
    title: 'a run whose delivery failed waits alone until its time, then comes first and counts its failures [P-50]',
    run: async (world) => {
      const [one, two, three] = await threeRuns(world)
      const { store } = world
      const page = await read(store)
      const [first, second] = itemsOf(page, one)
      assert.ok(first !== undefined && second !== undefined)
      const others = [...itemsOf(page, two), ...itemsOf(page, three)].map(delivered)
      await settle(store, page, [delivered(first), failed(second, NOW + 50), ...others])
      assert.deepEqual((await read(store)).items, [])
      await append(world, one, 'x')
      await append(world, two, 'x')
      assert.deepEqual([...(await drain(store)).keys()], ['r2'])
      await append(world, three, 'x')
      assert.deepEqual(
        (await read(store, SUB, 100, NOW + 49)).items.map(({ run }) => run.runId),
        ['r3'],
      )
      const later = await read(store, SUB, 100, NOW + 50)
      assert.deepEqual(
        itemsOf(later, one).map(({ event, attempts }) => [event.runSeq, attempts]),
        (await seqs(store, one)).slice(1).map((seq, index) => [seq, index === 0 ? 1 : 0]),
      )
      assert.equal(later.items[0]?.runKey, one.runKey)
      await settle(store, later, [failed(firstOf(later, one), NOW + 200)])
      assert.equal(firstOf(await read(store, SUB, 100, NOW + 200), one).attempts, 2)
      assert.deepEqual((await drain(store, SUB, 1, NOW + 200)).get('r1'), (await seqs(store, one)).slice(1))
      assert.deepEqual(await statusOf(store), NONE)
    },
  },
  {
    title: 'failures are counted for the event that failed, not for those after it',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await append(world, row, 'a', 'b')
      const { store } = world
      const page = await read(store)
      await settle(store, page, [failed(firstOf(page, row), NOW)])
      const again = await read(store)
      const [first, second] = again.items
      assert.ok(first !== undefined && second !== undefined)
      assert.equal(first.attempts, 1)
      await settle(store, again, [delivered(first), failed(second, NOW)])
      assert.deepEqual(
        (await read(store)).items.map(({ attempts }) => attempts),
        [1, 0],
      )
    },
  },
  {
    title: 'an event that is given up lies in the dead letters, and its run goes on after it',
    run: async (world) => {
      const [one, two] = await threeRuns(world)
      const { store } = world
      const page = await read(store)
      await settle(store, page, [failed(firstOf(page, one), NOW), dead(firstOf(page, two))])
      const next = await read(store)
      assert.deepEqual(
        itemsOf(next, two).map(({ event }) => event.runSeq),
        (await seqs(store, two)).slice(1),
      )
      world.clock.advance(5)
      const [first, second] = itemsOf(next, one)
      assert.ok(first !== undefined && second !== undefined)
      await settle(store, next, [dead(first), delivered(second)])
      const deadLetters = await store.readDeadLetters(SUB, 10)
      const seqOf = async (run: RunRow) => (await seqs(store, run))[0]
      assert.deepEqual(
        deadLetters.map(({ at, ...deadLetter }) => deadLetter),
        [
          { runKey: two.runKey, run: { tenantId: 'tenant-b', runId: 'r2' }, runSeq: await seqOf(two), error: 'no use' },
          { runKey: one.runKey, run: { tenantId: 'tenant-a', runId: 'r1' }, runSeq: await seqOf(one), error: 'no use' },
        ],
      )
      if (!world.ownClock) assert.equal(deadLetters[1]?.at, world.clock.now())
      assert.deepEqual(await store.readDeadLetters(SUB, 1), deadLetters.slice(0, 1))
      assert.deepEqual(await store.readDeadLetters('other', 10), [])
      assert.equal((await statusOf(store)).deadLetters, 2)
      assert.deepEqual((await drain(store)).get('r1'), (await seqs(store, one)).slice(2))
      const [gone] = deadLetters
      assert.ok(gone !== undefined)
      const names = (await store.listSubscribers()).map(({ subscriber, position }) => [subscriber, position !== ''])
      assert.deepEqual(names, [[SUB, true]])
      assert.deepEqual(await store.readDeadLetters(SUB, 10, 'asked'), [])
      assert.equal(await store.askRedelivery('other', gone.runKey, gone.runSeq, 7), false)
      assert.equal(await store.askRedelivery(SUB, gone.runKey, gone.runSeq, 7), true)
      assert.deepEqual(await store.readDeadLetters(SUB, 10, 'asked'), [{ ...gone, askedAt: 7 }])
      assert.equal(await store.askRedelivery(SUB, gone.runKey, gone.runSeq), true)
      assert.deepEqual(await store.readDeadLetters(SUB, 10), deadLetters)
      assert.equal(await store.dropDeadLetter('other', gone.runKey, gone.runSeq), false)
      assert.equal(await store.dropDeadLetter(SUB, gone.runKey, gone.runSeq), true)
      assert.equal(await store.dropDeadLetter(SUB, gone.runKey, gone.runSeq), false)
      assert.deepEqual(await store.readDeadLetters(SUB, 10), deadLetters.slice(1))
      assert.deepEqual(await statusOf(store), { ...NONE, deadLetters: 1 })
      await store.dropSubscriber(SUB)
      assert.deepEqual(await store.readDeadLetters(SUB, 10), [])
    },
  },
  {
    title: 'erasure reaches what a feed holds: no data comes any more, and no error that may quote it',
    run: async (world) => {
      const { store } = world
      const specs = ['a', 'b', 'c'].map((slot) => ({ ...step('StepCompleted', slot), data: { result: slot } }))
      const row = await bootstrap(world, { runId: 'r1' }, specs)
      const page = await read(store)
      const [first, second, third] = page.items
      assert.ok(first !== undefined && second !== undefined && third?.event.data !== undefined)
      await settle(store, page, [dead(first), dead(second)])
      await store.eraseData(row.runKey, first.event.runSeq)
      assert.deepEqual(
        (await store.readDeadLetters(SUB, 10)).map(({ error }) => error),
        ['', 'no use'],
      )
      await store.eraseData(row.runKey, third.event.runSeq)
      const [left] = (await read(store)).items
      assert.deepEqual(
        [left?.event.runSeq, left?.event.data, left?.event.salt],
        [third.event.runSeq, undefined, undefined],
      )
    },
  },
]
