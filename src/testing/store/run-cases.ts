/** Cases about finding and listing runs, and about the tenant that every such call must carry. */
import assert from 'node:assert/strict'
import type { ListFilter, RunRow, RunStore } from '../../ports/run-store.ts'
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
import { openSeal, openWrite } from './sealed-events.ts'
import { newRun, summary } from './run-fixtures.ts'

async function fiveRuns(world: World): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  for (const [index, status] of (['RUNNING', 'COMPLETED', 'FAILED', 'COMPLETED', 'RUNNING'] as const).entries()) {
    const planId = index < 3 ? 'plan-a' : 'plan-b'
    const original = index === 4 ? { originalRunId: 'r0' } : {}
    rows.push(await bootstrap(world, { runId: `r${index}`, planId, ...original }, [], { summary: summary({ status }) }))
    world.clock.advance(1000)
  }
  return rows
}

async function ids(store: RunStore, filter: ListFilter, limit = 100): Promise<readonly string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.listRuns('tenant-a', filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
    assert.ok(page.runs.length <= limit)
    for (const { runId } of page.runs) found.push(runId)
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

export const RUN_CASES: readonly StoreCase[] = [
  {
    title: 'the store says how it treats duplicates, numbers and orphans [STO-23]',
    run: async ({ store }) => {
      const { name, durable, duplicates, sequence, orphans } = store.manifest
      for (const text of [name, duplicates, sequence, orphans]) assert.ok(text.trim().length > 2)
      assert.equal(typeof durable, 'boolean')
    },
  },
  {
    title: "a run is found by its id and by its engine's reference, and by nobody else's tenant [STO-11]",
    run: async (world) => {
      const { store } = world
      const row = await bootstrap(world, { runId: 'r1', engineRunRef: 'temporal://ns/wf/1', requestKey: 'aa' })
      await bootstrap(world, { runId: 'r2', engineRunRef: 'temporal://ns/wf/2' })
      assert.deepEqual(await store.findRun({ tenantId: 'tenant-a', runId: 'r1' }), row)
      assert.deepEqual(await store.findRunByEngineRef('tenant-a', 'temporal://ns/wf/1'), row)
      assert.deepEqual(await store.findRunByRequest('tenant-a', 'aa'), row)
      assert.equal(await store.findRun({ tenantId: 'tenant-b', runId: 'r1' }), undefined)
      assert.equal(await store.findRunByEngineRef('tenant-b', 'temporal://ns/wf/1'), undefined)
      assert.equal(await store.findRunByRequest('tenant-b', 'aa'), undefined)
      assert.equal(await store.getRun(999_999), undefined)
    },
  },
  {
    title: 'a call without a tenant is an error, and another tenant sees nothing [STO-24]',
    run: async (world) => {
      const { store } = world
      const row = await bootstrap(world, { runId: 'r1', requestKey: 'aa' })
      const inboxRow = { inboxId: 'a', kind: 'signal', body: '{}' }
      const write = openWrite(row, step('StepStarted', 'a'))
      for (const tenantId of ['', undefined, null, 7] as unknown as readonly string[]) {
        const ref = { tenantId, runId: 'r1' }
        const calls: readonly (() => Promise<unknown>)[] = [
          () => store.findRun(ref),
          () => store.findRunByRequest(tenantId, 'aa'),
          () => store.findRunByEngineRef(tenantId, row.engineRunRef),
          () => store.listRuns(tenantId, {}, { limit: 10 }),
          () => store.insertInbox(ref, inboxRow),
          () => store.appendOpen(ref, [write], openSeal(row)),
          () => store.readScopePauses(tenantId),
          () => store.commit([creation(newRun({ runId: 'r2', tenantId }))]),
          () => store.commit([nextCommit(row, [], { notify: [{ run: ref, row: inboxRow }] })]),
        ]
        for (const call of calls) await refusedWith('STORE_SCOPE_MISSING', call)
      }
      const empty = { pauseId: 'p', scope: 'tenant', tenantId: '', active: true }
      await refusedWith('STORE_SCOPE_MISSING', () => store.putScopePause(empty))
      assert.equal((await store.listRuns('tenant-b', {}, { limit: 10 })).runs.length, 0)
      assert.equal(await store.findRun({ tenantId: 'tenant-b', runId: 'r1' }), undefined)
      assert.deepEqual(await rowOf(store, row.runKey), row)
    },
  },
  {
    title: 'lists show a tenant its runs, newest first, by status, plan, time and origin',
    run: async (world) => {
      const rows = await fiveRuns(world)
      await bootstrap(world, { runId: 'foreign', tenantId: 'tenant-b' })
      const { store } = world
      assert.deepEqual(await ids(store, {}), ['r4', 'r3', 'r2', 'r1', 'r0'])
      assert.deepEqual(await ids(store, { status: ['COMPLETED'] }), ['r3', 'r1'])
      assert.deepEqual(await ids(store, { status: ['FAILED', 'COMPLETED', 'FAILED'] }, 2), ['r3', 'r2', 'r1'])
      assert.deepEqual(await ids(store, { status: [] }), [])
      assert.deepEqual(await ids(store, { planId: 'plan-b' }), ['r4', 'r3'])
      assert.deepEqual(await ids(store, { planId: 'plan-a', status: ['RUNNING'] }), ['r0'])
      assert.deepEqual(await ids(store, { originalRunId: 'r0' }), ['r4'])
      const [createdFrom, createdTo] = [rows[1]?.createdAt ?? 0, rows[3]?.createdAt ?? 0]
      assert.deepEqual(await ids(store, { createdFrom, createdTo }), ['r3', 'r2', 'r1'])
      assert.deepEqual(await ids(store, { planId: "plan-a' OR '1'='1" }), [])
    },
  },
  {
    title: 'runs are found by the code of their error and by who started them, with every other filter',
    run: async (world) => {
      const [ana, ben] = [{ triggeredBy: 'ana' }, { triggeredBy: "b'en" }]
      const failed = { summary: summary({ status: 'FAILED', errorCode: 'HTTP_503' }) }
      await bootstrap(world, { runId: 'r1', ...ana }, [], { ...failed, labels: { team: 'ops' } })
      await bootstrap(world, { runId: 'r2', ...ben, planId: 'plan-b' }, [], failed)
      await bootstrap(world, { runId: 'r3', ...ana })
      await bootstrap(world, { runId: 'r4', ...ana, tenantId: 'tenant-b' }, [], failed)
      assert.deepEqual(await ids(world.store, { errorCode: 'HTTP_503' }, 1), ['r2', 'r1'])
      assert.deepEqual(await ids(world.store, { triggeredBy: 'ana' }), ['r3', 'r1'])
      assert.deepEqual(await ids(world.store, { triggeredBy: "b'en" }), ['r2'])
      assert.deepEqual(await ids(world.store, { triggeredBy: 'ana', errorCode: 'HTTP_503' }), ['r1'])
      assert.deepEqual(await ids(world.store, { errorCode: 'HTTP_503', planId: 'plan-b', status: ['FAILED'] }), ['r2'])
      assert.deepEqual(await ids(world.store, { errorCode: 'HTTP_503', labels: { team: 'ops' } }), ['r1'])
      assert.deepEqual(await ids(world.store, { errorCode: 'http_503' }), [])
    },
  },
  {
    title: 'pages of a list neither lose nor repeat a run while runs are added',
    run: async (world) => {
      await fiveRuns(world)
      assert.deepEqual(await ids(world.store, {}, 1), ['r4', 'r3', 'r2', 'r1', 'r0'])
      const first = await world.store.listRuns('tenant-a', {}, { limit: 2 })
      assert.deepEqual(
        first.runs.map(({ runId }) => runId),
        ['r4', 'r3'],
      )
      await bootstrap(world, { runId: 'r5' })
      await bootstrap(world, { runId: 'r6' })
      const second = await world.store.listRuns('tenant-a', {}, { limit: 10, cursor: first.next ?? '' })
      assert.deepEqual(
        second.runs.map(({ runId }) => runId),
        ['r2', 'r1', 'r0'],
      )
      assert.equal(second.next, undefined)
      assert.deepEqual(await ids(world.store, {}, 3), ['r6', 'r5', 'r4', 'r3', 'r2', 'r1', 'r0'])
      const old = await world.store.listRuns('tenant-a', {}, { limit: 3, oldestFirst: true })
      const { next = '' } = old
      const later = await world.store.listRuns('tenant-a', {}, { limit: 9, oldestFirst: true, cursor: next })
      assert.deepEqual(
        [...old.runs, ...later.runs].map(({ runId }) => runId),
        ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6'],
      )
      for (const cursor of ['', 'x', "MTsgRFJPUA'", Buffer.from('1.2.3').toString('base64url')])
        await refusedWith('LIST_CURSOR_INVALID', () => world.store.listRuns('tenant-a', {}, { limit: 2, cursor }))
    },
  },
  {
    title: 'a quarantined run carries its code and is otherwise untouched',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await world.store.quarantine(row.runKey, 'RUN_QUARANTINED')
      assert.deepEqual(await rowOf(world.store, row.runKey), { ...row, quarantine: 'RUN_QUARANTINED' })
      const commit = nextCommit(row, [step('StepStarted', 'a')])
      assert.equal((await commitOne(world.store, commit)).kind, 'committed')
      assert.equal((await rowOf(world.store, row.runKey)).quarantine, 'RUN_QUARANTINED')
    },
  },
  {
    title: 'a closed store refuses, and closing twice is harmless',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await world.store.close()
      await world.store.close()
      await refusedWith('STORE_CLOSED', () => world.store.getRun(row.runKey))
      await refusedWith('STORE_CLOSED', () => world.store.commit([nextCommit(row, [])]))
    },
  },
]
