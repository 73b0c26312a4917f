/** Cases about waiting for grants: rows that keep their place, inbox rows, who is left out. */
import assert from 'node:assert/strict'
import {
  does,
  free,
  heldSlots,
  inboxRows,
  offered,
  poolState,
  refusals,
  used,
  ONE,
  readInboxRows,
  scarce,
  waitOf,
  want,
} from './grant-fixtures.ts'
import { summary } from './run-fixtures.ts'
import { bootstrap, type StoreCase } from './store-case.ts'

export const GRANT_QUEUE_CASES: readonly StoreCase[] = [
  {
    title: 'the list of waiting slots is the whole list: what stays keeps its row, what is not named goes [P-19]',
    run: async (world) => {
      const [, run] = await scarce(world)
      const { store, clock } = world
      await store.putPool({ pool: 'q', capacity: 2 })
      await does(world, run, { waits: [want('b', ONE, { priority: 7 }), want('a', { p: 1, q: 2 }, { attempt: 2 })] })
      const first = await store.readGrants(run.runKey)
      assert.deepEqual(
        first.waits.map(({ since, ...row }) => row),
        [
          { slot: 'a', attempt: 2, wants: { p: 1, q: 2 }, priority: 0, bypassed: 0 },
          { slot: 'b', attempt: 1, wants: ONE, priority: 7, bypassed: 0 },
        ],
      )
      if (!world.ownClock) assert.equal(first.waits[0]?.since, clock.now())
      clock.advance(10)
      await does(world, run, {})
      assert.deepEqual(await store.readGrants(run.runKey), first)
      await does(world, run, { waits: [want('c', ONE), want('b', ONE, { priority: 7 }), want('a', ONE)] })
      const second = await store.readGrants(run.runKey)
      assert.deepEqual(
        second.waits.map(({ slot, attempt }) => `${slot}#${attempt}`),
        ['a#1', 'b#1', 'c#1'],
      )
      assert.deepEqual(second.waits[1], first.waits[1])
      assert.equal((await poolState(store, 'p')).waiting, 3)
      await does(world, run, { waits: [] })
      assert.deepEqual(await store.readGrants(run.runKey), { held: [], waits: [] })
      assert.equal((await poolState(store, 'p')).waiting, 0)
    },
  },
  {
    title: 'the sweep writes to a slot whose pool shrank below what it wants, once until it has read it [RES-06, P-19]',
    run: async (world) => {
      const runs = await scarce(world, 3)
      const [, large, small, gone] = runs
      await world.store.putPool({ pool: 'q', capacity: 1 })
      await does(world, large, { waits: [want('a', { p: 2, q: 1 }), want('a', { p: 3 }, { attempt: 2 })] })
      await does(world, small, { waits: [want('a', ONE)] })
      await does(world, gone, { waits: [want('a', { p: 2 })] })
      await world.store.quarantine(gone.runKey, 'TEST')
      await world.store.putPool({ pool: 'p', capacity: 2 })
      assert.equal(await world.store.sweepGrants(), 0)
      assert.deepEqual(await inboxRows(world, large), ['grant:a:2:1'])
      await world.store.putPool({ pool: 'p', capacity: 1 })
      for (let sweeps = 0; sweeps < 3; sweeps++) assert.equal(await world.store.sweepGrants(), 0)
      assert.deepEqual((await inboxRows(world, large)).toSorted(), ['grant:a:1:1', 'grant:a:2:1'])
      assert.deepEqual(await inboxRows(world, small), [])
      assert.deepEqual(await inboxRows(world, gone), [])
      assert.deepEqual(await offered(world, runs), [])
      const due = await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 10)
      assert.deepEqual(
        due.map(({ runId }) => runId),
        ['r2'],
      )
      await readInboxRows(world, large)
      await world.store.sweepGrants()
      assert.deepEqual((await inboxRows(world, large)).toSorted(), ['grant:a:1:2', 'grant:a:2:2'])
      assert.deepEqual(await refusals(world, large, [want('a', { p: 2, q: 1 })]), [
        { slot: 'a', pool: 'p', impossible: true },
      ])
      await readInboxRows(world, large)
      await does(world, large, { waits: [] })
      await world.store.sweepGrants()
      assert.deepEqual(await inboxRows(world, large), [])
    },
  },
  {
    title: 'crossing requests for A and B and for B and A both finish, since nobody keeps half [RES-05, X-75]',
    run: async (world) => {
      for (const pool of ['A', 'B']) await world.store.putPool({ pool, capacity: 1 })
      const runs = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })] as const
      const [one, two] = runs
      const [first, second] = [want('s', { A: 1, B: 1 }), want('s', { B: 1, A: 1 })]
      await does(world, one, { claims: [first] })
      assert.deepEqual(await refusals(world, two, [second]), [{ slot: 's', pool: 'A' }])
      await does(world, two, { waits: [second] })
      await does(world, one, { releases: [free('s')], waits: [want('t', { B: 1, A: 1 })] })
      assert.deepEqual(await offered(world, runs), ['r2/s'])
      await does(world, two, { claims: [second] })
      assert.deepEqual([await used(world, 'A'), await used(world, 'B')], [1, 1])
      await does(world, two, { releases: [free('s')] })
      assert.deepEqual(await offered(world, runs), ['r1/t'])
      await does(world, one, { claims: [want('t', { A: 1, B: 1 })] })
    },
  },
  {
    title: 'a slot that waits again for the same attempt gets an inbox row of its own each time',
    run: async (world) => {
      const [holder, run] = await scarce(world)
      await does(world, run, { waits: [want('a', ONE), want('aa', ONE)] })
      await does(world, holder, { releases: [free('hold')] })
      await readInboxRows(world, run)
      await does(world, run, { waits: [] })
      await does(world, run, { waits: [want('a', ONE)] })
      assert.deepEqual(await inboxRows(world, run), ['grant:a:1:2'])
      const due = await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 10)
      assert.deepEqual(
        due.map(({ runId }) => runId),
        ['r2'],
      )
    },
  },
  {
    title: 'a claim that is granted ends the wait of its attempt and of no other',
    run: async (world) => {
      const [holder, run] = await scarce(world)
      const waits = [want('a', ONE), want('b', ONE), want('a', ONE, { attempt: 2 })]
      await does(world, run, { waits })
      await does(world, holder, { releases: [free('hold')] })
      await does(world, run, { claims: [want('a', ONE)], waits: waits.slice(1) })
      const { held, waits: left } = await world.store.readGrants(run.runKey)
      assert.deepEqual(held, [{ slot: 'a', attempt: 1, wants: ONE }])
      assert.deepEqual(
        left.map(({ slot, attempt, offeredUntil }) => [slot, attempt, offeredUntil]),
        [
          ['a', 2, undefined],
          ['b', 1, undefined],
        ],
      )
    },
  },
  {
    title: 'runs that were set aside or have ended are offered nothing; the next in line is',
    run: async (world) => {
      const runs = await scarce(world)
      const [holder, bad, ended, good] = runs
      for (const run of [bad, ended, good]) await does(world, run, { waits: [want('a', ONE)] })
      await world.store.quarantine(bad.runKey, 'RUN_QUARANTINED')
      await does(world, ended, { releases: 'all', summary: summary({ status: 'CANCELLED' }) })
      await does(world, holder, { releases: [free('hold')] })
      assert.deepEqual(await offered(world, runs), ['r4/a'])
      assert.deepEqual([await inboxRows(world, bad), await inboxRows(world, ended)], [[], []])
      assert.notEqual(await waitOf(world, bad, 'a'), undefined)
    },
  },
  {
    title: 'the end of a run frees what it held and what was set aside for it, in its own commit',
    run: async (world) => {
      const runs = await scarce(world, 3)
      const [holder, first, second, third] = runs
      await does(world, first, { waits: [want('a', ONE), want('b', ONE)] })
      await does(world, second, { waits: [want('a', { p: 3 })] })
      await does(world, third, { waits: [want('a', ONE)] })
      await does(world, holder, { releases: 'all' })
      assert.deepEqual(await offered(world, runs), ['r2/a', 'r2/b', 'r4/a'])
      await does(world, third, { releases: 'all' })
      await does(world, first, { claims: [want('a', ONE)] })
      assert.deepEqual(await offered(world, runs), ['r2/b'])
      await does(world, first, { releases: 'all', summary: summary({ status: 'FAILED' }) })
      assert.deepEqual(await offered(world, runs), ['r3/a'])
      assert.equal(await used(world, 'p'), 0)
    },
  },
  {
    title: 'held units, waits and offers are there when the store is opened again, and go on [P-18, P-19]',
    run: async (world) => {
      const runs = await scarce(world)
      const [holder, first, second] = runs
      for (const run of [first, second]) await does(world, run, { waits: [want('a', ONE)] })
      await does(world, holder, { releases: [free('hold')] })
      const before = await Promise.all(runs.map(({ runKey }) => world.store.readGrants(runKey)))
      const again = { ...world, store: await world.reopen() }
      assert.deepEqual(await Promise.all(runs.map(({ runKey }) => again.store.readGrants(runKey))), before)
      await does(again, first, { claims: [want('a', ONE)] })
      await does(again, first, { releases: [free('a')] })
      assert.deepEqual(await offered(again, runs), ['r3/a'])
      assert.deepEqual(await heldSlots(again, first), [])
    },
  },
]
