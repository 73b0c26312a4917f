/** Cases about waiting for grants: rows that keep their place, offers and letters in the freeing commit, who is left out. */
import assert from 'node:assert/strict'
import type { RunRow } from '../ports/run-store.ts'
import {
  does,
  free,
  heldSlots,
  letters,
  offered,
  poolState,
  refusals,
  turn,
  used,
  waitOf,
  want,
} from './grant-fixtures.ts'
import { summary } from './run-fixtures.ts'
import { bootstrap, nextCommit, rowOf, type StoreCase, type World } from './store-case.ts'

const ONE = { p: 1 }

/** A pool `p` that the first run holds, and other runs. */
async function scarce(world: World, capacity = 1): Promise<readonly [RunRow, RunRow, RunRow, RunRow]> {
  await world.store.putPool({ pool: 'p', capacity })
  const ids = ['r1', 'r2', 'r3', 'r4']
  const runs: RunRow[] = []
  for (const runId of ids) runs.push(await bootstrap(world, { runId }))
  const all = runs as [RunRow, RunRow, RunRow, RunRow]
  await does(world, all[0], { claims: [want('hold', { p: capacity })] })
  return all
}

/** Consumes every letter of a run, as `advance` does. */
async function readLetters(world: World, run: RunRow): Promise<void> {
  const row = await rowOf(world.store, run.runKey)
  const consumed = (await letters(world, run)).map((inboxId) => ({ inboxId, seq: row.nextSeq }))
  await does(world, run, { consumed })
}

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
      assert.deepEqual(await letters(world, large), ['grant:a:2:1'])
      await world.store.putPool({ pool: 'p', capacity: 1 })
      for (let sweeps = 0; sweeps < 3; sweeps++) assert.equal(await world.store.sweepGrants(), 0)
      assert.deepEqual((await letters(world, large)).toSorted(), ['grant:a:1:1', 'grant:a:2:1'])
      assert.deepEqual(await letters(world, small), [])
      assert.deepEqual(await letters(world, gone), [])
      assert.deepEqual(await offered(world, runs), [])
      const due = await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 10)
      assert.deepEqual(
        due.map(({ runId }) => runId),
        ['r2'],
      )
      await readLetters(world, large)
      await world.store.sweepGrants()
      assert.deepEqual((await letters(world, large)).toSorted(), ['grant:a:1:2', 'grant:a:2:2'])
      assert.deepEqual(await refusals(world, large, [want('a', { p: 2, q: 1 })]), [
        { slot: 'a', pool: 'p', impossible: true },
      ])
      await readLetters(world, large)
      await does(world, large, { waits: [] })
      await world.store.sweepGrants()
      assert.deepEqual(await letters(world, large), [])
    },
  },
  {
    title: 'who frees a unit sets it aside for the first waiter and writes to it, and its run is due [P-19, RES-02]',
    run: async (world) => {
      const runs = await scarce(world)
      const [holder, first, second, fresh] = runs
      for (const run of [first, second]) await does(world, run, { waits: [want('a[3]', ONE)] })
      assert.deepEqual(await letters(world, first), [])
      await does(world, holder, { releases: [free('hold')] })
      const [letter] = await world.store.readInbox(first.runKey)
      assert.equal(letter?.inboxId, 'grant:a[3]:1:1')
      assert.equal(letter.kind, 'grant')
      assert.equal(letter.body, '{"slot":"a[3]","attempt":1}')
      assert.deepEqual(await letters(world, second), [])
      const due = await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 10)
      assert.deepEqual(
        due.map(({ runId }) => runId),
        ['r2'],
      )
      assert.deepEqual(await offered(world, runs), ['r2/a[3]'])
      assert.deepEqual(await poolState(world.store, 'p'), { pool: 'p', capacity: 1, used: 0, waiting: 2 })
      assert.deepEqual(await refusals(world, fresh, [want('x', ONE)]), [{ slot: 'x', pool: 'p' }])
      await readLetters(world, first)
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
      assert.deepEqual(await letters(world, late), ['grant:a:1:1'])
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
    title: 'a slot that waits again for the same attempt gets a letter of its own each time',
    run: async (world) => {
      const [holder, run] = await scarce(world)
      await does(world, run, { waits: [want('a', ONE), want('aa', ONE)] })
      await does(world, holder, { releases: [free('hold')] })
      await readLetters(world, run)
      await does(world, run, { waits: [] })
      await does(world, run, { waits: [want('a', ONE)] })
      assert.deepEqual(await letters(world, run), ['grant:a:1:2'])
      const due = await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 10)
      assert.deepEqual(
        due.map(({ runId }) => runId),
        ['r2'],
      )
    },
  },
  {
    title: 'a run with several offers is due once, and takes no place from the next',
    run: async (world) => {
      const [holder, many, one] = await scarce(world, 4)
      await does(world, many, { waits: ['a', 'b', 'c'].map((slot) => want(slot, ONE)) })
      await does(world, one, { waits: [want('a', ONE)] })
      await does(world, holder, { releases: [free('hold')] })
      assert.equal((await letters(world, many)).length, 3)
      const due = await world.store.dueRuns(Number.MAX_SAFE_INTEGER, 'me', 2)
      assert.deepEqual(
        due.map(({ runId }) => runId),
        ['r2', 'r3'],
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
      assert.deepEqual([await letters(world, bad), await letters(world, ended)], [[], []])
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
