/** Cases about offers of units: who frees them sets them aside and writes to the next in line, in the freeing commit. */
import assert from 'node:assert/strict'
import {
  does,
  free,
  inboxRows,
  offered,
  poolState,
  refusals,
  turn,
  ONE,
  readInboxRows,
  scarce,
  want,
} from './grant-fixtures.ts'
import { bootstrap, nextCommit, rowOf, type StoreCase } from './store-case.ts'

export const GRANT_OFFER_CASES: readonly StoreCase[] = [
  {
    title: 'who frees a unit sets it aside for the first waiter and writes to it, and its run is due [P-19, RES-02]',
    run: async (world) => {
      const runs = await scarce(world)
      const [holder, first, second, fresh] = runs
      for (const run of [first, second]) await does(world, run, { waits: [want('a[3]', ONE)] })
      assert.deepEqual(await inboxRows(world, first), [])
      await does(world, holder, { releases: [free('hold')] })
      const [inboxRow] = await world.store.readInbox(first.runKey)
      assert.equal(inboxRow?.inboxId, 'grant:a[3]:1:1')
      assert.equal(inboxRow.kind, 'grant')
      assert.equal(inboxRow.body, '{"slot":"a[3]","attempt":1}')
      assert.deepEqual(await inboxRows(world, second), [])
      const due = await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 10)
      assert.deepEqual(
        due.map(({ runId }) => runId),
        ['r2'],
      )
      assert.deepEqual(await offered(world, runs), ['r2/a[3]'])
      assert.deepEqual(await poolState(world.store, 'p'), { pool: 'p', capacity: 1, used: 0, waiting: 2 })
      assert.deepEqual(await refusals(world, fresh, [want('x', ONE)]), [{ slot: 'x', pool: 'p' }])
      await readInboxRows(world, first)
      await does(world, first, { claims: [want('a[3]', ONE)] })
      assert.deepEqual(await world.store.readGrants(first.runKey), {
        held: [{ slot: 'a[3]', attempt: 1, wants: ONE }],
        waits: [],
      })
      assert.deepEqual(await poolState(world.store, 'p'), { pool: 'p', capacity: 1, used: 1, waiting: 1 })
      assert.equal((await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 10)).length, 0)
    },
  },
  {
    title: 'waiters are served in the order they came, and one that gives up passes its offer on [RES-05, X-75]',
    run: async (world) => {
      const runs = await scarce(world)
      const [holder, first, second, third] = runs
      for (const run of [first, second, third]) await does(world, run, { waits: [want('a', ONE)] })
      await does(world, second, { waits: [] })
      await does(world, holder, { releases: [free('hold')] })
      assert.deepEqual(await offered(world, runs), ['r2/a'])
      await does(world, first, { waits: [] })
      assert.deepEqual(await offered(world, runs), ['r4/a'])
      await does(world, third, { releases: 'all' })
      assert.deepEqual(await offered(world, runs), [])
      assert.deepEqual((await world.store.readGrants(third.runKey)).waits, [])
      await does(world, second, { claims: [want('a', ONE)] })
    },
  },
  {
    title: 'an offer sets units of all wanted pools aside, or of none',
    run: async (world) => {
      for (const pool of ['A', 'B']) await world.store.putPool({ pool, capacity: 1 })
      const runs = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })] as const
      const [one, two] = runs
      await does(world, one, { claims: [want('a', { A: 1 }), want('b', { B: 1 })] })
      await does(world, two, { waits: [want('s', { A: 1, B: 1 })] })
      await does(world, one, { releases: [free('a')] })
      assert.deepEqual(await offered(world, runs), [])
      await does(world, one, { claims: [want('a2', { A: 1 })] })
      await does(world, one, { releases: [free('b'), free('a2')] })
      assert.deepEqual(await offered(world, runs), ['r2/s'])
      assert.deepEqual(await refusals(world, one, [want('x', { A: 1 }), want('y', { B: 1 })]), [
        { slot: 'x', pool: 'A' },
        { slot: 'y', pool: 'B' },
      ])
    },
  },
  {
    title: 'a wait that comes while units are free is offered them by its own commit',
    run: async (world) => {
      const runs = await scarce(world)
      const [holder, late] = runs
      assert.equal((await turn(world, late, { claims: [want('a', ONE)] })).kind, 'ungranted')
      await does(world, holder, { releases: [free('hold')] })
      await does(world, late, { waits: [want('a', ONE)] })
      assert.deepEqual(await offered(world, runs), ['r2/a'])
      assert.deepEqual(await inboxRows(world, late), ['grant:a:1:1'])
      assert.equal(await world.store.sweepGrants(), 0)
    },
  },
  {
    title: 'units that a pool gained are offered by the sweep, to as many as fit',
    run: async (world) => {
      const runs = await scarce(world)
      const [, first, second, third] = runs
      for (const run of [first, second, third]) await does(world, run, { waits: [want('a', ONE)] })
      assert.equal(await world.store.sweepGrants(), 0)
      await world.store.putPool({ pool: 'p', capacity: 3 })
      assert.equal(await world.store.sweepGrants(), 2)
      assert.deepEqual(await offered(world, runs), ['r2/a', 'r3/a'])
      assert.equal(await world.store.sweepGrants(), 0)
    },
  },
  {
    title: 'a run with several offers is due once, and takes no place from the next',
    run: async (world) => {
      const [holder, many, one] = await scarce(world, 4)
      await does(world, many, { waits: ['a', 'b', 'c'].map((slot) => want(slot, ONE)) })
      await does(world, one, { waits: [want('a', ONE)] })
      await does(world, holder, { releases: [free('hold')] })
      assert.equal((await inboxRows(world, many)).length, 3)
      const due = await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 2)
      assert.deepEqual(
        due.map(({ runId }) => runId),
        ['r2', 'r3'],
      )
    },
  },
  {
    title: 'what one run of a batch frees is offered before the next of the batch may claim it',
    run: async (world) => {
      const runs = await scarce(world)
      const [holder, waiter, fresh] = runs
      await does(world, waiter, { waits: [want('a', ONE)] })
      const results = await world.store.commit([
        nextCommit(await rowOf(world.store, holder.runKey), [], { releases: [free('hold')] }),
        nextCommit(fresh, [], { claims: [want('a', ONE)] }),
      ])
      assert.deepEqual(results[1], { kind: 'ungranted', refused: [{ slot: 'a', pool: 'p' }] })
      assert.deepEqual(await offered(world, runs), ['r2/a'])
    },
  },
]
