/**
 * Cases about archival of whole ended runs under a ticket, what is left of them, and the jump of epochs after a
 * restore.
 */
import assert from 'node:assert/strict'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { append, drain, seqs } from './feed-fixtures.ts'
import { newRun, summary } from './run-fixtures.ts'
import { openSeal, openWrite } from './sealed-events.ts'
import {
  allEvents,
  bootstrap,
  commitOne,
  creation,
  nextCommit,
  refusedWith,
  rowOf,
  START_MS,
  stateOf,
  step,
  type StoreCase,
  type World,
} from './store-case.ts'

/** An ended run with something of everything. */
async function endedRun(world: World, runId: string, endedAt = START_MS, tenantId = 'tenant-a'): Promise<RunRow> {
  const { store } = world
  const row = await bootstrap(world, { runId, tenantId, requestKey: `key-${runId}` })
  await store.insertInbox(row, { inboxId: 'signal:1', kind: 'signal', body: '{}' })
  await store.insertInbox(row, { inboxId: 'signal:2', kind: 'signal', body: '{}' })
  await store.putCheckpoint(row.runKey, { kind: 'state', seq: 1, rulesVersion: 1, body: '{}' })
  await store.claimAttempt(row.runKey, { slot: 'a', attempt: 1, claimant: 'w' })
  const end = nextCommit(row, [{ ...step('StepCompleted', 'a'), data: { result: 1 } }, { eventType: 'RunCompleted' }], {
    summary: summary({ status: 'COMPLETED', endedAt }),
    consumed: [{ inboxId: 'signal:1', seq: row.nextSeq }],
    context: [{ variable: 'v', seq: row.nextSeq, value: '1' }],
    blobs: [{ sha256: 'ab', text: 'large' }],
  })
  assert.equal((await commitOne(store, end)).kind, 'committed')
  return rowOf(store, row.runKey)
}

async function partsOf(store: RunStore, { runKey }: RunRow): Promise<readonly number[]> {
  const found = [await store.findInbox(runKey, 'signal:1'), await store.findInbox(runKey, 'signal:2')]
  return [
    (await allEvents(store, runKey)).length,
    (await store.readInbox(runKey)).length,
    found.filter((row) => row !== undefined).length,
    (await store.readContext(runKey, 99)).size,
    (await store.getBlob(runKey, 'ab')) === undefined ? 0 : 1,
    (await store.getCheckpoint(runKey, 'state')) === undefined ? 0 : 1,
    (await store.readClaims(runKey)).length,
  ]
}

const WHOLE = [3, 1, 2, 1, 1, 1, 1]
const NOTHING = [0, 0, 0, 0, 0, 0, 0]

