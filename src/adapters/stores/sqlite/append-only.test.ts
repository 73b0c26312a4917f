/** The log against raw SQL: another tool that opens the file is refused when it tries to change the log. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunRow, RunStore } from '../../../ports/run-store.ts'
import { decision } from '../../../testing/store/decision-fixtures.ts'
import { newRun, summary } from '../../../testing/store/run-fixtures.ts'
import { allEvents, bytesOf, creation, nextCommit, step } from '../../../testing/store/store-case.ts'
import { openSqliteStore } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

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
  folder = testFolder()
  const path = join(folder, 'keelson.db')
  store = await openSqliteStore({ path, clock })
  ended = await create('ended', 'COMPLETED')
  running = await create('running', 'RUNNING')
  db = new DatabaseSync(path)
})
afterEach(async () => {
  db.close()
  await store.close()
})

const REFUSED = /EVENTS_APPEND_ONLY/
const log = async () =>
  [...(await allEvents(store, ended.runKey)), ...(await allEvents(store, running.runKey))].map(bytesOf)

describe('the log', () => {
  const COLUMNS = 'run_key, first_seq, last_seq, persisted_at, chain_hashes, data, records'
  it.each([
    'UPDATE appends SET records = records || 1',
    `UPDATE appends SET records = replace(records, 'RunStarted', 'RunFailing')`,
    'UPDATE appends SET first_seq = first_seq + 10, last_seq = last_seq + 10',
    'UPDATE appends SET run_key = 77',
    'UPDATE appends SET pos = pos + 10',
    'UPDATE appends SET chain_hashes = zeroblob(64)',
    'UPDATE appends SET persisted_at = 0',
    'UPDATE appends SET data = NULL',
    `UPDATE appends SET data = ''`,
    'UPDATE OR REPLACE appends SET pos = 1 WHERE pos = 2',
    'UPDATE OR REPLACE appends SET run_key = 1',
    'UPDATE OR IGNORE appends SET records = 1',
    'DELETE FROM appends',
    'DELETE FROM appends WHERE pos = 2',
    'INSERT OR REPLACE INTO appends SELECT * FROM appends WHERE pos = 1',
    `REPLACE INTO appends SELECT pos, run_key, first_seq, last_seq, persisted_at, chain_hashes, data, '{}' FROM appends`,
    `REPLACE INTO appends SELECT 9, run_key, first_seq, last_seq, persisted_at, chain_hashes, data, '{}' FROM appends`,
    `REPLACE INTO appends SELECT 9, run_key, 2, 2, persisted_at, zeroblob(32), NULL, '{}' FROM appends`,
    `REPLACE INTO appends SELECT pos, run_key, 3, 3, persisted_at, zeroblob(32), NULL, '{}' FROM appends`,
    `INSERT INTO appends (${COLUMNS}) SELECT run_key, 3, 3, 0, zeroblob(32), NULL, '{}' FROM appends`,
    `INSERT INTO appends (pos, ${COLUMNS}) SELECT 9, run_key, 3, 3, 0, zeroblob(32), NULL, '{}' FROM appends`,
    `INSERT INTO appends (pos, ${COLUMNS}) SELECT 9, 77, 1, 1, 0, zeroblob(32), NULL, '{}' FROM appends`,
    `INSERT INTO appends SELECT * FROM appends WHERE true ON CONFLICT DO UPDATE SET records = '{}'`,
    'UPDATE event_keys SET key = zeroblob(32)',
    'UPDATE OR REPLACE event_keys SET seq = 1',
    'DELETE FROM event_keys',
    'DELETE FROM feed_floor',
    'UPDATE feed_floor SET pos = -1',
    'REPLACE INTO feed_floor VALUES (1, 0)',
  ])('refuses raw SQL and keeps its bytes: %s [EVT-01]', async (sql) => {
    const before = await log()
    expect(() => db.exec(sql)).toThrow(REFUSED)
    expect(await log()).toEqual(before)
  })

  it('is changed by no call of the store but the erasure of values, which keeps every record [EVT-01]', async () => {
    const before = await log()
    const { runKey } = ended
    await store.quarantine(runKey, 'RUN_QUARANTINED')
    await store.putCheckpoint(runKey, { kind: 'state', seq: 2, rulesVersion: 1, body: '{}' })
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
    const erase = (set: string) => () => db.prepare(`UPDATE appends SET ${set} WHERE run_key = ?`).run(ended.runKey)
    expect(erase(`data = ''`)).toThrow(REFUSED)
    expect(erase(`data = replace(data, 'canary', 'parrot')`)).toThrow(REFUSED)
    expect(erase(`data = data || data`)).toThrow(REFUSED)
    db.exec('UPDATE erasure_tickets SET up_to_seq = 2')
    expect(erase(`data = NULL, records = '{}'`)).toThrow(REFUSED)
    expect(erase('data = substr(data, 3)')).toThrow(REFUSED)
    erase('data = NULL')()
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

describe('the head of the log', () => {
  it('is where events come in: nothing replaces what is there, and a run whose row was set back stops alone', async () => {
    db.exec(`UPDATE runs SET next_seq = 2 WHERE run_id = 'running'`)
    const back = { ...running, nextSeq: 2 }
    const before = await log()
    const results = await store.commit([
      nextCommit(back, [step('StepStarted', 'b')]),
      creation(newRun({ runId: 'r3' })),
    ])
    expect(results).toEqual([{ kind: 'constraint', detail: 'runSeq' }, expect.objectContaining({ kind: 'committed' })])
    expect(await log()).toEqual(before)
  })

  it('is not found where the end of the feed was taken away: nothing is appended', async () => {
    db.exec('DROP TRIGGER feed_floor_never_goes; DELETE FROM feed_floor')
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
    expect(() => db.exec('DELETE FROM appends')).toThrow(REFUSED)
    expect(() => db.exec('UPDATE archive_tickets SET archived = 0')).toThrow(REFUSED)
  })
})

describe('what a server records', () => {
  const sealed = {
    type: 'API_CALL',
    at: 1,
    record: '{}',
    hash: new Uint8Array(32),
    keyId: 'k',
    mac: new Uint8Array(32),
  } as const
  beforeEach(async () => {
    await store.recordDecision(decision(1, { runId: 'running' }))
    await store.recordDecision(decision(2, { runId: 'running', decision: 'PENDING' }))
    await store.appendAudit('tenant-a', [1, 2], () => sealed)
  })

  it.each([
    'DELETE FROM signal_decisions',
    `UPDATE signal_decisions SET decision = 'REJECTED' WHERE decision = 'ACCEPTED'`,
    `UPDATE signal_decisions SET actor_id = 'eve'`,
    `UPDATE signal_decisions SET signal_payload = '{}'`,
    'INSERT OR REPLACE INTO signal_decisions SELECT * FROM signal_decisions',
    'DELETE FROM audit_log WHERE position = 2',
    `UPDATE audit_log SET record = '[]'`,
    'INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log',
    'INSERT INTO audit_log SELECT tenant_id, position + 9, type, at, record, hash, key_id, mac FROM audit_log',
  ])('is not changed by %s', (sql) => {
    expect(() => db.exec(sql)).toThrow(REFUSED)
  })
})
