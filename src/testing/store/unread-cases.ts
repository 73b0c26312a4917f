/**
 * Cases about turns that are decided without a look into the inbox or at pauses (P-53): their commit finds what was not read, writes
 * nothing then, and hands it back.
 */
import assert from 'node:assert/strict'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { ScopePause } from '../../ports/scope-pauses.ts'
import { newRun } from './run-fixtures.ts'
import {
  allEvents,
  bootstrap,
  commitOne,
  creation,
  nextCommit,
  rowOf,
  stateOf,
  step,
  type StoreCase,
} from './store-case.ts'

const UNREAD = { unread: true } as const
const LETTER = { inboxId: 'signal:1', kind: 'signal', body: '{"a":1}' }

/** The answer to a turn of the run that has read nothing. */
async function unreadTurn(store: RunStore, row: RunRow) {
  return commitOne(store, nextCommit(row, [step('StepCompleted', 'a')], UNREAD))
}

function pause(scope: string, tenantId?: string): ScopePause {
  const pauseId = `${scope} of ${tenantId ?? 'all'}`
  return { pauseId, scope, active: true, ...(tenantId === undefined ? {} : { tenantId }) }
}

export const UNREAD_CASES: readonly StoreCase[] = [
  {
    title: 'a turn that read nothing is committed when nobody wrote and nothing is paused [P-53]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' }, undefined, UNREAD)
      assert.equal((await unreadTurn(world.store, row)).kind, 'committed')
      assert.equal((await allEvents(world.store, row.runKey)).length, 2)
    },
  },
  {
    title: 'an inbox row that came before refuses the turn, is handed back, and nothing is written [P-53, P-21]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await world.store.insertInbox(row, LETTER)
      await world.store.insertInbox(row, { ...LETTER, inboxId: 'signal:0' })
      const before = await stateOf(world.store, row.runKey)
      const inboxRows = await world.store.readInbox(row.runKey)
      assert.deepEqual(await unreadTurn(world.store, row), { kind: 'unread', inboxRows, pauses: [] })
      assert.deepEqual(
        inboxRows.map(({ inboxId }) => inboxId),
        ['signal:1', 'signal:0'],
      )
      assert.deepEqual(await stateOf(world.store, row.runKey), before)
    },
  },
  {
    title: 'a row that was consumed is not unread, one of another run neither [P-53]',
    run: async (world) => {
      const [row, other] = [await bootstrap(world, { runId: 'r1' }), await bootstrap(world, { runId: 'r2' })]
      await world.store.insertInbox(row, LETTER)
      await world.store.insertInbox(other, LETTER)
      const consumed = [{ inboxId: LETTER.inboxId, seq: row.nextSeq }]
      assert.equal((await commitOne(world.store, nextCommit(row, [], { consumed }))).kind, 'committed')
      const later = await rowOf(world.store, row.runKey)
      assert.equal((await unreadTurn(world.store, later)).kind, 'committed')
    },
  },
  {
    title: 'a lost turn is told that it lost, whatever is in its inbox [P-53, P-08]',
    run: async (world) => {
      const row = await bootstrap(world, { runId: 'r1' })
      await world.store.insertInbox(row, LETTER)
      assert.equal((await commitOne(world.store, nextCommit(row, [step('StepStarted', 'a')]))).kind, 'committed')
      assert.deepEqual(await unreadTurn(world.store, row), { kind: 'conflict' })
      assert.deepEqual(await unreadTurn(world.store, { ...row, epoch: 2 }), { kind: 'conflict' })
    },
  },
  {
    title: 'an active pause that covers the run refuses the turn, and a new run, with the pauses [P-53, P-23]',
    run: async (world) => {
      const { store } = world
      const row = await bootstrap(world, { runId: 'r1', planId: 'x' })
      const { tenantId } = row
      for (const found of [pause('plan:x', tenantId), pause('tenant', tenantId), pause('fleet')]) {
        await store.putScopePause(found)
        const pauses = await store.readScopePauses(tenantId)
        assert.deepEqual(await unreadTurn(store, row), { kind: 'unread', inboxRows: [], pauses })
        const born = creation(newRun({ runId: 'r2', tenantId, planId: 'x' }), undefined, UNREAD)
        assert.deepEqual(await commitOne(store, born), { kind: 'unread', inboxRows: [], pauses })
        assert.equal(await store.findRun({ tenantId, runId: 'r2' }), undefined)
        await store.putScopePause({ ...found, active: false })
      }
      assert.equal((await unreadTurn(store, row)).kind, 'committed')
    },
  },
  {
    title: 'pauses of other plans and tenants do not refuse a turn [P-53, P-23]',
    run: async (world) => {
      const { store } = world
      const row = await bootstrap(world, { runId: 'r1', planId: 'x' })
      for (const found of [pause('plan:y', row.tenantId), pause('plan:x', 'tenant-b'), pause('tenant', 'tenant-b')])
        await store.putScopePause(found)
      assert.equal((await unreadTurn(store, row)).kind, 'committed')
    },
  },
  {
    title: 'the other runs of a batch are written [P-53, P-09]',
    run: async (world) => {
      const { store } = world
      const rows = []
      for (const runId of ['r1', 'r2', 'r3']) rows.push(await bootstrap(world, { runId }))
      const [, second] = rows
      await store.insertInbox(second ?? assert.fail('no run'), LETTER)
      const results = await store.commit(rows.map((row) => nextCommit(row, [step('StepCompleted', 'a')], UNREAD)))
      assert.deepEqual(
        results.map(({ kind }) => kind),
        ['committed', 'unread', 'committed'],
      )
    },
  },
]