export const ARCHIVE_CASES: readonly StoreCase[] = [
  {
    title:
      'a follower that has read all gets what comes after the newest run was archived: no position is used twice [P-50]',
    run: async (world) => {
      const { store } = world
      const old = await bootstrap(world, { runId: 'old' })
      const newest = await endedRun(world, 'newest')
      await drain(store)
      assert.equal(await store.archiveRun(newest.runKey, newest.headHash), 'archived')
      await append(world, old, 'b')
      const later = await bootstrap(world, { runId: 'later' })
      const expected = [
        ['old', (await seqs(store, old)).slice(-1)],
        ['later', await seqs(store, later)],
      ] as const
      assert.deepEqual(await drain(store), new Map<string, readonly number[]>(expected))
      assert.deepEqual(await store.faults(), [])
    },
  },
  {
    title: 'archival takes all of a run and leaves its row; other runs keep everything [STO-15]',
    run: async (world) => {
      const { store } = world
      const [one, two] = [await endedRun(world, 'r1'), await endedRun(world, 'r2')]
      assert.deepEqual(await partsOf(store, one), WHOLE)
      world.clock.advance(1000)
      assert.equal(await store.archiveRun(one.runKey, one.headHash), 'archived')
      assert.deepEqual([await partsOf(store, one), await partsOf(store, two)], [NOTHING, WHOLE])
      const { archivedAt, ...rest } = await rowOf(store, one.runKey)
      assert.deepEqual(rest, one)
      if (world.ownClock) assert.equal(typeof archivedAt, 'number')
      else assert.equal(archivedAt, START_MS + 1000)
      assert.deepEqual(await rowOf(store, two.runKey), two)
      assert.equal((await store.findRunByRequest('tenant-a', 'key-r1'))?.runId, 'r1')
      const reopened = await world.reopen()
      assert.deepEqual(await partsOf(reopened, one), NOTHING)
      assert.equal((await rowOf(reopened, one.runKey)).archivedAt, archivedAt)
    },
  },
  {
    title: 'only an ended run whose head is the ticket is archived, and a repeat says so again [STO-15]',
    run: async (world) => {
      const { store } = world
      const open = await bootstrap(world, { runId: 'open' })
      const ended = await endedRun(world, 'r1')
      const before = [await stateOf(store, open.runKey), await stateOf(store, ended.runKey)]
      assert.equal(await store.archiveRun(999_999, ended.headHash), 'no-run')
      assert.equal(await store.archiveRun(open.runKey, open.headHash), 'not-terminal')
      assert.equal(await store.archiveRun(ended.runKey, open.headHash), 'head-moved')
      assert.equal(await store.archiveRun(ended.runKey, new Uint8Array(0)), 'head-moved')
      assert.deepEqual([await stateOf(store, open.runKey), await stateOf(store, ended.runKey)], before)
      assert.deepEqual(await partsOf(store, ended), WHOLE)
      const late = nextCommit(ended, [{ eventType: 'RunForked' }], { summary: summary({ status: 'COMPLETED' }) })
      assert.equal((await commitOne(store, late)).kind, 'committed')
      assert.equal(await store.archiveRun(ended.runKey, ended.headHash), 'head-moved')
      const head = await rowOf(store, ended.runKey)
      assert.equal(await store.archiveRun(ended.runKey, head.headHash), 'archived')
      const archived = await rowOf(store, ended.runKey)
      world.clock.advance(1000)
      assert.equal(await store.archiveRun(ended.runKey, head.headHash), 'archived')
      assert.deepEqual(await rowOf(store, ended.runKey), archived)
    },
  },
  {
    title: 'nothing can be written to an archived run, and its ids stay taken',
    run: async (world) => {
      const { store } = world
      const [run, other] = [await endedRun(world, 'r1'), await bootstrap(world, { runId: 'r2' })]
      await store.archiveRun(run.runKey, run.headHash)
      const archived = await stateOf(store, run.runKey)
      const inboxRow = { inboxId: 'signal:9', kind: 'signal', body: '{}' }
      assert.deepEqual(await commitOne(store, nextCommit(run, [step('StepStarted', 'z')])), { kind: 'conflict' })
      assert.deepEqual(await commitOne(store, nextCommit(run, [])), { kind: 'conflict' })
      assert.deepEqual(await store.insertInbox(run, inboxRow), { kind: 'no-run' })
      const notify = nextCommit(other, [], { notify: [{ run, row: inboxRow }] })
      assert.equal((await commitOne(store, notify)).kind, 'committed')
      await refusedWith('RUN_NOT_FOUND', () =>
        store.appendOpen(run, [openWrite(run, step('StepStarted', 'z'))], openSeal(run)),
      )
      assert.equal(await store.claimAttempt(run.runKey, { slot: 'z', attempt: 1, claimant: 'w' }), false)
      assert.deepEqual(await stateOf(store, run.runKey), archived)
      assert.deepEqual(await partsOf(store, run), NOTHING)
      assert.deepEqual(await commitOne(store, creation(newRun({ runId: 'r1' }))), { kind: 'run-exists' })
      const requested = creation(newRun({ runId: 'r3', requestKey: 'key-r1' }))
      assert.deepEqual(await commitOne(store, requested), { kind: 'request-exists', runId: 'r1' })
    },
  },
  {
    title:
      'archivable are ended runs of all tenants that ended before an instant, oldest end first, until they are archived',
    run: async (world) => {
      const { store } = world
      const third = await endedRun(world, 'r3', 300)
      await endedRun(world, 'r1', 100, 'tenant-b')
      await endedRun(world, 'r2', 200)
      await endedRun(world, 'r4', 400)
      await bootstrap(world, { runId: 'open' })
      const ids = async (before: number, limit = 10) =>
        (await store.archivableRuns(before, limit)).map(({ runId }) => runId)
      assert.deepEqual(await ids(400), ['r1', 'r2', 'r3'])
      assert.deepEqual(await ids(401, 2), ['r1', 'r2'])
      assert.deepEqual(await ids(100), [])
      assert.deepEqual((await store.archivableRuns(401, 10))[2], third)
      await store.archiveRun(third.runKey, third.headHash)
      assert.deepEqual(await ids(401), ['r1', 'r2', 'r4'])
    },
  },
  {
    title: 'an archived run is still listed and counted [P-41]',
    run: async (world) => {
      const { store } = world
      const run = await endedRun(world, 'r1')
      await endedRun(world, 'r2')
      await store.archiveRun(run.runKey, run.headHash)
      assert.equal((await store.countRuns('tenant-a')).get('COMPLETED'), 2)
      assert.equal((await store.listRuns('tenant-a', {}, { limit: 10 })).runs.length, 2)
      const listed = (await store.listRuns('tenant-a', {}, { limit: 10 })).runs.find(({ runId }) => runId === 'r1')
      assert.deepEqual(listed, await rowOf(store, run.runKey))
    },
  },
  {
    title: 'what a feed still had of an archived run goes with it, and the others come on',
    run: async (world) => {
      const { store } = world
      const runs = [await endedRun(world, 'r1'), await endedRun(world, 'r2'), await endedRun(world, 'r3')] as const
      const [dead, blocked, behind] = runs
      const other = await bootstrap(world, { runId: 'other' })
      const page = await store.readFeed('s', { now: 1, limit: 100 })
      const at = ({ runKey }: RunRow) => ({ runKey, runSeq: 1 })
      await store.settleFeed('s', {
        position: page.position,
        deliveries: [
          { ...at(dead), result: 'dead', error: 'x' },
          { ...at(blocked), result: 'failed', retryAt: 5, error: 'x' },
        ],
      })
      for (const { runKey, headHash } of [dead, blocked, behind]) await store.archiveRun(runKey, headHash)
      const left = (await store.readFeed('s', { now: 9, limit: 100 })).items
      assert.deepEqual(
        left.map(({ runKey }) => runKey),
        [other.runKey],
      )
      const { runsBehind, runsBlocked, deadLetters } = await store.feedStatus('s')
      assert.deepEqual([runsBehind, runsBlocked, deadLetters], [1, 0, 0])
      assert.deepEqual(await store.readDeadLetters('s', 10), [])
      assert.equal((await store.readFeed('new', { now: 9, limit: 100 })).items.length, 1)
    },
  },
  {
    title: 'what an archived run still held or waited for is free, and offered on',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: 'p', capacity: 1 })
      const request = { slot: 'a', attempt: 1, wants: { p: 1 }, priority: 0 }
      const ended = summary({ status: 'FAILED', endedAt: 1 })
      const run = await bootstrap(world, { runId: 'r1' }, undefined, {
        summary: ended,
        claims: [request],
        waits: [{ ...request, slot: 'b' }],
      })
      const waiter = await bootstrap(world, { runId: 'r2' }, undefined, { waits: [request] })
      assert.equal(await store.archiveRun(run.runKey, run.headHash), 'archived')
      assert.deepEqual(await store.readGrants(run.runKey), { held: [], waits: [] })
      assert.deepEqual(
        (await store.readInbox(waiter.runKey)).map(({ inboxId }) => inboxId),
        ['grant:a:1:1'],
      )
      assert.deepEqual(await store.listPools(), [{ pool: 'p', capacity: 1, used: 0, waiting: 1 }])
    },
  },
  {
    title: 'after a restore every run that has not ended is one epoch further and nobody leases it',
    run: async (world) => {
      const { store } = world
      const ended = await endedRun(world, 'ended')
      const open = await bootstrap(world, { runId: 'open' }, undefined, { lease: { owner: 'me', until: 9e12 } })
      const paused = await bootstrap(world, { runId: 'paused' }, [], { summary: summary({ status: 'PAUSED' }) })
      await store.quarantine(paused.runKey, 'RUN_QUARANTINED')
      assert.equal(await store.raiseEpochs(), 2)
      const { lease, ...unleased } = open
      assert.equal(lease?.owner, 'me')
      assert.deepEqual(await rowOf(store, open.runKey), { ...unleased, epoch: 2 })
      assert.equal((await rowOf(store, paused.runKey)).epoch, 2)
      assert.deepEqual(await rowOf(store, ended.runKey), ended)
      assert.deepEqual(await commitOne(store, nextCommit(open, [])), { kind: 'conflict' })
      const adopted = nextCommit(await rowOf(store, open.runKey), [step('StepStarted', 'a')])
      assert.equal((await commitOne(store, adopted)).kind, 'committed')
      assert.equal(await store.raiseEpochs(), 2)
      assert.equal((await rowOf(store, open.runKey)).epoch, 3)
    },
  },
]
