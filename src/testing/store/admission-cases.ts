/** Cases about limits for starts, the queue behind them, who holds a pool, and ended runs that still count. */
import assert from 'node:assert/strict'
import type { RunLimit } from '../../ports/admission.ts'
import type { NewRun, RunKey, RunRow, RunSummary } from '../../ports/run-store.ts'
import { does, free, want } from './grant-fixtures.ts'
import { newRun, summary } from './run-fixtures.ts'
import {
  bootstrap,
  commitOne,
  creation,
  nextCommit,
  refusedWith,
  rowOf,
  START_MS,
  type StoreCase,
  type World,
} from './store-case.ts'

const PLAIN: RunLimit = {
  tenantId: 'tenant-a',
  name: 'tenant',
  maxRunning: 3,
  whenFull: 'REJECT',
  priority: 0,
  setBy: 'ana',
  setAt: START_MS,
}
const FULL: RunLimit = {
  ...PLAIN,
  name: 'plan:a "b"',
  ratePerMinute: 60,
  maxConcurrentSteps: 10,
  whenFull: 'REPLACE_OLDEST',
  priority: -1.5,
}
const POOL = 'limit:tenant@tenant-a'

/** A run that was admitted and has not started. */
async function queued(
  world: World,
  changes: Partial<NewRun> & { runId: string },
  more: Partial<RunSummary> = {},
): Promise<RunRow> {
  const commit = creation(newRun(changes), undefined, { summary: summary({ status: 'PENDING', ...more }) })
  const result = await commitOne(world.store, commit)
  assert.ok(result.kind === 'committed', result.kind)
  return rowOf(world.store, result.runKey)
}

async function ids({ store, clock }: World, limit = 10, without: readonly RunKey[] = []): Promise<readonly string[]> {
  return (await store.queuedRuns('embedded', clock.now(), { limit, without })).map(({ runId }) => runId)
}

async function endedIds({ store }: World, limit = 10, without: readonly RunKey[] = []): Promise<readonly string[]> {
  return (await store.endedHolders({ limit, without })).map(({ runId }) => runId)
}

export const ADMISSION_CASES: readonly StoreCase[] = [
  {
    title:
      'a limit comes back as it was put, replaces the one of its name, and is listed and removed within its tenant',
    run: async (world) => {
      const foreign = { ...PLAIN, tenantId: 'tenant-b' }
      for (const limit of [PLAIN, FULL, foreign]) await world.store.putLimit(limit)
      const store = await world.reopen()
      assert.deepEqual(await store.listLimits('tenant-a'), [FULL, PLAIN])
      const { maxRunning: _gone, ...rest } = { ...PLAIN, ratePerMinute: 5, setBy: 'bob', setAt: START_MS + 1 }
      await store.putLimit(rest)
      assert.deepEqual(await store.listLimits('tenant-a'), [FULL, rest])
      assert.equal(await store.removeLimit('tenant-a', 'tenant'), true)
      assert.equal(await store.removeLimit('tenant-a', 'tenant'), false)
      assert.deepEqual(await store.listLimits('tenant-a'), [FULL])
      assert.deepEqual(await store.listLimits('tenant-b'), [foreign])
      await refusedWith('STORE_SCOPE_MISSING', () => store.listLimits(''))
    },
  },
  {
    title: 'queued runs are those that wait for no approval, instant, holder or room; tenants take turns [BPQ-05]',
    run: async (world) => {
      const { store, clock } = world
      const a1 = await queued(world, { runId: 'a1' })
      await queued(world, { runId: 'a2' }, { status: 'APPROVED' })
      const b1 = await queued(world, { runId: 'b1', tenantId: 'tenant-b' })
      await queued(world, { runId: 'asks' }, { substatus: 'WAITING_APPROVAL' })
      await queued(world, { runId: 'later' }, { nextWakeAt: START_MS + 9_000_000 })
      await queued(world, { runId: 'other', engineType: 'mock' })
      await bootstrap(world, { runId: 'running' })
      const aside = await queued(world, { runId: 'aside' })
      await store.quarantine(aside.runKey, 'RUN_QUARANTINED')
      const held = await queued(world, { runId: 'held' })
      await store.acquireLease(held.runKey, 'somebody', clock.now(), clock.now() + 60_000)
      assert.deepEqual(await ids(world), ['a1', 'b1', 'a2'])
      assert.deepEqual(await ids(world, 2), ['a1', 'b1'])
      // Those that are passed over make room for others, and take no turn from their tenant.
      assert.deepEqual(await ids(world, 1, [a1.runKey]), ['a2'])
      assert.deepEqual(await ids(world, 2, [a1.runKey, b1.runKey, 999]), ['a2'])
      await store.releaseLease(held.runKey, 'somebody')
      assert.deepEqual(await ids(world), ['a1', 'b1', 'a2', 'held'])
    },
  },
  {
    title:
      'a queued run without room is listed once it is offered a place, and a pool tells who holds it and who waits',
    run: async (world) => {
      const { store, clock } = world
      await store.putPool({ pool: POOL, capacity: 1 })
      const first = await bootstrap(world, { runId: 'first' })
      await does(world, first, { claims: [want('RUN', { [POOL]: 1 })] })
      const [second, third] = [await queued(world, { runId: 'second' }), await queued(world, { runId: 'third' })]
      const pending = { summary: summary({ status: 'PENDING' }) }
      await does(world, second, { waits: [want('RUN', { [POOL]: 1 })], ...pending })
      await does(world, third, { waits: [want('RUN', { [POOL]: 1 }, { priority: -1 })], ...pending })
      assert.deepEqual(await ids(world), [])
      const { holders, waiters } = await store.readPool(POOL, 10)
      const user = (runId: string) => ({ tenantId: 'tenant-a', runId, slot: 'RUN', amount: 1 })
      assert.deepEqual(holders, [{ ...user('first'), since: clock.now() }])
      assert.deepEqual(
        waiters.map(({ since: _since, ...rest }) => rest),
        [user('third'), user('second')],
      )
      assert.deepEqual((await store.readPool(POOL, 1)).waiters.length, 1)
      await does(world, first, { releases: [free('RUN', 'neutral')] })
      assert.deepEqual(await ids(world), ['third'])
      assert.deepEqual(await store.readPool('nothing', 10), { holders: [], waiters: [] })
    },
  },
  {
    title: 'an ended run that still holds a place of its own, or waits for one, is found; one that has none is not',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: POOL, capacity: 5 })
      const [live, ended, clean] = [
        await bootstrap(world, { runId: 'live' }),
        await bootstrap(world, { runId: 'ended' }),
        await bootstrap(world, { runId: 'clean' }),
      ]
      for (const run of [live, ended]) await does(world, run, { claims: [want('RUN', { [POOL]: 1 })] })
      await does(world, clean, { claims: [want('step', { [POOL]: 1 })] })
      assert.deepEqual(await endedIds(world), [])
      for (const run of [ended, clean]) {
        const row = await rowOf(store, run.runKey)
        await commitOne(store, nextCommit(row, [], { summary: summary({ status: 'COMPLETED' }) }))
      }
      assert.deepEqual(await endedIds(world), ['ended'])
      assert.deepEqual(await endedIds(world, 10, [ended.runKey, 999]), [])
      await does(world, ended, { releases: [free('RUN', 'neutral')], summary: summary({ status: 'COMPLETED' }) })
      assert.deepEqual(await endedIds(world), [])
    },
  },
]
