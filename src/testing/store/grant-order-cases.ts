/** Cases about fairness among those who wait for grants: priority, turns, who is overtaken, and for how long. */
import assert from 'node:assert/strict'
import type { RunRow } from '../../ports/run-store.ts'
import { does, free, offered, refusals, servedOrder, turn, waitOf, want } from './grant-fixtures.ts'
import { bootstrap, type StoreCase, type World } from './store-case.ts'

const ONE = { p: 1 }

async function runsOf<const T extends readonly string[]>(
  world: World,
  ids: T,
  tenantId = 'tenant-a',
): Promise<{ readonly [K in keyof T]: RunRow }> {
  const runs: RunRow[] = []
  for (const runId of ids) runs.push(await bootstrap(world, { runId, tenantId }))
  return runs as unknown as { readonly [K in keyof T]: RunRow }
}

async function bypasses(world: World, run: RunRow, slot: string): Promise<number | undefined> {
  return (await waitOf(world, run, slot))?.bypassed
}

/** A run without a row takes a unit and returns it, that many times. */
async function comeAndGo(world: World, run: RunRow, wants: Readonly<Record<string, number>>, times: number) {
  for (let n = 0; n < times; n++) {
    await does(world, run, { claims: [want(`quick${n}`, wants)] })
    await does(world, run, { releases: [free(`quick${n}`)] })
  }
}

