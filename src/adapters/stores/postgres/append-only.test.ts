/** The log against raw SQL: even a superuser's statements cannot change it unnoticed. */
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyStore, startPostgres, type PostgresServer } from '../../../../test/setup/postgres.ts'
import type { RunRow, RunStore } from '../../../ports/run-store.ts'
import { decision } from '../../../testing/store/decision-fixtures.ts'
import { newRun, summary } from '../../../testing/store/run-fixtures.ts'
import { allEvents, bytesOf, creation, rowOf, step } from '../../../testing/store/store-case.ts'
import { openPostgresStore } from './store.ts'

const clock = { now: () => 1_800_000_000_000 }
let server: PostgresServer
let url = ''
let store: RunStore
let db: Client
let ended: RunRow
let running: RunRow

beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('append_only')
  store = await openPostgresStore({ connectionString: url, clock })
  db = new Client({ connectionString: url })
  await db.connect()
})
afterAll(async () => {
  await db.end()
  await store.close()
  await server.stop()
})

async function create(runId: string, status: 'RUNNING' | 'COMPLETED'): Promise<RunRow> {
  const specs = [{ eventType: 'RunStarted' }, { ...step('StepCompleted', 'a'), data: { result: 'canary-7f3a' } }]
  await store.commit([creation(newRun({ runId, requestKey: runId }), specs, { summary: summary({ status }) })])
  const row = await store.findRun({ tenantId: 'tenant-a', runId })
  if (row === undefined) throw new Error('the run was not stored')
  return row
}

beforeEach(async () => {
  ended = await create('ended', 'COMPLETED')
  running = await create('running', 'RUNNING')
})
afterEach(() => emptyStore(url))

const REFUSED = /EVENTS_APPEND_ONLY/
const log = async () =>
  [...(await allEvents(store, ended.runKey)), ...(await allEvents(store, running.runKey))].map(bytesOf)

const COLUMNS = 'run_key, seq, persisted_at, event_type, idempotency_key, chain_hash, record, data, salt, terminal_slot'

