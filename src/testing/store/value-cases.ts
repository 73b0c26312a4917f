/** Cases about what belongs to a run beside its log: context, blobs, cached folds; and about erasing values. */
import assert from 'node:assert/strict'
import type { StoredCheckpoint } from '../../ports/run-store.ts'
import { summary } from './run-fixtures.ts'
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
  const snapshot: StoredCheckpoint = { kind: 'view', seq: 2, rulesVersion: 1, body: '"personal"' }
  await world.store.putCheckpoint(row.runKey, snapshot)
  await world.store.putCheckpoint(row.runKey, { ...snapshot, seq: row.nextSeq, body: '"kept"' })
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
    title: 'the newest snapshot of a kind is given, not beyond the number asked for',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const snapshot = (kind: 'state' | 'view', seq: number): StoredCheckpoint => ({
        kind,
        seq,
        rulesVersion: 1,
        body: `${kind}${seq}`,
      })
      assert.equal(await world.store.getCheckpoint(row.runKey, 'state'), undefined)
      for (const one of [snapshot('state', 10), snapshot('state', 30), snapshot('view', 20), snapshot('state', 20)])
        await world.store.putCheckpoint(row.runKey, one)
      assert.deepEqual(await world.store.getCheckpoint(row.runKey, 'state'), snapshot('state', 30))
      assert.deepEqual(await world.store.getCheckpoint(row.runKey, 'state', 29), snapshot('state', 20))
      assert.deepEqual(await world.store.getCheckpoint(row.runKey, 'view'), snapshot('view', 20))
      assert.equal(await world.store.getCheckpoint(row.runKey, 'state', 9), undefined)
      await world.store.putCheckpoint(row.runKey, { ...snapshot('state', 30), body: 'again', rulesVersion: 2 })
      assert.equal((await world.store.getCheckpoint(row.runKey, 'state'))?.body, 'again')
      await world.store.putCheckpoint(999_999, snapshot('state', 1))
      assert.equal(await world.store.getCheckpoint(999_999, 'state'), undefined)
    },
  },
  {
    title:
      'of a run that has ended only a checkpoint of its last event is taken: a late one would bring back what was erased',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, [{ eventType: 'RunStarted' }, step('StepCompleted', 'a')])
      const ending = nextCommit(row, [{ eventType: 'RunCompleted' }], { summary: summary({ status: 'COMPLETED' }) })
      assert.equal((await commitOne(world.store, ending)).kind, 'committed')
      const late: StoredCheckpoint = { kind: 'view', seq: 2, rulesVersion: 1, body: '"personal"' }
      const seq = (await allEvents(world.store, row.runKey)).at(-1)?.runSeq ?? 0
      for (const kind of ['state', 'view'] as const) {
        await world.store.putCheckpoint(row.runKey, { ...late, kind })
        assert.equal(await world.store.getCheckpoint(row.runKey, kind), undefined)
        await world.store.putCheckpoint(row.runKey, { ...late, kind, seq })
        assert.equal((await world.store.getCheckpoint(row.runKey, kind))?.seq, seq)
      }
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
      assert.equal(await world.store.getCheckpoint(row.runKey, 'view', 2), undefined)
      assert.equal((await world.store.getCheckpoint(row.runKey, 'view'))?.body, '"kept"')
      assert.equal((await world.store.findInbox(row.runKey, 'signal:1'))?.body, '')
    },
  },
  {
    title: 'erasing up to the middle of a commit leaves the values of its neighbours as they were [P-34]',
    run: async (world) => {
      const valued = (slot: string) => ({ ...step('StepCompleted', slot), data: { result: `1,2:${slot} ü 😀` } })
      const row = await bootstrap(world, { runId: 'r1' }, [
        valued('a'),
        step('StepStarted', 'x'),
        valued('b'),
        valued('c'),
      ])
      const before = (await allEvents(world.store, row.runKey)).map(bytesOf)
      const without = { data: undefined, salt: undefined }
      for (const upTo of [1, 2, 3, 4]) {
        await world.store.eraseData(row.runKey, upTo)
        const expected = before.map((event) => (Number(event.runSeq) <= upTo ? { ...event, ...without } : event))
        assert.deepEqual((await allEvents(world.store, row.runKey)).map(bytesOf), expected)
      }
    },
  },
  {
    title: 'after an erasure a repeated inbox row is still recognised, and the log goes on',
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