export const GRANT_ORDER_CASES: readonly StoreCase[] = [
  {
    title: 'a lower priority number goes first, and within one priority who came first, 0 being the usual one [SCH-03]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 1 })
      const [holder, ...runs] = await runsOf(world, ['holder', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6'])
      await does(world, holder, { claims: [want('s', ONE)] })
      for (const [index, priority] of [5, 0, 9, 0, -1, 0].entries())
        await does(world, runs[index] ?? holder, { waits: [want('s', ONE, { priority })] })
      assert.deepEqual(await servedOrder(world, { run: holder, slot: 's' }, runs), [
        'r5/s',
        'r2/s',
        'r4/s',
        'r6/s',
        'r1/s',
        'r3/s',
      ])
    },
  },
  {
    title: 'runs take turns: one with many waiting slots does not keep another out [SCH-05]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 1 })
      const [holder, many, few, late] = await runsOf(world, ['holder', 'many', 'few', 'late'])
      await does(world, holder, { claims: [want('s', ONE)] })
      await does(world, many, { waits: ['d', 'b', 'c', 'a'].map((slot) => want(slot, ONE)) })
      await does(world, few, { waits: [want('x', ONE), want('y', ONE)] })
      await does(world, late, { waits: [want('z', ONE)] })
      assert.deepEqual(await servedOrder(world, { run: holder, slot: 's' }, [many, few, late]), [
        'many/d',
        'few/x',
        'late/z',
        'many/b',
        'few/y',
        'many/c',
        'many/a',
      ])
    },
  },
  {
    title: 'tenants take turns, and the runs of each among themselves [SCH-05]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 1 })
      const [holder, one, two] = await runsOf(world, ['holder', 'a1', 'a2'])
      const [three] = await runsOf(world, ['b1'], 'tenant-b')
      await does(world, holder, { claims: [want('s', ONE)] })
      const slots = (...names: readonly string[]) => names.map((slot) => want(slot, ONE))
      await does(world, one, { waits: slots('x', 'y', 'z') })
      await does(world, two, { waits: slots('x', 'y') })
      await does(world, three, { waits: slots('x', 'y', 'z') })
      assert.deepEqual(await servedOrder(world, { run: holder, slot: 's' }, [one, two, three]), [
        'a1/x',
        'b1/x',
        'a2/x',
        'b1/y',
        'a1/y',
        'b1/z',
        'a2/y',
        'a1/z',
      ])
    },
  },
  {
    title: 'a tenant that was served before waits its turn behind one that was not [SCH-05]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 1 })
      const [one, two] = await runsOf(world, ['a1', 'a2'])
      const [three] = await runsOf(world, ['b1'], 'tenant-b')
      await does(world, one, { claims: [want('s', ONE)], waits: [want('t', ONE)] })
      assert.deepEqual(await servedOrder(world, { run: one, slot: 's' }, [one]), ['a1/t'])
      await does(world, one, { claims: [want('s', ONE)] })
      await does(world, two, { waits: [want('s', ONE)] })
      await does(world, three, { waits: [want('s', ONE)] })
      assert.deepEqual(await servedOrder(world, { run: one, slot: 's' }, [two, three]), ['b1/s', 'a2/s'])
    },
  },
  {
    title: 'a head that does not fit stops nobody behind it who does [SCH-06]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 4 })
      await world.store.putPool({ pool: 'q', capacity: 1 })
      const runs = await runsOf(world, ['r1', 'r2', 'r3', 'r4', 'r5'])
      const [holder, large, other, small, last] = runs
      await does(world, holder, { claims: [want('a', { p: 2 }), want('b', { p: 2 }), want('q', { q: 1 })] })
      await does(world, large, { waits: [want('s', { p: 3 })] })
      await does(world, other, { waits: [want('s', { p: 1, q: 1 })] })
      await does(world, small, { waits: [want('s', { p: 1 })] })
      await does(world, last, { waits: [want('s', { p: 1 })] })
      await does(world, holder, { releases: [free('a')] })
      assert.deepEqual(await offered(world, runs), ['r4/s', 'r5/s'])
    },
  },
  {
    title: 'up to a hundred who do not fit are passed over, and no more [SCH-06]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 2 })
      const runs = await runsOf(world, ['holder', 'crowd', 'last'])
      const [holder, crowd, last] = runs
      await does(world, holder, { claims: [want('a', ONE), want('b', ONE)] })
      const heads = Array.from({ length: 101 }, (_, n) => want(`s${n}`, { p: 2 }, { priority: -1 }))
      await does(world, crowd, { waits: heads })
      await does(world, last, { waits: [want('s', ONE)] })
      await does(world, holder, { releases: [free('a')] })
      assert.deepEqual(await offered(world, runs), [])
      await does(world, crowd, { waits: heads.slice(1) })
      assert.deepEqual(await offered(world, runs), ['last/s'])
    },
  },
  {
    title: 'who was passed over ten times is passed over no more: capacity is kept for it until it is served [SCH-05]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 2 })
      const runs = await runsOf(world, ['holder', 'large', 'quick', 'young'])
      const [holder, large, quick, young] = runs
      await does(world, holder, { claims: [want('a', ONE)] })
      await does(world, large, { waits: [want('s', { p: 2 })] })
      await comeAndGo(world, quick, ONE, 9)
      assert.equal(await bypasses(world, large, 's'), 9)
      await comeAndGo(world, quick, ONE, 1)
      assert.equal(await bypasses(world, large, 's'), 10)
      assert.deepEqual(await refusals(world, quick, [want('x', ONE)]), [{ slot: 'x', pool: 'p' }])
      await does(world, young, { waits: [want('s', ONE, { priority: -9 })] })
      assert.deepEqual(await offered(world, runs), [])
      await does(world, holder, { releases: [free('a')] })
      assert.deepEqual(await offered(world, runs), ['large/s'])
      assert.equal(await bypasses(world, large, 's'), 10)
      await does(world, large, { claims: [want('s', { p: 2 })] })
      await does(world, large, { releases: [free('s')] })
      assert.deepEqual(await offered(world, runs), ['young/s'])
      await does(world, quick, { claims: [want('x', ONE)] })
    },
  },
  {
    title: 'those who starve are served before any priority, the oldest first [SCH-05]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 3 })
      const [holder, first, second, quick, urgent] = await runsOf(world, ['holder', 'r1', 'r2', 'quick', 'urgent'])
      await does(world, holder, { claims: [want('a', { p: 2 })] })
      await does(world, first, { waits: [want('s', { p: 3 }, { priority: 5 })] })
      await does(world, second, { waits: [want('s', { p: 3 })] })
      await comeAndGo(world, quick, ONE, 10)
      await does(world, urgent, { waits: [want('s', { p: 3 }, { priority: -9 })] })
      const all = [first, second, urgent]
      assert.deepEqual(await servedOrder(world, { run: holder, slot: 'a' }, all), ['r1/s', 'r2/s', 'urgent/s'])
    },
  },
  {
    title: 'capacity is kept from the younger only, in every pool the starving one waits for [SCH-05]',
    run: async (world) => {
      for (const pool of ['p', 'q']) await world.store.putPool({ pool, capacity: 2 })
      const runs = await runsOf(world, ['holder', 'older', 'starving', 'quick'])
      const [holder, older, starving, quick] = runs
      await does(world, holder, { claims: [want('q', { q: 2 }), want('p', ONE)] })
      await does(world, older, { waits: [want('s', { q: 1 })] })
      await does(world, starving, { waits: [want('s', { p: 2, q: 1 })] })
      await comeAndGo(world, quick, ONE, 10)
      assert.deepEqual([await bypasses(world, older, 's'), await bypasses(world, starving, 's')], [0, 10])
      await does(world, holder, { releases: [free('q')] })
      assert.deepEqual(await offered(world, runs), ['older/s'])
      assert.deepEqual(await refusals(world, quick, [want('x', { q: 1 })]), [{ slot: 'x', pool: 'q' }])
      await does(world, starving, { waits: [] })
      await does(world, quick, { claims: [want('x', { q: 1 })] })
    },
  },
  {
    title: 'an offer that was made is kept, even if whoever it passed over starves since',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 2 })
      const runs = await runsOf(world, ['holder', 'large', 'quick', 'young'])
      const [holder, large, quick, young] = runs
      await does(world, holder, { claims: [want('a', ONE)] })
      await does(world, large, { waits: [want('s', { p: 2 })] })
      await comeAndGo(world, quick, ONE, 9)
      await does(world, young, { waits: [want('s', ONE)] })
      assert.deepEqual(await offered(world, runs), ['young/s'])
      assert.equal(await bypasses(world, large, 's'), 10)
      await does(world, young, { claims: [want('s', ONE)] })
      assert.equal(await bypasses(world, large, 's'), 10)
      await does(world, young, { releases: [free('s')] })
      assert.equal((await turn(world, young, { claims: [want('t', ONE)] })).kind, 'ungranted')
    },
  },
  {
    title: 'when one who starves gives up, those it kept out are offered the units at once',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 2 })
      const runs = await runsOf(world, ['holder', 'large', 'quick', 'young'])
      const [holder, large, quick, young] = runs
      await does(world, holder, { claims: [want('a', ONE)] })
      await does(world, large, { waits: [want('s', { p: 2 })] })
      await comeAndGo(world, quick, ONE, 10)
      await does(world, young, { waits: [want('s', ONE)] })
      assert.deepEqual(await offered(world, runs), [])
      await does(world, large, { waits: [] })
      assert.deepEqual(await offered(world, runs), ['young/s'])
    },
  },
  {
    title: 'a run that was set aside keeps nothing from others, however long it waited',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 2 })
      const [holder, large, quick] = await runsOf(world, ['holder', 'large', 'quick'])
      await does(world, holder, { claims: [want('a', ONE)] })
      await does(world, large, { waits: [want('s', { p: 2 })] })
      await comeAndGo(world, quick, ONE, 10)
      assert.equal((await turn(world, quick, { claims: [want('x', ONE)] })).kind, 'ungranted')
      await world.store.quarantine(large.runKey, 'RUN_QUARANTINED')
      await does(world, quick, { claims: [want('x', ONE)] })
    },
  },
  {
    title:
      'passed over is counted once for each who goes first: not by the older, not twice for an offer and its claim',
    run: async (world) => {
      for (const pool of ['p', 'q']) await world.store.putPool({ pool, capacity: 2 })
      const runs = await runsOf(world, ['holder', 'older', 'large', 'young', 'quick'])
      const [holder, older, large, young, quick] = runs
      await does(world, holder, { claims: [want('a', { p: 1, q: 2 }), want('b', { p: 1 })] })
      await does(world, older, { waits: [want('s', ONE)] })
      await does(world, large, { waits: [want('s', { p: 2, q: 1 })] })
      await does(world, young, { waits: [want('s', ONE), want('other', { q: 2 })] })
      const counted = async () =>
        Promise.all([bypasses(world, older, 's'), bypasses(world, large, 's'), bypasses(world, young, 'other')])
      await does(world, holder, { releases: [free('b')] })
      assert.deepEqual(await offered(world, runs), ['older/s'])
      assert.deepEqual(await counted(), [0, 0, 0])
      await does(world, older, { claims: [want('s', ONE)] })
      await does(world, older, { releases: [free('s')] })
      assert.deepEqual(await offered(world, runs), ['young/s'])
      assert.deepEqual(await counted(), [undefined, 1, 0])
      await does(world, young, { claims: [want('s', ONE)] })
      assert.deepEqual(await counted(), [undefined, 1, 0])
      await does(world, holder, { releases: [free('a')] })
      assert.deepEqual(await offered(world, runs), ['young/other'])
      assert.deepEqual(await counted(), [undefined, 2, 0])
      await does(world, young, { claims: [want('other', { q: 2 })] })
      await does(world, young, { releases: [free('other')] })
      await does(world, quick, { claims: [want('x', { p: 1, q: 1 })] })
      assert.deepEqual(await counted(), [undefined, 3, undefined])
    },
  },
]
