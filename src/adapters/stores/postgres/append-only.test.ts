/** The log against raw SQL: neither a superuser's statements nor the roles of roles.sql can change it unnoticed. */
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyStore, startPostgres, type PostgresServer } from '../../../../test/setup/postgres.ts'
import type { RunRow, RunStore } from '../../../ports/run-store.ts'
import { newRun, summary } from '../../../testing/run-fixtures.ts'
import { allEvents, bytesOf, creation, nextCommit, rowOf, step } from '../../../testing/store-case.ts'
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
    expect((await db.query('SELECT * FROM keelson.erasure_tickets')).rows).toEqual([])
    await db.query('INSERT INTO keelson.erasure_tickets VALUES ($1, 1)', [ended.runKey])
    const erase = `UPDATE keelson.events SET data = NULL, salt = NULL WHERE run_key = ${ended.runKey} AND seq = 2`
    await expect(db.query(erase)).rejects.toThrow(REFUSED)
    await db.query('UPDATE keelson.erasure_tickets SET up_to_seq = 2')
    await expect(db.query(erase.replace('salt = NULL', "salt = NULL, record = '{}'"))).rejects.toThrow(REFUSED)
    await db.query(erase)
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

describe('the roles of roles.sql', () => {
  const ROLES = readFileSync(new URL('./sql/roles.sql', import.meta.url), 'utf8')
  const login = async (name: string, group: string): Promise<string> => {
    await db.query(ROLES)
    await db.query(`DROP ROLE IF EXISTS ${name}; CREATE ROLE ${name} LOGIN IN ROLE ${group}`)
    return url.replace('postgres@', `${name}@`)
  }

  it('let the running role do all that a store does, and never delete, truncate or rewrite an event [EVT-01]', async () => {
    const connectionString = await login('runner', 'keelson_runner')
    const mine = await openPostgresStore({ connectionString, clock })
    const raw = new Client({ connectionString })
    await raw.connect()
    try {
      const parent = { run: running, row: { inboxId: 'child:x', kind: 'child', body: '{}' } }
      const made = creation(newRun({ runId: 'by-runner' }), [step('StepStarted', 'a')], {
        context: [{ variable: 'v', seq: 1, value: '1' }],
        blobs: [{ sha256: 'aa', text: 'large' }],
        notify: [parent],
      })
      expect((await mine.commit([made]))[0]?.kind).toBe('committed')
      const consumed = [{ inboxId: 'child:x', seq: running.nextSeq }]
      const next = nextCommit(running, [step('StepStarted', 'b')], { consumed })
      expect((await mine.commit([next]))[0]?.kind).toBe('committed')
      await mine.putSnapshot(ended.runKey, { kind: 'state', seq: 2, rulesVersion: 1, body: '{}' })
      await mine.putPlan({ sha256: 'aa', planId: 'p', planVersion: '1', text: '{}' })
      await mine.putScopePause({ pauseId: 'p', scope: 'fleet', active: true })
      expect(await mine.claimAttempt(ended.runKey, { slot: 'a', attempt: 1, claimant: 'me' })).toBe(true)
      await mine.eraseData(ended.runKey, 99)
      await mine.putPool({ pool: 'a', capacity: 1 })
      const want = (slot: string) => ({ slot, attempt: 1, wants: { a: 1 }, priority: 0 })
      const grants = { claims: [want('b')], waits: [want('c')] }
      const row = await rowOf(mine, running.runKey)
      expect((await mine.commit([nextCommit(row, [], grants)]))[0]?.kind).toBe('committed')
      expect((await mine.commit([nextCommit(row, [], { releases: 'all' })]))[0]?.kind).toBe('committed')
      expect(await mine.sweepGrants()).toBe(0)
      const { items, position } = await mine.readFeed('audit', { now: 0, limit: 2 })
      const [first, second] = items.map(({ runKey, event }) => ({ runKey, runSeq: event.runSeq, error: 'no use' }))
      if (first === undefined || second === undefined) throw new Error('the feed shows nothing')
      const deliveries = [
        { ...first, result: 'dead' as const },
        { ...second, result: 'failed' as const, retryAt: 5 },
      ]
      await mine.settleFeed('audit', { position, deliveries })
      expect(await mine.feedStatus('audit')).toMatchObject({ runsBlocked: 1, deadLetters: 1 })
      expect(await mine.dropDeadLetter('audit', first.runKey, first.runSeq)).toBe(true)
      await mine.dropSubscriber('audit')
      expect(await mine.raiseEpochs()).toBe(2)
      await expect(mine.archiveRun(ended.runKey, ended.headHash)).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
      const before = await log()
      for (const sql of [
        'DELETE FROM keelson.events',
        'TRUNCATE keelson.events',
        "UPDATE keelson.events SET record = '{}'",
        'ALTER TABLE keelson.events DISABLE TRIGGER ALL',
        'DROP TABLE keelson.events',
        'DELETE FROM keelson.runs',
        'UPDATE keelson.feed_generation SET generation = 9',
        'DELETE FROM keelson.pools',
        `INSERT INTO keelson.archive_tickets VALUES (${ended.runKey}, '\\x00')`,
        'SET session_replication_role = replica',
      ])
        await expect(raw.query(sql), sql).rejects.toMatchObject({ code: '42501' })
      expect(await log()).toEqual(before)
    } finally {
      await raw.end()
      await mine.close()
    }
  })

  it('let the archiving role archive whole ended runs through a store, and nothing else [STO-15]', async () => {
    const connectionString = await login('archivist', 'keelson_archivist')
    const raw = new Client({ connectionString })
    await raw.connect()
    const mine = await openPostgresStore({ connectionString })
    try {
      for (const sql of ['DELETE FROM keelson.events', "UPDATE keelson.runs SET status = 'COMPLETED'"])
        await expect(raw.query(sql), sql).rejects.toMatchObject({ code: '42501' })
      const values = [running.runKey, running.headHash]
      const ticket = 'INSERT INTO keelson.archive_tickets (run_key, head_hash) VALUES ($1, $2)'
      await expect(raw.query(ticket, values)).rejects.toThrow(REFUSED)
      await expect(mine.commit([creation(newRun({ runId: 'new' }))])).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
      await store.putBlob(ended.runKey, 'aa', 'large')
      expect(await mine.archiveRun(running.runKey, running.headHash)).toBe('not-terminal')
      expect(await mine.archiveRun(ended.runKey, new Uint8Array(32))).toBe('head-moved')
      expect(await mine.archiveRun(ended.runKey, ended.headHash)).toBe('archived')
      expect(await mine.archiveRun(ended.runKey, ended.headHash)).toBe('archived')
      expect(await store.getBlob(ended.runKey, 'aa')).toBeUndefined()
    } finally {
      await mine.close()
      await raw.end()
    }
    expect(await allEvents(store, ended.runKey)).toEqual([])
    expect(await rowOf(store, ended.runKey)).toMatchObject({ ...ended, archivedAt: expect.any(Number) as number })
  })
})
