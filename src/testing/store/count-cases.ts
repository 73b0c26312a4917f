/** Cases about the numbers of runs per status: they follow every commit and need no list. */
import assert from 'node:assert/strict'
import type { RunStatus } from '../../ports/run-store.ts'
import { newRun, summary } from './run-fixtures.ts'
import {
  bootstrap,
  commitOne,
  creation,
  nextCommit,
  refusedWith,
  rowOf,
  step,
  type StoreCase,
  type World,
} from './store-case.ts'

/** Statuses without runs may be absent or zero. */
async function counts(world: World, tenantId = 'tenant-a'): Promise<Readonly<Record<string, number>>> {
  const found = [...(await world.store.countRuns(tenantId))].filter(([, count]) => count !== 0)
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function move(world: World, runKey: number, status: RunStatus): Promise<void> {
  const commit = nextCommit(await rowOf(world.store, runKey), [], { summary: summary({ status }) })
  assert.equal((await commitOne(world.store, commit)).kind, 'committed')
}

export const COUNT_CASES: readonly StoreCase[] = [
  {
    title: 'runs are counted per tenant and status through all their moves [P-41]',
    run: async (world) => {
      assert.deepEqual(await counts(world), {})
      const one = await bootstrap(world, { runId: 'r1' })
      const two = await bootstrap(world, { runId: 'r2' }, [], { summary: summary({ status: 'PENDING' }) })
      await bootstrap(world, { runId: 'r3', tenantId: 'tenant-b' })
      assert.deepEqual(await counts(world), { PENDING: 1, RUNNING: 1 })
      await move(world, two.runKey, 'RUNNING')
      assert.deepEqual(await counts(world), { RUNNING: 2 })
      await move(world, one.runKey, 'PAUSED')
      await move(world, one.runKey, 'RUNNING')
      await move(world, one.runKey, 'COMPLETED')
      await move(world, two.runKey, 'RUNNING')
      assert.deepEqual(await counts(world), { COMPLETED: 1, RUNNING: 1 })
      assert.deepEqual(await counts(world, 'tenant-b'), { RUNNING: 1 })
      assert.deepEqual(await counts(world, 'tenant-c'), {})
    },
  },
  {
    title: 'refused commits count nothing, also within a batch, and the numbers are there after reopening [P-41]',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: 'p', capacity: 1 })
      const row = await bootstrap(world, { runId: 'r1', requestKey: 'aa' })
      const other = await bootstrap(world, { runId: 'r2' })
      const ended = { summary: summary({ status: 'COMPLETED' }) }
      const claims = [{ slot: 'a', attempt: 1, wants: { p: 2 }, priority: 0 }]
      const results = await store.commit([
        nextCommit(row, [{ eventType: 'RunStarted' }], ended),
        { ...nextCommit(row, [], ended), expected: { epoch: 9, nextSeq: 9 } },
        nextCommit(row, [step('StepStarted', 'a')], { ...ended, claims }),
        creation(newRun({ runId: 'r1' })),
        creation(newRun({ runId: 'r9', requestKey: 'aa' })),
        nextCommit(other, [step('StepStarted', 'a')], { summary: summary({ status: 'FAILED' }) }),
        creation(newRun({ runId: 'r3' })),
      ])
      assert.deepEqual(
        results.map(({ kind }) => kind),
        ['constraint', 'conflict', 'ungranted', 'run-exists', 'request-exists', 'committed', 'committed'],
      )
      assert.deepEqual(await counts(world), { FAILED: 1, RUNNING: 2 })
      const reopened = { ...world, store: await world.reopen() }
      assert.deepEqual(await counts(reopened), { FAILED: 1, RUNNING: 2 })
    },
  },
  {
    title: 'counting without a tenant is an error [STO-24]',
    run: async ({ store }) => {
      await refusedWith('STORE_SCOPE_MISSING', () => store.countRuns(''))
    },
  },
]
