/** The log against raw SQL: whoever opens the file with another tool cannot change it without being refused. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunRow, RunStore } from '../../../ports/run-store.ts'
import { newRun, summary } from '../../../testing/run-fixtures.ts'
import { allEvents, bytesOf, creation, step } from '../../../testing/store-case.ts'
import { openSqliteStore } from './store.ts'

const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let store: RunStore
let db: DatabaseSync
let ended: RunRow
let running: RunRow

async function create(runId: string, status: 'RUNNING' | 'COMPLETED'): Promise<RunRow> {
  const specs = [
    { eventType: 'RunStarted' },
    { ...step('StepCompleted', 'a'), data: { result: 'canary-7f3a '.repeat(1000) } },
  ]
  await store.commit([creation(newRun({ runId, requestKey: runId }), specs, { summary: summary({ status }) })])
  const row = await store.findRun({ tenantId: 'tenant-a', runId })
  if (row === undefined) throw new Error('the run was not stored')
  return row
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-append-only-'))
  const path = join(folder, 'keelson.db')
  store = await openSqliteStore({ path, clock })
  ended = await create('ended', 'COMPLETED')
  running = await create('running', 'RUNNING')
  db = new DatabaseSync(path)
})
afterEach(async () => {
  db.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

const REFUSED = /EVENTS_APPEND_ONLY/
const log = async () =>
  [...(await allEvents(store, ended.runKey)), ...(await allEvents(store, running.runKey))].map(bytesOf)

describe('the log', () => {
  it.each([
    'UPDATE events SET record = record || 1',
    "UPDATE events SET event_type = 'RunFailed' WHERE seq = 1",
    'UPDATE events SET seq = seq + 10',
    'UPDATE events SET run_key = 77',
    'UPDATE events SET idempotency_key = zeroblob(32)',
    'UPDATE events SET chain_hash = zeroblob(32)',
    'UPDATE events SET terminal_slot = NULL',
    'UPDATE events SET persisted_at = 0',
    'UPDATE events SET data = NULL, salt = NULL',
    "UPDATE events SET data = '{}'",
    'UPDATE OR REPLACE events SET seq = 1 WHERE seq = 2',
    'UPDATE OR IGNORE events SET record = 1',
    'DELETE FROM events',
    'DELETE FROM events WHERE seq = 2',
    'INSERT OR REPLACE INTO events SELECT * FROM events WHERE seq = 1',
    `REPLACE INTO events SELECT run_key, seq, event_type, idempotency_key, '{}', data, salt, chain_hash, terminal_slot,
      persisted_at FROM events`,
    `REPLACE INTO events SELECT run_key, 9, event_type, idempotency_key, '{}', data, salt, chain_hash, NULL, 0
      FROM events`,
    `REPLACE INTO events SELECT run_key, 9, event_type, zeroblob(32), '{}', data, salt, chain_hash, terminal_slot, 0
      FROM events WHERE terminal_slot IS NOT NULL`,
    `INSERT INTO events SELECT run_key, 9, event_type, zeroblob(32), '{}', NULL, NULL, chain_hash, NULL, 0 FROM events
      WHERE seq = 1`,
    `INSERT INTO events SELECT * FROM events WHERE true ON CONFLICT DO UPDATE SET record = '{}'`,
  ])('refuses raw SQL and keeps its bytes: %s [EVT-01]', async (sql) => {
    const before = await log()
    expect(() => db.exec(sql)).toThrow(REFUSED)
    expect(await log()).toEqual(before)
  })

  it('is changed by no call of the store but the erasure of values, which keeps every record [EVT-01]', async () => {
    const before = await log()
    const { runKey } = ended
    await store.quarantine(runKey, 'RUN_QUARANTINED')
    await store.putSnapshot(runKey, { kind: 'state', seq: 2, rulesVersion: 1, body: '{}' })
    await store.acquireLease(runKey, 'me', 0, 10)
    await store.claimAttempt(runKey, { slot: 'a', attempt: 1, claimant: 'me' })
    await store.putBlob(runKey, 'aa', 'text')
    await store.commit([creation(newRun({ runId: 'ended' }), [step('StepFailed', 'a')])])
    expect(await log()).toEqual(before)
    await store.eraseData(runKey, 99)
    const valueless = before.map((event, index) =>
      index === 1 ? { ...event, data: undefined, salt: undefined } : event,
    )
    expect(await log()).toEqual(valueless)
  })

  it('refuses an erasure beyond its ticket, and leaves no ticket behind', async () => {
    await store.eraseData(ended.runKey, 1)
    expect(db.prepare('SELECT count(*) AS count FROM erasure_tickets').get()?.['count']).toBe(0)
    db.prepare('INSERT INTO erasure_tickets VALUES (?, 1)').run(ended.runKey)
    expect(() => db.exec('UPDATE events SET data = NULL, salt = NULL WHERE seq = 2')).toThrow(REFUSED)
    db.exec('UPDATE erasure_tickets SET up_to_seq = 2')
    expect(() => db.exec("UPDATE events SET data = NULL, salt = NULL, record = '{}' WHERE seq = 2")).toThrow(REFUSED)
    db.prepare('UPDATE events SET data = NULL, salt = NULL WHERE run_key = ? AND seq = 2').run(ended.runKey)
  })

  it('loses the bytes of what is erased, in the file and beside it', async () => {
    const files = ['keelson.db', 'keelson.db-wal'].map((name) => join(folder, name))
    const holds = (): boolean => files.some((file) => readFileSync(file).includes('canary-7f3a'))
    expect(holds()).toBe(true)
    await store.eraseData(ended.runKey, 99)
    await store.eraseData(running.runKey, 99)
    expect(holds()).toBe(false)
  })
})

describe('the gate of the log', () => {
  it('is closed whenever nobody appends, also after a refused commit', async () => {
    const isOpen = () => db.prepare('SELECT open FROM log_gate').get()?.['open']
    await store.commit([creation(newRun({ runId: 'r3' }), [step('StepFailed', 'a'), step('StepCompleted', 'a')])])
    await store.commit([creation(newRun({ runId: 'r4' })), creation(newRun({ runId: 'r4' }))])
    expect(isOpen()).toBe(0)
    db.exec('DELETE FROM log_gate')
    expect(() => db.exec('REPLACE INTO events SELECT * FROM events')).toThrow(REFUSED)
    const commit = store.commit([creation(newRun({ runId: 'r5' }))])
    await expect(commit).rejects.toMatchObject({ code: 'EVENTS_APPEND_ONLY' })
    expect(await store.findRun({ tenantId: 'tenant-a', runId: 'r5' })).toBeUndefined()
  })
})

describe('an archive ticket', () => {
  const cut = (runKey: number, head: Uint8Array, archived = 0) =>
    db.prepare('INSERT INTO archive_tickets VALUES (?, ?, ?)').run(runKey, head, archived)

  it('is cut for the head of an ended run only', async () => {
    const before = await log()
    expect(() => cut(ended.runKey, new Uint8Array(32))).toThrow(REFUSED)
    expect(() => cut(running.runKey, running.headHash)).toThrow(REFUSED)
    expect(() => cut(ended.runKey, ended.headHash, 1)).toThrow(REFUSED)
    expect(() => cut(77, ended.headHash)).toThrow(REFUSED)
    expect(await log()).toEqual(before)
  })

  it('takes all events of its run and leaves the row, its request and its head', async () => {
    cut(ended.runKey, ended.headHash)
    expect(await allEvents(store, ended.runKey)).toEqual([])
    expect(await store.getRun(ended.runKey)).toEqual(ended)
    expect(await store.findRunByRequest('tenant-a', 'ended')).toEqual(ended)
    expect((await allEvents(store, running.runKey)).length).toBe(2)
    expect(() => db.exec('DELETE FROM events')).toThrow(REFUSED)
    expect(() => db.exec('UPDATE archive_tickets SET archived = 0')).toThrow(REFUSED)
  })
})
