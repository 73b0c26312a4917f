/** Cases about the commit: compare and set, atomic per run, what is stored with it. */
import assert from 'node:assert/strict'
import {
  allEvents,
  bootstrap,
  bytesOf,
  commitOne,
  creation,
  nextCommit,
  rowOf,
  stateOf,
  step,
  type StoreCase,
} from './store-case.ts'
import { newRun, summary } from './run-fixtures.ts'

export const COMMIT_CASES: readonly StoreCase[] = [
  {
    title: 'a run, its first events and what belongs to them are stored by one commit',
    run: async (world) => {
      const run = newRun({
        runId: 'r1',
        requestKey: 'aa',
        originalRunId: 'r0',
        triggeredBy: 'mia',
        parent: { runId: 'p', slot: 'a[1]', attempt: 2 },
      })
      const specs = [{ eventType: 'RunApproved' }, { eventType: 'RunStarted' }]
      const whole = summary({
        status: 'PAUSED',
        substatus: 'DRAINING',
        nextWakeAt: 5,
        startedAt: 1,
        endedAt: 2,
        errorCode: 'X',
      })
      const commit = creation(run, specs, {
        summary: whole,
        context: [{ variable: 'v', seq: 1, value: '1' }],
        blobs: [{ sha256: 'ab', text: 'large' }],
        lease: { owner: 'me', until: 77 },
      })
      const result = await commitOne(world.store, commit)
      assert.ok(result.kind === 'committed')
      const { runKey, headHash, nextSeq, createdAt, updatedAt, ...rest } = await rowOf(world.store, result.runKey)
      assert.deepEqual(rest, { ...run, ...whole, epoch: 1, lease: { owner: 'me', until: 77 } })
      assert.ok(nextSeq >= 3)
      assert.equal(createdAt, updatedAt)
      assert.deepEqual(Buffer.from(headHash), Buffer.from(commit.events[1]?.chainHash ?? []))
      assert.deepEqual((await allEvents(world.store, runKey)).map(bytesOf), commit.events.map(bytesOf))
      assert.equal((await world.store.readContext(runKey, 2)).get('v'), '1')
      assert.equal(await world.store.getBlob(runKey, 'ab'), 'large')
    },
  },
  {
    title: 'a second bootstrap of a run is refused and changes nothing; another tenant has that id to itself',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1', requestKey: 'aa' })
      const before = await stateOf(world.store, row.runKey)
      world.clock.advance(1000)
      const again = creation(newRun({ runId: 'r1', requestKey: 'aa', planId: 'other' }), [step('StepStarted', 'x')])
      assert.deepEqual(await commitOne(world.store, again), { kind: 'run-exists' })
      const foreign = creation(newRun({ runId: 'r1', tenantId: 'tenant-b' }))
      const other = await commitOne(world.store, foreign)
      assert.ok(other.kind === 'committed' && other.runKey !== row.runKey)
      assert.equal((await world.store.findRun({ tenantId: 'tenant-b', runId: 'r1' }))?.runKey, other.runKey)
      assert.equal((await world.store.findRun({ tenantId: 'tenant-a', runId: 'r1' }))?.runKey, row.runKey)
      const inboxRow = { inboxId: 'i', kind: 'signal', body: '{}' } as const
      assert.deepEqual(await world.store.insertInbox({ tenantId: 'tenant-b', runId: 'r1' }, inboxRow), {
        kind: 'inserted',
      })
      assert.deepEqual(await world.store.readInbox(row.runKey), [])
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: 'a request key makes one run per tenant and is answered with that run',
    run: async (world) => {
      await bootstrap(world, { runId: 'r1', requestKey: 'aa' })
      const again = creation(newRun({ runId: 'r2', requestKey: 'aa' }))
      assert.deepEqual(await commitOne(world.store, again), { kind: 'request-exists', runId: 'r1' })
      assert.equal(await world.store.findRun({ tenantId: 'tenant-a', runId: 'r2' }), undefined)
      await bootstrap(world, { runId: 'r3', requestKey: 'aa', tenantId: 'tenant-b' })
    },
  },
  {
    title: 'of two commits decided on the same head the second is a conflict and leaves no trace',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const [first, second] = [nextCommit(row, [step('StepStarted', 'a')]), nextCommit(row, [step('StepStarted', 'b')])]
      assert.equal((await commitOne(world.store, first)).kind, 'committed')
      const before = await stateOf(world.store, row.runKey)
      assert.deepEqual(await commitOne(world.store, second), { kind: 'conflict' })
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
      assert.deepEqual(await commitOne(world.store, { ...second, runKey: 999_999 }), { kind: 'conflict' })
    },
  },
  {
    title: 'an adoption without events raises the epoch, and whoever holds the old one is refused',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const adoption = nextCommit(row, [], { newEpoch: 2 })
      assert.equal((await commitOne(world.store, adoption)).kind, 'committed')
      const adopted = await rowOf(world.store, row.runKey)
      assert.equal(adopted.epoch, 2)
      assert.equal(adopted.nextSeq, row.nextSeq)
      assert.deepEqual(Buffer.from(adopted.headHash), Buffer.from(row.headHash))
      const stale = nextCommit(row, [step('StepStarted', 'a')])
      assert.deepEqual(await commitOne(world.store, stale), { kind: 'conflict' })
      const current = nextCommit(adopted, [step('StepStarted', 'a')])
      assert.equal((await commitOne(world.store, current)).kind, 'committed')
      assert.equal((await rowOf(world.store, row.runKey)).epoch, 2)
    },
  },
  {
    title: 'a run that loses or breaks a constraint leaves the others of its batch standing',
    run: async (world) => {
      const rows = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      const [one, two] = rows as [(typeof rows)[0] & object, (typeof rows)[0] & object]
      const third = await bootstrap(world, { runId: 'r3' })
      const before = [await stateOf(world.store, one.runKey), await stateOf(world.store, third.runKey)]
      const results = await world.store.commit([
        nextCommit(one, [step('StepStarted', 'a'), { eventType: 'RunStarted' }], {
          context: [{ variable: 'v', seq: one.nextSeq, value: '1' }],
          notify: [{ run: third, row: { inboxId: 'child:r1', kind: 'child', body: '{}' } }],
        }),
        nextCommit(two, [step('StepStarted', 'a')]),
        { ...nextCommit(third, [step('StepStarted', 'a')]), expected: { epoch: 1, nextSeq: 99 } },
        creation(newRun({ runId: 'r4' })),
        creation(newRun({ runId: 'r2' })),
      ])
      assert.deepEqual(
        results.map(({ kind }) => kind),
        ['constraint', 'committed', 'conflict', 'committed', 'run-exists'],
      )
      assert.deepEqual([await stateOf(world.store, one.runKey), await stateOf(world.store, third.runKey)], before)
      assert.equal((await world.store.readContext(one.runKey, 99)).size, 0)
      assert.equal((await allEvents(world.store, two.runKey)).length, 2)
      assert.notEqual(await world.store.findRun({ tenantId: 'tenant-a', runId: 'r4' }), undefined)
    },
  },
  {
    title: 'a run may stand twice in one batch, the second time on what the first left',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const first = nextCommit(row, [step('StepStarted', 'a')], { newEpoch: 2 })
      const stale = nextCommit(row, [step('StepStarted', 'b')])
      const results = await world.store.commit([first, stale])
      assert.deepEqual(
        results.map(({ kind }) => kind),
        ['committed', 'conflict'],
      )
    },
  },
  {
    title: 'a summary replaces the one before, also where it no longer says anything',
    run: async (world) => {
      const full = summary({
        substatus: 'RETRYING',
        nextWakeAt: 9,
        startedAt: 1,
        endedAt: 2,
        errorCode: 'X',
        owed: true,
        stepsDone: 3,
      })
      const row = await bootstrap(world, { runId: 'r1' }, [], { summary: full })
      world.clock.advance(10)
      assert.equal((await commitOne(world.store, nextCommit(row, [], { summary: summary() }))).kind, 'committed')
      const after = await rowOf(world.store, row.runKey)
      assert.deepEqual({ ...after, ...full, updatedAt: row.updatedAt }, row)
      for (const field of ['substatus', 'nextWakeAt', 'startedAt', 'endedAt', 'owed', 'errorCode'])
        assert.ok(!(field in after))
    },
  },
  {
    title: 'what was committed is there when the store is opened again',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      const before = await stateOf(world.store, row.runKey)
      assert.deepEqual(await stateOf(await world.reopen(), row.runKey), before)
    },
  },
]
