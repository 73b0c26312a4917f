/**
 * Cases about runs of outside engines: the commit that moves a run there, and who finds runs that should have moved.
 */
import assert from 'node:assert/strict'
import type { RunCommit, RunRow } from '../../ports/run-store.ts'
import { does, free, inboxRows, want } from './grant-fixtures.ts'
import { newRun, summary } from './run-fixtures.ts'
import { bootstrap, commitOne, creation, nextCommit, rowOf, stateOf, step } from './store-case.ts'
import type { StoreCase, World } from './store-case.ts'

const NOW = 10_000
const TEMPORAL = { engineType: 'temporal', engineRunRef: 'temporal://ns/wf/r1/e1' }

async function outside(world: World, runId: string, change: Parameters<typeof summary>[0] = {}, engine = 'temporal') {
  const run = { runId, engineType: engine, engineRunRef: `${engine}://${runId}` }
  return bootstrap(world, run, [], { summary: summary(change) })
}

async function stalled(world: World, now: number, forMs: number, limit = 100): Promise<readonly string[]> {
  return (await world.store.stalledRuns('temporal', { now, forMs }, limit)).map(({ runId }) => runId)
}

async function due(world: World, now = NOW): Promise<readonly string[]> {
  return (await world.store.dueRuns(now, 'me', 100)).map(({ runId }) => runId)
}

async function refOf(world: World, engineRunRef: string, tenantId = 'tenant-a'): Promise<string | undefined> {
  return (await world.store.findRunByEngineRef(tenantId, engineRunRef))?.runId
}

/** When the oldest inbox row of a run was inserted, by the store's own time. */
async function inboxRowAt(world: World, { runKey }: RunRow): Promise<number> {
  return (await world.store.readInbox(runKey))[0]?.insertedAt ?? assert.fail('there is no inbox row')
}

const put = (world: World, run: RunRow, inboxId: string) =>
  world.store.insertInbox(run, { inboxId, kind: 'signal', body: '{}' })

/** Ways for a run to lose its commit, each against its current row. */
function losing(row: RunRow): readonly RunCommit[] {
  const engine = TEMPORAL
  const fits = nextCommit(row, [step('StepStarted', 'a')], { engine, newEpoch: row.epoch + 1 })
  return [
    { ...fits, expected: { ...fits.expected, epoch: row.epoch + 1 } },
    { ...fits, expected: { ...fits.expected, nextSeq: row.nextSeq + 1 } },
    nextCommit(row, [step('StepStarted', 'a'), { eventType: 'RunStarted' }], { engine }),
    { ...fits, consumed: [{ inboxId: 'never came', seq: row.nextSeq }] },
    { ...fits, claims: [want('a', { scarce: 1 })] },
  ]
}

