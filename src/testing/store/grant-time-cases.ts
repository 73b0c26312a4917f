/** Cases about what time frees: quotas per window, circuit breakers, offers that nobody takes. */
import assert from 'node:assert/strict'
import type { RunRow } from '../../ports/run-store.ts'
import { does, free, inboxRows, offered, poolState, refusals, turn, used, waitOf, want } from './grant-fixtures.ts'
import { bootstrap, START_MS, type StoreCase, type World } from './store-case.ts'

/** A store with its own clock cannot be moved in time, which these cases need. */
const timed = (title: string, run: (world: World) => Promise<void>): StoreCase => ({
  title,
  run: async (world) => (world.ownClock ? undefined : run(world)),
})

const BREAKER = { failures: 5, openMs: 60_000 }

/** Attempts that pass one after the other, with these results. */
async function attempts(world: World, run: RunRow, results: readonly ('ok' | 'failed' | 'neutral')[]): Promise<void> {
  for (const result of results) {
    await does(world, run, { claims: [want('try', { 'agent:x': 1 })] })
    await does(world, run, { releases: [free('try', result)] })
  }
}

const openUntil = async (world: World): Promise<number | undefined> =>
  (await poolState(world.store, 'agent:x')).openUntil

export const GRANT_TIME_CASES: readonly StoreCase[] = [
  timed('a quota is freed by time and never by a release; a refusal says when [RES-04]', async (world) => {
    world.clock.advance(250)
    await world.store.putPool({ pool: 'q', capacity: 3, windowMs: 1000 })
    const run = await bootstrap(world, { runId: 'r1' })
    await does(world, run, { claims: [want('a', { q: 2 })] })
    assert.deepEqual((await world.store.readGrants(run.runKey)).held, [{ slot: 'a', attempt: 1, wants: { q: 2 } }])
    await does(world, run, { releases: [free('a')] })
    assert.equal(await used(world, 'q'), 2)
    const refused = [{ slot: 'b', pool: 'q', retryAt: START_MS + 1000 }]
    assert.deepEqual(await refusals(world, run, [want('b', { q: 2 })]), refused)
    await does(world, run, { claims: [want('c', { q: 1 })] })
    world.clock.advance(749)
    assert.deepEqual(await refusals(world, run, [want('b', { q: 1 })]), [{ ...refused[0] }])
    assert.deepEqual(await refusals(world, run, [want('d', { q: 4 })]), [{ slot: 'd', pool: 'q', impossible: true }])
    world.clock.advance(1)
    assert.equal(await used(world, 'q'), 0)
    await does(world, run, { claims: [want('b', { q: 3 })] })
    assert.equal(await used(world, 'q'), 3)
    await does(world, run, { releases: 'all' })
    assert.equal(await used(world, 'q'), 3)
  }),
  timed('who waits for a quota is offered it by the first sweep of the next window', async (world) => {
    await world.store.putPool({ pool: 'q', capacity: 2, windowMs: 1000 })
    const run = await bootstrap(world, { runId: 'r1' })
    await does(world, run, { claims: [want('a', { q: 2 })], waits: [want('b', { q: 2 }), want('c', { q: 1 })] })
    world.clock.advance(999)
    assert.equal(await world.store.sweepGrants(), 0)
    world.clock.advance(1)
    assert.equal(await world.store.sweepGrants(), 1)
    assert.deepEqual(await offered(world, [run]), ['r1/b'])
    assert.equal(await used(world, 'q'), 0)
    const refused = [{ slot: 'd', pool: 'q', retryAt: START_MS + 2000 }]
    assert.deepEqual(await refusals(world, run, [want('d', { q: 1 })]), refused)
    await does(world, run, { claims: [want('b', { q: 2 })] })
    assert.equal(await used(world, 'q'), 2)
  }),
  timed(
    'five failures in a row open a breaker for 60,000 ms, then one probe at a time until one succeeds [RTY-12]',
    async (world) => {
      const { store, clock } = world
      await store.putPool({ pool: 'agent:x', capacity: 3, breaker: BREAKER })
      const [run, other] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      await attempts(world, run, ['failed', 'failed', 'failed', 'failed', 'ok'])
      await attempts(world, run, ['failed', 'failed', 'neutral', 'failed', 'failed'])
      assert.equal(await openUntil(world), undefined)
      await attempts(world, run, ['failed'])
      const opened = clock.now()
      assert.equal(await openUntil(world), opened + 60_000)
      clock.advance(59_999)
      const probe = want('probe', { 'agent:x': 1 })
      const open = [{ slot: 'probe', pool: 'agent:x', retryAt: opened + 60_000 }]
      assert.deepEqual(await refusals(world, other, [probe]), open)
      clock.advance(1)
      assert.equal(await openUntil(world), undefined)
      assert.deepEqual(await refusals(world, other, [probe, want('second', { 'agent:x': 1 })]), [
        { slot: 'second', pool: 'agent:x' },
      ])
      await does(world, other, { claims: [probe] })
      assert.deepEqual(await refusals(world, run, [probe]), [{ slot: 'probe', pool: 'agent:x' }])
      await does(world, other, { releases: [free('probe', 'failed')] })
      assert.equal(await openUntil(world), clock.now() + 60_000)
      clock.advance(60_000)
      await does(world, other, { claims: [probe] })
      await does(world, other, { releases: [free('probe', 'neutral')] })
      await does(world, other, { claims: [want('again', { 'agent:x': 1 })] })
      assert.deepEqual(await refusals(world, run, [probe]), [{ slot: 'probe', pool: 'agent:x' }])
      await does(world, other, { releases: [free('again', 'ok')] })
      await does(world, run, { claims: ['a', 'b', 'c'].map((slot) => want(slot, { 'agent:x': 1 })) })
      await does(world, run, { releases: 'all' })
      await attempts(world, run, ['failed', 'failed', 'failed', 'failed'])
      assert.equal(await openUntil(world), undefined)
    },
  ),
  timed('attempts from before a breaker opened neither are its probe nor stand in its way [RTY-12]', async (world) => {
    const { store, clock } = world
    await store.putPool({ pool: 'agent:x', capacity: 4, breaker: { failures: 1, openMs: 1000 } })
    const [run, other] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
    const old = ['old1', 'old2', 'bad']
    await does(world, run, { claims: old.map((slot) => want(slot, { 'agent:x': 1 })) })
    await does(world, run, { releases: [free('bad', 'failed')] })
    clock.advance(500)
    await does(world, run, { releases: [free('old1', 'failed')] })
    assert.equal(await openUntil(world), START_MS + 1500)
    clock.advance(1000)
    await does(world, other, { claims: [want('probe', { 'agent:x': 1 })] })
    assert.equal(await used(world, 'agent:x'), 2)
    assert.deepEqual(await refusals(world, other, [want('more', { 'agent:x': 1 })]), [
      { slot: 'more', pool: 'agent:x' },
    ])
    await does(world, run, { releases: [free('old2', 'ok')] })
    await does(world, other, { claims: [want('more', { 'agent:x': 1 })] })
  }),
  timed('a half-open breaker is offered to one waiter, and to the next when the probe ended', async (world) => {
    const { store, clock } = world
    await store.putPool({ pool: 'agent:x', capacity: 3, breaker: { failures: 1, openMs: 1000 } })
    const [run, other] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
    await attempts(world, run, ['failed'])
    await does(world, run, { waits: [want('a', { 'agent:x': 1 })] })
    await does(world, other, { waits: [want('b', { 'agent:x': 1 })] })
    assert.deepEqual(await offered(world, [run, other]), [])
    clock.advance(1000)
    assert.equal(await store.sweepGrants(), 1)
    assert.deepEqual(await offered(world, [run, other]), ['r1/a'])
    assert.equal((await turn(world, other, { claims: [want('b', { 'agent:x': 1 })] })).kind, 'ungranted')
    await does(world, run, { claims: [want('a', { 'agent:x': 1 })] })
    assert.equal(await store.sweepGrants(), 0)
    await does(world, run, { releases: [free('a', 'ok')] })
    assert.deepEqual(await offered(world, [run, other]), ['r2/b'])
  }),
  timed('an offer stands for five seconds; the sweep passes on what nobody took [P-19]', async (world) => {
    const { store, clock } = world
    await store.putPool({ pool: 'p', capacity: 1 })
    const runs = await Promise.all(['r1', 'r2', 'r3'].map((runId) => bootstrap(world, { runId })))
    const [holder, first, second] = runs as [RunRow, RunRow, RunRow]
    await does(world, holder, { claims: [want('a', { p: 1 })] })
    for (const run of [first, second]) await does(world, run, { waits: [want('a', { p: 1 })] })
    await does(world, holder, { releases: [free('a')] })
    assert.equal((await waitOf(world, first, 'a'))?.offeredUntil, START_MS + 5000)
    clock.advance(4999)
    assert.equal(await store.sweepGrants(), 0)
    assert.equal((await turn(world, second, { claims: [want('a', { p: 1 })] })).kind, 'ungranted')
    assert.deepEqual(await offered(world, runs), ['r2/a'])
    clock.advance(1)
    assert.deepEqual(await offered(world, runs), [])
    assert.equal(await store.sweepGrants(), 1)
    assert.deepEqual(await inboxRows(world, first), ['grant:a:1:1', 'grant:a:1:2'])
    await does(world, first, { waits: [] })
    assert.deepEqual(await offered(world, runs), ['r3/a'])
    assert.deepEqual(await inboxRows(world, second), ['grant:a:1:1'])
  }),
  timed('an offer that ran out hinders nobody, and is still taken where the unit is free', async (world) => {
    await world.store.putPool({ pool: 'p', capacity: 2 })
    const runs = await Promise.all(['r1', 'r2', 'r3'].map((runId) => bootstrap(world, { runId })))
    const [holder, waiter, fresh] = runs as [RunRow, RunRow, RunRow]
    await does(world, holder, { claims: [want('a', { p: 2 })] })
    await does(world, waiter, { waits: [want('a', { p: 1 }), want('b', { p: 1 })] })
    await does(world, holder, { releases: [free('a')] })
    assert.deepEqual(await offered(world, runs), ['r2/a', 'r2/b'])
    assert.equal((await turn(world, fresh, { claims: [want('a', { p: 1 })] })).kind, 'ungranted')
    world.clock.advance(5000)
    await does(world, fresh, { claims: [want('a', { p: 1 })] })
    await does(world, waiter, { claims: [want('a', { p: 1 })] })
    assert.equal((await turn(world, waiter, { claims: [want('b', { p: 1 })] })).kind, 'ungranted')
    assert.equal(await used(world, 'p'), 2)
  }),
]
