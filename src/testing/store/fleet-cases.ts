/** Cases about operations on many runs: each revision once, each run noted once, due ones across tenants. */
import assert from 'node:assert/strict'
import type { StoredOperation } from '../../ports/fleet.ts'
import { refusedWith, START_MS, type StoreCase } from './store-case.ts'

const PAUSE: StoredOperation = {
  tenantId: 'tenant-a',
  operationId: 'pause-all',
  revision: 1,
  dueAt: START_MS + 5,
  createdAt: START_MS,
  body: '{"signalType":"PAUSE","é":"𝄞"}',
}
const RUNS = ['run-1', 'run-2', 'run-3', 'run-4']

export const FLEET_CASES: readonly StoreCase[] = [
  {
    title: 'an operation comes back as it was made, with its runs in their order, and is made once in its tenant',
    run: async (world) => {
      assert.equal(await world.store.createOperation(PAUSE, RUNS), true)
      assert.equal(await world.store.createOperation({ ...PAUSE, body: '{}' }, ['run-9']), false)
      assert.equal(await world.store.createOperation({ ...PAUSE, tenantId: 'tenant-b' }, []), true)
      const store = await world.reopen()
      assert.deepEqual(await store.findOperation('tenant-a', 'pause-all'), PAUSE)
      assert.equal(await store.findOperation('tenant-c', 'pause-all'), undefined)
      const open = RUNS.map((runId) => ({ runId, outcome: 'OPEN' }))
      assert.deepEqual(await store.fleetRuns('tenant-a', 'pause-all', 'OPEN', 9), open)
      assert.deepEqual(await store.fleetRuns('tenant-a', 'pause-all', 'OPEN', 2), open.slice(0, 2))
      assert.deepEqual(await store.fleetRuns('tenant-b', 'pause-all', 'OPEN', 9), [])
      await refusedWith('STORE_SCOPE_MISSING', () => store.fleetRuns('', 'pause-all', 'OPEN', 9))
    },
  },
  {
    title: 'of many who change one revision of an operation one succeeds; when it was made stays',
    run: async ({ store }) => {
      await store.createOperation(PAUSE, RUNS)
      const { dueAt: _due, ...ended } = PAUSE
      const changes = [1, 2, 3, 4].map((n) => ({ ...ended, revision: 2, body: `{"by":${n}}` }))
      const answers = await Promise.all(changes.map((one) => store.putOperation(one)))
      assert.equal(answers.filter(Boolean).length, 1)
      assert.deepEqual(await store.findOperation('tenant-a', 'pause-all'), changes[answers.indexOf(true)])
      assert.equal(await store.putOperation({ ...PAUSE, revision: 4 }), false)
      assert.equal(await store.putOperation({ ...PAUSE, operationId: 'unknown', revision: 2 }), false)
    },
  },
  {
    title: 'what came of a run is noted once and counted by outcome and code',
    run: async ({ store }) => {
      await store.createOperation(PAUSE, RUNS)
      const done = { runId: 'run-3', outcome: 'DONE' } as const
      const refused = { runId: 'run-1', outcome: 'REFUSED', code: 'RUN_TERMINAL' } as const
      await store.noteFleetRuns('tenant-a', 'pause-all', [done, refused])
      await store.noteFleetRuns('tenant-a', 'pause-all', [{ ...done, outcome: 'LEFT' }])
      await store.noteFleetRuns('tenant-b', 'pause-all', [{ runId: 'run-2', outcome: 'DONE' }])
      await store.noteFleetRuns('tenant-a', 'pause-all', [])
      assert.deepEqual(await store.fleetRuns('tenant-a', 'pause-all', 'DONE', 9), [done])
      assert.deepEqual(await store.fleetRuns('tenant-a', 'pause-all', 'REFUSED', 9), [refused])
      assert.deepEqual(await store.countFleetRuns('tenant-a', 'pause-all'), [
        { outcome: 'DONE', runs: 1 },
        { outcome: 'OPEN', runs: 2 },
        { outcome: 'REFUSED', code: 'RUN_TERMINAL', runs: 1 },
      ])
      assert.deepEqual(await store.countFleetRuns('tenant-b', 'pause-all'), [])
    },
  },
  {
    title: 'operations are listed newest first, page by page, within their tenant',
    run: async ({ store }) => {
      const made = ['a', 'c', 'b'].map((operationId, at) => ({
        ...PAUSE,
        operationId,
        createdAt: START_MS + Math.min(at, 1),
      }))
      for (const one of [...made, { ...PAUSE, tenantId: 'tenant-b' }]) await store.createOperation(one, [])
      const [a, c, b] = made
      const first = await store.listOperations('tenant-a', { limit: 2 })
      assert.deepEqual(first.operations, [c, b])
      const cursor = first.next ?? ''
      assert.deepEqual(await store.listOperations('tenant-a', { limit: 2, cursor }), { operations: [a] })
      assert.deepEqual(await store.listOperations('tenant-a', { limit: 3 }), { operations: [c, b, a] })
      await refusedWith('LIST_CURSOR_INVALID', () => store.listOperations('tenant-a', { limit: 2, cursor: 'nonsense' }))
    },
  },
  {
    title: 'due operations are those of all tenants, the longest due first; one without an instant is never due',
    run: async ({ store }) => {
      const { dueAt: _due, ...never } = { ...PAUSE, operationId: 'never' }
      const first = { ...PAUSE, tenantId: 'tenant-c', dueAt: START_MS }
      for (const one of [PAUSE, never, first]) await store.createOperation(one, [])
      assert.deepEqual(await store.dueOperations(START_MS - 1, 9), [])
      assert.deepEqual(await store.dueOperations(START_MS + 5, 9), [first, PAUSE])
      assert.deepEqual(await store.dueOperations(START_MS + 5, 1), [first])
    },
  },
]
