/** Cases about pools: how they are declared, several wanted at once, and what they can never give. */
import assert from 'node:assert/strict'
import { does, poolState, refusals, want } from './grant-fixtures.ts'
import { bootstrap, type StoreCase } from './store-case.ts'

export const POOL_CASES: readonly StoreCase[] = [
  {
    title: 'pools are declared, changed and listed by name, and what is in use stays',
    run: async (world) => {
      const { store } = world
      assert.deepEqual(await store.listPools(), [])
      const breaker = { failures: 5, openMs: 60_000 }
      await store.putPool({ pool: 'resource:db', capacity: 2 })
      await store.putPool({ pool: 'agent:x', capacity: 3, breaker })
      await store.putPool({ pool: 'resource:api', capacity: 9, windowMs: 1000 })
      const run = await bootstrap(world, { runId: 'r1' })
      await does(world, run, { claims: [want('a', { 'resource:db': 2 })], waits: [want('b', { 'resource:db': 1 })] })
      await store.putPool({ pool: 'resource:db', capacity: 5 }, { ifAbsent: true })
      await store.putPool({ pool: 'agent:y', capacity: 3 }, { ifAbsent: true })
      assert.deepEqual(await store.listPools(), [
        { pool: 'agent:x', capacity: 3, breaker, used: 0, waiting: 0 },
        { pool: 'agent:y', capacity: 3, used: 0, waiting: 0 },
        { pool: 'resource:api', capacity: 9, windowMs: 1000, used: 0, waiting: 0 },
        { pool: 'resource:db', capacity: 2, used: 2, waiting: 1 },
      ])
      const asked = ['resource:db', 'agent:y', 'resource:db', "no'such"]
      assert.deepEqual(await store.listPools(asked), [
        { pool: 'agent:y', capacity: 3, used: 0, waiting: 0 },
        { pool: 'resource:db', capacity: 2, used: 2, waiting: 1 },
      ])
      assert.deepEqual(await store.listPools([]), [])
      await store.putPool({ pool: 'resource:db', capacity: 1 })
      assert.deepEqual(await poolState(store, 'resource:db'), { pool: 'resource:db', capacity: 1, used: 2, waiting: 1 })
      await store.putPool({ pool: 'agent:x', capacity: 4 })
      assert.deepEqual(await poolState(store, 'agent:x'), { pool: 'agent:x', capacity: 4, used: 0, waiting: 0 })
    },
  },
  {
    title: 'compute, connections and quotas are granted together or not at all [RES-04, RES-05]',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: 'resource:cpu', capacity: 8 })
      await store.putPool({ pool: 'resource:db', capacity: 2 })
      await store.putPool({ pool: 'resource:api', capacity: 5, windowMs: 60_000 })
      const [one, two] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      const wants = { 'resource:cpu': 4, 'resource:db': 1, 'resource:api': 3 }
      await does(world, one, { claims: [want('a', wants)] })
      const [refusal] = await refusals(world, two, [want('a', wants)])
      assert.equal(refusal?.pool, 'resource:api')
      const numbers = async () => (await store.listPools()).map(({ pool, used: units }) => [pool, units])
      const taken = [
        ['resource:api', 3],
        ['resource:cpu', 4],
        ['resource:db', 1],
      ]
      assert.deepEqual(await numbers(), taken)
      await does(world, two, { claims: [want('a', { ...wants, 'resource:api': 2 })] })
      assert.deepEqual(await refusals(world, two, [want('b', { 'resource:cpu': 1 })]), [
        { slot: 'b', pool: 'resource:cpu' },
      ])
      await does(world, two, { releases: 'all' })
      assert.deepEqual(await numbers(), [['resource:api', 5], ...taken.slice(1)])
    },
  },
  {
    title: 'what can never be granted is refused as impossible, whatever else is in its way [RES-06]',
    run: async (world) => {
      await world.store.putPool({ pool: 'a', capacity: 1 })
      await world.store.putPool({ pool: 'p', capacity: 3 })
      const run = await bootstrap(world, { runId: 'r1' })
      await does(world, run, { claims: [want('holder', { a: 1 })] })
      const claims = [
        want('large', { p: 5 }),
        want('both', { a: 1, p: 5 }),
        want('unknown', { a: 1, nowhere: 1 }),
        want('just', { p: 3 }),
        want('waits', { a: 1 }),
      ]
      assert.deepEqual(await refusals(world, run, claims), [
        { slot: 'large', pool: 'p', impossible: true },
        { slot: 'both', pool: 'p', impossible: true },
        { slot: 'unknown', pool: 'nowhere', impossible: true },
        { slot: 'waits', pool: 'a' },
      ])
    },
  },
]
