/** Cases about what hangs on a run beside its log: context, blobs, plans, snapshots; and about erasing values. */
import assert from 'node:assert/strict'
import type { StoredSnapshot } from '../ports/run-store.ts'
import {
  allEvents,
  bootstrap,
  bytesOf,
  commitOne,
  nextCommit,
  rowOf,
  step,
  type StoreCase,
  type World,
} from './store-case.ts'

async function erasableRun(world: World) {
  const secret = { ...step('StepCompleted', 'a'), data: { result: 'personal' } }
  const row = await bootstrap(world, { runId: 'r1' }, [{ eventType: 'RunStarted' }, secret])
  await world.store.insertInbox(row, { inboxId: 'signal:1', kind: 'signal', body: '"personal"' })
  const commit = nextCommit(row, [{ ...step('StepCompleted', 'b'), data: { result: 'kept' } }], {
    consumed: [{ inboxId: 'signal:1', seq: 2 }],
    context: [
      { variable: 'v', seq: 2, value: '"personal"' },
      { variable: 'v', seq: row.nextSeq, value: '"kept"' },
    ],
    blobs: [{ sha256: 'ab', text: 'personal' }],
  })
  assert.equal((await commitOne(world.store, commit)).kind, 'committed')
  const snapshot: StoredSnapshot = { kind: 'view', seq: 2, rulesVersion: 1, body: '"personal"' }
  await world.store.putSnapshot(row.runKey, snapshot)
  await world.store.putSnapshot(row.runKey, { ...snapshot, seq: row.nextSeq, body: '"kept"' })
  return row
}

export const VALUE_CASES: readonly StoreCase[] = [
  {
    title: 'the context is read as of a number: the latest value of each variable up to it',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [])
      const context = [
        { variable: 'a', seq: 3, value: '3' },
        { variable: 'a', seq: 7, value: '7' },
        { variable: 'b', seq: 5, value: '{"x":"ü"}' },
        { variable: 'a', seq: 7, value: '"last"' },
      ]
      assert.equal((await commitOne(world.store, nextCommit(row, [], { context }))).kind, 'committed')
      const at = async (seq: number) => Object.fromEntries(await world.store.readContext(row.runKey, seq))
      assert.deepEqual(await at(2), {})
      assert.deepEqual(await at(4), { a: '3' })
      assert.deepEqual(await at(6), { a: '3', b: '{"x":"ü"}' })
      assert.deepEqual(await at(7), { a: '"last"', b: '{"x":"ü"}' })
      const other = await bootstrap(world, { runId: 'r2' })
      assert.equal((await world.store.readContext(other.runKey, 99)).size, 0)
    },
  },
  {
    title: 'a blob belongs to its run and is never overwritten',
    run: async (world) => {
      const [one, two] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      const text = '😀'.repeat(300_000)
      await world.store.putBlob(one.runKey, 'ab', text)
      await world.store.putBlob(one.runKey, 'ab', 'other')
      assert.equal(await world.store.getBlob(one.runKey, 'ab'), text)
      assert.equal(await world.store.getBlob(two.runKey, 'ab'), undefined)
      await world.store.putBlob(999_999, 'ab', text)
      assert.equal(await world.store.getBlob(999_999, 'ab'), undefined)
    },
  },
  {
    title: 'a plan is stored once by its hash and found by id, the newest first',
    run: async (world) => {
      const plan = { sha256: 'aa', planId: 'p', planVersion: '1', text: '{"v":1}' }
      await world.store.putPlan(plan)
      await world.store.putPlan({ ...plan, sha256: 'bb', planVersion: '2', text: '{"v":2}' })
      await world.store.putPlan({ ...plan, text: 'changed' })
      assert.equal(await world.store.getPlan('aa'), '{"v":1}')
      assert.equal(await world.store.getPlan('cc'), undefined)
      assert.deepEqual(await world.store.findPlan('p'), { sha256: 'bb', text: '{"v":2}' })
      assert.deepEqual(await world.store.findPlan('p', '1'), { sha256: 'aa', text: '{"v":1}' })
      assert.equal(await world.store.findPlan('p', '3'), undefined)
      assert.equal(await world.store.findPlan('q'), undefined)
    },
  },
  {
    title: 'the newest snapshot of a kind is given, not beyond the number asked for',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const snapshot = (kind: 'state' | 'view', seq: number): StoredSnapshot => ({
        kind,
        seq,
        rulesVersion: 1,
        body: `${kind}${seq}`,
      })
      assert.equal(await world.store.getSnapshot(row.runKey, 'state'), undefined)
      for (const one of [snapshot('state', 10), snapshot('state', 30), snapshot('view', 20), snapshot('state', 20)])
        await world.store.putSnapshot(row.runKey, one)
      assert.deepEqual(await world.store.getSnapshot(row.runKey, 'state'), snapshot('state', 30))
      assert.deepEqual(await world.store.getSnapshot(row.runKey, 'state', 29), snapshot('state', 20))
      assert.deepEqual(await world.store.getSnapshot(row.runKey, 'view'), snapshot('view', 20))
      assert.equal(await world.store.getSnapshot(row.runKey, 'state', 9), undefined)
      await world.store.putSnapshot(row.runKey, { ...snapshot('state', 30), body: 'again', rulesVersion: 2 })
      assert.equal((await world.store.getSnapshot(row.runKey, 'state'))?.body, 'again')
      await world.store.putSnapshot(999_999, snapshot('state', 1))
      assert.equal(await world.store.getSnapshot(999_999, 'state'), undefined)
    },
  },
  {
    title: 'erasing takes the values up to a number and leaves every record, key and hash as it was',
    run: async (world) => {
      const row = await erasableRun(world)
      const before = (await allEvents(world.store, row.runKey)).map(bytesOf)
      await world.store.eraseData(row.runKey, 2)
      await world.store.eraseData(row.runKey, 2)
      const after = (await allEvents(world.store, row.runKey)).map(bytesOf)
      const without = { data: undefined, salt: undefined }
      assert.deepEqual(after, [before[0], { ...before[1], ...without }, before[2]])
      assert.equal(await world.store.getBlob(row.runKey, 'ab'), undefined)
      assert.deepEqual(Object.fromEntries(await world.store.readContext(row.runKey, 2)), {})
      assert.deepEqual(Object.fromEntries(await world.store.readContext(row.runKey, 99)), { v: '"kept"' })
      assert.equal(await world.store.getSnapshot(row.runKey, 'view', 2), undefined)
      assert.equal((await world.store.getSnapshot(row.runKey, 'view'))?.body, '"kept"')
      assert.equal((await world.store.findInbox(row.runKey, 'signal:1'))?.body, '')
    },
  },
  {
    title: 'after an erasure a repeated letter is still recognised, and the log goes on',
    run: async (world) => {
      const row = await erasableRun(world)
      await world.store.eraseData(row.runKey, 1_000_000)
      const insert = { inboxId: 'signal:1', kind: 'signal', body: '"personal"' }
      assert.equal((await world.store.insertInbox(row, insert)).kind, 'duplicate')
      assert.equal((await world.store.insertInbox(row, { ...insert, body: '"other"' })).kind, 'conflict')
      const head = await rowOf(world.store, row.runKey)
      const record = nextCommit(head, [{ eventType: 'ErasureRecorded' }])
      assert.equal((await commitOne(world.store, record)).kind, 'committed')
      await world.store.eraseData(999_999, 10)
    },
  },
]