export const ENGINE_CASES: readonly StoreCase[] = [
  {
    title: 'a commit moves a run to another engine together with all else it writes, and the run is found there [P-08]',
    run: async (world) => {
      const { store } = world
      const row = await bootstrap(world, { runId: 'r1' })
      await bootstrap(world, { runId: 'r2' })
      const moving = nextCommit(row, [step('StepStarted', 'a')], { engine: TEMPORAL, newEpoch: 2 })
      assert.equal((await commitOne(store, moving)).kind, 'committed')
      const { engineType, engineRunRef, ...moved } = await rowOf(store, row.runKey)
      assert.deepEqual({ engineType, engineRunRef }, TEMPORAL)
      assert.deepEqual([moved.epoch, moved.nextSeq > row.nextSeq], [2, true])
      assert.equal(await refOf(world, TEMPORAL.engineRunRef), 'r1')
      assert.equal(await refOf(world, TEMPORAL.engineRunRef, 'tenant-b'), undefined)
      assert.equal(await refOf(world, row.engineRunRef), undefined)
      assert.equal(await refOf(world, 'embedded://r2'), 'r2')
    },
  },
  {
    title:
      'the commit that moves a run may leave it an inbox row of its own, take the inbox rows before it, and end a lease',
    run: async (world) => {
      const { store } = world
      const row = await bootstrap(world, { runId: 'r1' })
      await put(world, row, 'signal:1')
      assert.notEqual(await store.acquireLease(row.runKey, 'old driver', NOW, NOW + 60_000), undefined)
      const moving = nextCommit(row, [step('StepStarted', 'a')], {
        engine: TEMPORAL,
        newEpoch: 2,
        lease: { owner: 'mover', until: 0 },
        consumed: [{ inboxId: 'signal:1', seq: row.nextSeq }],
        notify: [{ run: row, row: { inboxId: 'handoff:2', kind: 'wake', body: '{}' } }],
      })
      assert.equal((await commitOne(store, moving)).kind, 'committed')
      assert.deepEqual(
        (await store.readInbox(row.runKey)).map(({ inboxId }) => inboxId),
        ['handoff:2'],
      )
      assert.deepEqual(await stalled(world, (await inboxRowAt(world, row)) + 1_000, 1_000), ['r1'])
      assert.notEqual(await store.acquireLease(row.runKey, 'caretaker', NOW, NOW + 1_000), undefined)
    },
  },
  {
    title: 'the engine of a run stays through commits that name none, and is there after reopening',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await does(world, row, { engine: TEMPORAL })
      await does(world, row, { newEpoch: 2 })
      const store = await world.reopen()
      const { engineType, engineRunRef } = await rowOf(store, row.runKey)
      assert.deepEqual({ engineType, engineRunRef }, TEMPORAL)
      assert.equal((await store.findRunByEngineRef('tenant-a', TEMPORAL.engineRunRef))?.runId, 'r1')
    },
  },
  {
    title: 'a new run is on the engine that its first commit names',
    run: async (world) => {
      const first = creation(newRun({ runId: 'r1' }), [{ eventType: 'RunStarted' }], { engine: TEMPORAL })
      assert.equal((await commitOne(world.store, first)).kind, 'committed')
      assert.equal(await refOf(world, TEMPORAL.engineRunRef), 'r1')
      assert.equal(await refOf(world, 'embedded://r1'), undefined)
    },
  },
  {
    title: 'a run whose commit is refused stays on its engine, alone or in a batch whose others move [P-08, P-09]',
    run: async (world) => {
      const { store } = world
      await store.putPool({ pool: 'scarce', capacity: 1 })
      await does(world, await bootstrap(world, { runId: 'holder' }), { claims: [want('x', { scarce: 1 })] })
      const row = await bootstrap(world, { runId: 'r1' })
      const before = await stateOf(store, row.runKey)
      const kinds = ['conflict', 'conflict', 'constraint', 'constraint', 'ungranted']
      for (const [index, refused] of losing(row).entries()) {
        assert.equal((await commitOne(store, refused)).kind, kinds[index])
        const other = await bootstrap(world, { runId: `other-${index}` })
        const still = await bootstrap(world, { runId: `still-${index}` })
        const engine = { engineType: 'conductor', engineRunRef: `conductor://other-${index}` }
        const batch = [refused, nextCommit(other, [], { engine }), nextCommit(still, [step('StepStarted', 'a')])]
        const results = await store.commit(batch)
        assert.deepEqual(
          results.map(({ kind }) => kind),
          [kinds[index], 'committed', 'committed'],
        )
        assert.deepEqual(await stateOf(store, row.runKey), before)
        assert.equal(await refOf(world, engine.engineRunRef), other.runId)
        assert.equal((await rowOf(store, still.runKey)).engineType, 'embedded')
      }
      assert.equal(await refOf(world, TEMPORAL.engineRunRef), undefined)
    },
  },
  {
    title: 'runs of outside engines are never due, whatever waits for them, until they are handed back',
    run: async (world) => {
      for (const engine of ['temporal', 'conductor']) {
        await outside(world, `late-${engine}`, { nextWakeAt: 5 }, engine)
        await outside(world, `owed-${engine}`, { owed: true }, engine)
        const left = await outside(world, `left-${engine}`, { owed: true }, engine)
        await world.store.acquireLease(left.runKey, 'gone', 0, 1)
        await put(world, await outside(world, `written-${engine}`, {}, engine), 'a')
      }
      await outside(world, 'mocked', { nextWakeAt: 6 }, 'mock')
      const row = await outside(world, 'r1', { nextWakeAt: 7 }, 'embedded')
      assert.deepEqual(await due(world), ['mocked', 'r1'])
      const change = { summary: summary({ nextWakeAt: 7 }) }
      await does(world, row, { ...change, engine: TEMPORAL })
      assert.deepEqual(await due(world), ['mocked'])
      await does(world, row, { ...change, engine: { engineType: 'embedded', engineRunRef: 'embedded://r1' } })
      assert.deepEqual(await due(world), ['mocked', 'r1'])
    },
  },
  {
    title: 'an offer to a run of an outside engine makes it stalled after a while, never due [P-38]',
    run: async (world) => {
      await world.store.putPool({ pool: 'p', capacity: 1 })
      const holder = await bootstrap(world, { runId: 'holder' })
      await does(world, holder, { claims: [want('x', { p: 1 })] })
      const waiter = await outside(world, 'waiter')
      await does(world, waiter, { waits: [want('y', { p: 1 })] })
      await does(world, holder, { releases: [free('x')] })
      assert.equal((await inboxRows(world, waiter)).length, 1)
      const since = await inboxRowAt(world, waiter)
      assert.deepEqual(await due(world, since + NOW), [])
      assert.deepEqual(await stalled(world, since + 99, 100), [])
      assert.deepEqual(await stalled(world, since + 100, 100), ['waiter'])
    },
  },
  {
    title:
      'stalled are runs of that engine whose time came long enough ago, earliest first, as many as asked for [P-38]',
    run: async (world) => {
      await outside(world, 'at', { nextWakeAt: NOW - 100 })
      await outside(world, 'fresh', { nextWakeAt: NOW - 99 })
      await outside(world, 'early', { nextWakeAt: 5 })
      await outside(world, 'later', { nextWakeAt: NOW + 1 })
      await outside(world, 'paused', { nextWakeAt: 6, status: 'PAUSED' })
      await outside(world, 'twin', { nextWakeAt: 6 })
      await outside(world, 'quiet', { owed: true })
      const held = await outside(world, 'held', { nextWakeAt: 7 })
      await world.store.acquireLease(held.runKey, 'you', 0, NOW * 2)
      for (const status of ['COMPLETED', 'FAILED', 'CANCELLED'] as const)
        await outside(world, status, { nextWakeAt: 1, status })
      const bad = await outside(world, 'bad', { nextWakeAt: 1 })
      await world.store.quarantine(bad.runKey, 'RUN_QUARANTINED')
      for (const engine of ['conductor', 'embedded']) await outside(world, engine, { nextWakeAt: 1 }, engine)
      assert.deepEqual(await stalled(world, NOW, 100), ['early', 'paused', 'twin', 'held', 'at'])
      assert.deepEqual(await stalled(world, NOW, 99), ['early', 'paused', 'twin', 'held', 'at', 'fresh'])
      assert.deepEqual(await stalled(world, NOW, 100, 2), ['early', 'paused'])
      assert.deepEqual(await stalled(world, NOW, NOW), [])
      const [foreign, ...more] = await world.store.stalledRuns('conductor', { now: NOW, forMs: 100 }, 10)
      assert.deepEqual([foreign?.runId, more], ['conductor', []])
    },
  },
  {
    title: 'stalled are also runs whose oldest inbox row waits long enough, each once, until all are consumed [P-38]',
    run: async (world) => {
      const row = await outside(world, 'r1')
      await put(world, row, 'a')
      world.clock.advance(50)
      await put(world, row, 'b')
      const since = await inboxRowAt(world, row)
      await outside(world, 'before', { nextWakeAt: since - 1 })
      await outside(world, 'after', { nextWakeAt: since + 1 })
      const both = await outside(world, 'both', { nextWakeAt: since - 2 })
      await put(world, both, 'a')
      await put(world, await outside(world, 'ended', { status: 'FAILED' }), 'a')
      await put(world, await outside(world, 'foreign', {}, 'conductor'), 'a')
      assert.deepEqual(await stalled(world, since + 99, 100), ['both', 'before'])
      assert.deepEqual(await stalled(world, since + 100, 100), ['both', 'before', 'r1'])
      assert.deepEqual(await stalled(world, since + NOW, 100), ['both', 'before', 'r1', 'after'])
      assert.deepEqual(await stalled(world, since + NOW, 100, 3), ['both', 'before', 'r1'])
      await does(world, row, { consumed: [{ inboxId: 'a', seq: row.nextSeq }] })
      assert.ok((await stalled(world, since + NOW, 100)).includes('r1'))
      await does(world, row, { consumed: [{ inboxId: 'b', seq: row.nextSeq }] })
      assert.deepEqual(await stalled(world, since + NOW, 100), ['both', 'before', 'after'])
    },
  },
]