describe('the log', () => {
  it.each([
    "UPDATE keelson.events SET record = record || '1'",
    "UPDATE keelson.events SET event_type = 'RunFailed' WHERE seq = 1",
    'UPDATE keelson.events SET seq = seq + 10',
    'UPDATE keelson.events SET run_key = 77',
    `UPDATE keelson.events SET idempotency_key = decode(repeat('00', 32), 'hex')`,
    `UPDATE keelson.events SET chain_hash = decode(repeat('00', 32), 'hex')`,
    'UPDATE keelson.events SET terminal_slot = NULL',
    'UPDATE keelson.events SET persisted_at = 0',
    'UPDATE keelson.events SET generation = 0',
    `UPDATE keelson.events SET xid = '0'`,
    'UPDATE keelson.events SET data = NULL, salt = NULL',
    "UPDATE keelson.events SET data = '{}'",
    'DELETE FROM keelson.events',
    'DELETE FROM keelson.events WHERE seq = 2',
    'TRUNCATE keelson.events',
    'TRUNCATE keelson.events CASCADE',
    'SET session_replication_role = replica; DELETE FROM keelson.events',
    `INSERT INTO keelson.events (${COLUMNS}) SELECT ${COLUMNS} FROM keelson.events
      ON CONFLICT (run_key, seq) DO UPDATE SET record = '{}'`,
  ])('refuses raw SQL, even of a superuser, and keeps its bytes: %s [EVT-01]', async (sql) => {
    const before = await log()
    await expect(db.query(`BEGIN; ${sql}; COMMIT`)).rejects.toThrow(REFUSED)
    await db.query('ROLLBACK; RESET session_replication_role')
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

  it('is erased by a ticket up to where it says, no further and by nobody without one, and no ticket is left', async () => {
    const values = async () => (await allEvents(store, ended.runKey)).map(({ data }) => data !== undefined)
    const erase = `UPDATE keelson.events SET data = NULL, salt = NULL WHERE run_key = ${ended.runKey} AND seq = 2`
    const before = await values()
    await store.eraseData(ended.runKey, 1)
    expect(await values()).toEqual([false, before[1]])
    expect(before[1]).toBe(true)
    await expect(db.query(erase)).rejects.toThrow(REFUSED)
    await db.query('INSERT INTO keelson.erasure_tickets VALUES ($1, 2)', [ended.runKey])
    expect(await values()).toEqual([false, false])
    expect((await db.query('SELECT * FROM keelson.erasure_tickets')).rows).toEqual([])
    await expect(db.query(erase.replace('data = NULL', "record = '{}'"))).rejects.toThrow(REFUSED)
  })

  it('has its two unique keys in the database itself, whoever inserts [STO-04, STO-05]', async () => {
    const copy = (columns: string) =>
      db.query(`INSERT INTO keelson.events (${COLUMNS}) SELECT ${columns} FROM keelson.events WHERE seq = 1
        AND run_key = ${running.runKey}`)
    const otherKey = COLUMNS.replace('idempotency_key', 'sha256(idempotency_key)')
    await expect(copy(otherKey)).rejects.toMatchObject({ code: '23505', constraint: 'events_run_seq' })
    await expect(copy(COLUMNS.replace('seq', '9'))).rejects.toMatchObject({
      code: '23505',
      constraint: 'events_idempotency_key',
    })
    await copy(COLUMNS.replace('run_key', '78'))
    expect((await allEvents(store, 78)).map((event) => bytesOf(event))).toEqual(
      (await allEvents(store, running.runKey)).slice(0, 1).map((event) => bytesOf(event)),
    )
  })
})

describe('an archive ticket', () => {
  const cut = (client: Client, runKey: number, head: Uint8Array, archived = false) =>
    client.query('INSERT INTO keelson.archive_tickets VALUES ($1, $2, $3)', [runKey, head, archived])

  it('is cut for the head of an ended run only', async () => {
    const before = await log()
    await expect(cut(db, ended.runKey, new Uint8Array(32))).rejects.toThrow(REFUSED)
    await expect(cut(db, running.runKey, running.headHash)).rejects.toThrow(REFUSED)
    await expect(cut(db, ended.runKey, ended.headHash, true)).rejects.toThrow(REFUSED)
    await expect(cut(db, 77, ended.headHash)).rejects.toThrow(REFUSED)
    expect(await log()).toEqual(before)
  })

  it('takes all events of its run and leaves the row, its request and its head', async () => {
    await cut(db, ended.runKey, ended.headHash)
    expect(await allEvents(store, ended.runKey)).toEqual([])
    const left = await rowOf(store, ended.runKey)
    expect(left).toEqual({ ...ended, archivedAt: left.archivedAt })
    expect(left.archivedAt).toBeGreaterThan(0)
    expect(await store.findRunByRequest('tenant-a', 'ended')).toEqual(left)
    expect((await allEvents(store, running.runKey)).length).toBe(2)
    await expect(db.query('DELETE FROM keelson.events')).rejects.toThrow(REFUSED)
    await expect(db.query('UPDATE keelson.archive_tickets SET archived = false')).rejects.toThrow(REFUSED)
  })
})

describe('what a server records', () => {
  const bytes = new Uint8Array(32)
  const sealed = { type: 'API_CALL', at: 1, record: '{}', hash: bytes, keyId: 'k', mac: bytes } as const

  it.each([
    'DELETE FROM keelson.signal_decisions',
    'TRUNCATE keelson.signal_decisions',
    `UPDATE keelson.signal_decisions SET decision = 'REJECTED' WHERE decision = 'ACCEPTED'`,
    `UPDATE keelson.signal_decisions SET actor_id = 'eve'`,
    `UPDATE keelson.signal_decisions SET signal_payload = '{}'`,
    'DELETE FROM keelson.audit_log WHERE position = 2',
    'TRUNCATE keelson.audit_log',
    `UPDATE keelson.audit_log SET record = '[]'`,
  ])('is not changed by %s', async (sql) => {
    await store.recordDecision(decision(1, { runId: 'running' }))
    await store.appendAudit('tenant-a', [1, 2], () => sealed)
    await expect(db.query(sql)).rejects.toThrow(REFUSED)
  })
})
