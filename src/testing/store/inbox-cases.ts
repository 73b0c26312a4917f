/** Cases about the inbox (P-21): known rows are recognised, only a commit consumes, and it does so once. */
import assert from 'node:assert/strict'
import type { InboxInsert } from '../../ports/run-store.ts'
import { bootstrap, commitOne, creation, nextCommit, rowOf, stateOf, step, type StoreCase } from './store-case.ts'
import { newRun } from './run-fixtures.ts'

const inboxRow = (inboxId: string, body = '{}'): InboxInsert => ({ inboxId, kind: 'signal', body })

export const INBOX_CASES: readonly StoreCase[] = [
  {
    title: 'an inbox row is inserted once; the same again is a duplicate, another body a conflict',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const insertedAt = world.clock.now()
      assert.deepEqual(await world.store.insertInbox(row, inboxRow('signal:1', '{"a":1}')), { kind: 'inserted' })
      world.clock.advance(1000)
      const stored = await world.store.findInbox(row.runKey, 'signal:1')
      assert.ok(stored !== undefined)
      if (!world.ownClock) assert.equal(stored.insertedAt, insertedAt)
      assert.deepEqual({ ...stored, insertedAt: 0 }, { ...inboxRow('signal:1', '{"a":1}'), insertedAt: 0 })
      const again = await world.store.insertInbox(row, inboxRow('signal:1', '{"a":1}'))
      assert.deepEqual(again, { kind: 'duplicate', row: stored })
      const other = await world.store.insertInbox(row, inboxRow('signal:1', '{"a":2}'))
      assert.deepEqual(other, { kind: 'conflict', row: stored })
      assert.deepEqual(await world.store.readInbox(row.runKey), [stored])
    },
  },
  {
    title: 'inbox rows are read in the order of their insertion, each run its own',
    run: async (world) => {
      const [one, two] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      for (const id of ['z', 'a', 'm']) {
        await world.store.insertInbox(one, inboxRow(id))
        await world.store.insertInbox(two, inboxRow(`${id}2`))
        world.clock.advance(-10)
      }
      const ids = async (runKey: number) => (await world.store.readInbox(runKey)).map(({ inboxId }) => inboxId)
      assert.deepEqual(await ids(one.runKey), ['z', 'a', 'm'])
      assert.deepEqual(await ids(two.runKey), ['z2', 'a2', 'm2'])
      assert.equal(await world.store.findInbox(two.runKey, 'z'), undefined)
    },
  },
  {
    title: 'an inbox row to no run, or to a run of another tenant, is answered no-run',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      assert.deepEqual(await world.store.insertInbox({ ...row, runId: 'r2' }, inboxRow('a')), { kind: 'no-run' })
      assert.deepEqual(await world.store.insertInbox({ ...row, tenantId: 'tenant-b' }, inboxRow('a')), {
        kind: 'no-run',
      })
      assert.deepEqual(await world.store.readInbox(row.runKey), [])
    },
  },
  {
    title: 'a commit consumes what it names, a refused one consumes nothing, and the inbox row stays known',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      for (const id of ['a', 'b', 'c']) await world.store.insertInbox(row, inboxRow(id))
      const consumed = [
        { inboxId: 'a', seq: row.nextSeq },
        { inboxId: 'b', seq: row.nextSeq },
      ]
      const broken = nextCommit(row, [{ eventType: 'RunStarted' }], { consumed })
      assert.equal((await commitOne(world.store, broken)).kind, 'constraint')
      assert.equal((await world.store.readInbox(row.runKey)).length, 3)
      const commit = nextCommit(row, [step('StepStarted', 'x')], { consumed })
      assert.equal((await commitOne(world.store, commit)).kind, 'committed')
      assert.deepEqual(
        (await world.store.readInbox(row.runKey)).map(({ inboxId }) => inboxId),
        ['c'],
      )
      const again = await world.store.insertInbox(row, inboxRow('a'))
      assert.ok(again.kind === 'duplicate')
      assert.equal(again.row.consumedSeq, row.nextSeq)
    },
  },
  {
    title: 'an inbox row is consumed once, even by commits without events; one that never came is a broken constraint',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await world.store.insertInbox(row, inboxRow('a'))
      const consumed = [{ inboxId: 'a', seq: row.nextSeq }]
      assert.equal((await commitOne(world.store, nextCommit(row, [], { consumed }))).kind, 'committed')
      const before = await stateOf(world.store, row.runKey)
      const again = nextCommit(row, [step('StepStarted', 'x')], { consumed })
      assert.deepEqual(await commitOne(world.store, again), { kind: 'conflict' })
      const unknown = nextCommit(row, [], { consumed: [{ inboxId: 'zz', seq: row.nextSeq }] })
      assert.deepEqual(await commitOne(world.store, unknown), { kind: 'constraint', detail: 'inboxId' })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: "a child's end reaches its parent's inbox in the child's own commit",
    run: async (world) => {
      const parent = await bootstrap(world, { runId: 'parent' })
      const child = await bootstrap(world, { runId: 'child' })
      const row = { inboxId: 'child:child', kind: 'child', body: '{"status":"COMPLETED"}' }
      const end = nextCommit(child, [{ eventType: 'RunCompleted' }], {
        notify: [
          { run: parent, row },
          { run: { ...parent, runId: 'nobody' }, row },
          { run: { ...parent, tenantId: 'tenant-b' }, row },
        ],
      })
      const lost = { ...end, expected: { epoch: 9, nextSeq: 9 } }
      assert.deepEqual(await commitOne(world.store, lost), { kind: 'conflict' })
      assert.deepEqual(await world.store.readInbox(parent.runKey), [])
      assert.equal((await commitOne(world.store, end)).kind, 'committed')
      const [arrived] = await world.store.readInbox(parent.runKey)
      assert.deepEqual({ ...arrived, insertedAt: 0 }, { ...row, insertedAt: 0 })
      const head = await rowOf(world.store, child.runKey)
      const other = nextCommit(head, [step('StepStarted', 'x')], {
        notify: [{ run: parent, row: { ...row, body: '{}' } }],
      })
      assert.equal((await commitOne(world.store, other)).kind, 'committed')
      assert.deepEqual(await world.store.readInbox(parent.runKey), [arrived])
    },
  },
  {
    title: 'a run created in the same batch can be written to',
    run: async (world) => {
      const row = { inboxId: 'child:x', kind: 'child', body: '{}' }
      const results = await world.store.commit([
        creation(newRun({ runId: 'parent' })),
        creation(newRun({ runId: 'child' }), undefined, {
          notify: [{ run: { tenantId: 'tenant-a', runId: 'parent' }, row }],
        }),
      ])
      const [parent] = results
      assert.ok(parent?.kind === 'committed')
      assert.equal((await world.store.readInbox(parent.runKey)).length, 1)
    },
  },
]
