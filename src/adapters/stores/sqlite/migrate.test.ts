/**
 * Migrations: numbered without gaps, and applied once, however often and by however many processes a file is opened.
 */
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { fleetSubscriber, tenantSubscriber } from '../../../core/feed/subscriber.ts'
import { newRun, summary } from '../../../testing/store/run-fixtures.ts'
import { creation, step } from '../../../testing/store/store-case.ts'
import { connect } from './connect.ts'
import { migrate, MIGRATIONS } from './migrate.ts'
import { openSqliteStore } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = testFolder()
  path = join(folder, 'new', 'keelson.db')
})

describe('migrations', () => {
  it('are the files of the folder, numbered from one', () => {
    const files = readdirSync(join(import.meta.dirname, 'sql')).sort()
    expect(files).toEqual([...MIGRATIONS])
    expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, index) => index + 1))
  })

  it('make the folder and the schema once, whether a file is opened again or from many sides at once', async () => {
    const first = await Promise.all(Array.from({ length: 5 }, () => connect({ path })))
    const schema = () => first[0]?.db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
    const before = schema()
    const again = await connect({ path })
    expect(schema()).toEqual(before)
    expect(again.db.prepare('PRAGMA user_version').get()?.['user_version']).toBe(MIGRATIONS.length)
    for (const connection of [...first, again]) connection.close()
    const bytes = readFileSync(path)
    ;(await connect({ path })).close()
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  it('leave nothing behind when one of them fails', async () => {
    ;(await connect({ path: join(folder, 'new', 'other.db') })).close()
    const db = new DatabaseSync(path)
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA max_page_count = 12')
    expect(() => migrate(db, path)).toThrow(/full/)
    expect(db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count']).toBe(0)
    expect(db.isTransaction).toBe(false)
    db.exec('PRAGMA max_page_count = 1000')
    migrate(db, path)
    expect(db.prepare('PRAGMA user_version').get()?.['user_version']).toBe(MIGRATIONS.length)
    db.close()
  })

  it('set what a store needs to be durable on every connection', async () => {
    const connection = await connect({ path })
    expect(connection.db.prepare('PRAGMA journal_mode').get()?.['journal_mode']).toBe('wal')
    expect(connection.db.prepare('PRAGMA synchronous').get()?.['synchronous']).toBe(2)
    expect(connection.db.prepare('PRAGMA busy_timeout').get()?.['timeout']).toBeLessThanOrEqual(50)
    connection.close()
  })
})

/** A file as the version with four migrations wrote it: its schema, and rows inserted by statements of that time. */
function writeVersion4(): void {
  mkdirSync(dirname(path))
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL')
  for (const name of MIGRATIONS.slice(0, 4)) db.exec(readFileSync(join(import.meta.dirname, 'sql', name), 'utf8'))
  db.exec('PRAGMA application_id = 0x4b65656c; PRAGMA user_version = 4; UPDATE log_gate SET open = 1')
  const run = db.prepare(`INSERT INTO runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version,
    plan_sha256, engine_type, engine_run_ref, created_at, updated_at, epoch, next_seq, head_hash, feed_pos, status,
    rules_version, min_rules_version, ended_at, steps_total, steps_done, steps_failed, owed)
    VALUES (?, 'tenant-a', 'p', 'e', 'plan-a', '1', 'ff', 'embedded', ?, 5, 5, 1, 3, ?, ?, ?, 1, 1, ?, 1, 1, 0, 0)`)
  const event = db.prepare(`INSERT INTO events (run_key, seq, event_type, idempotency_key, record, chain_hash,
    persisted_at) VALUES (?, ?, ?, ?, ?, ?, 5)`)
  const runs = [...OLD_RUNS.entries()]
  for (const [index, [runId, status, endedAt]] of runs) {
    run.run(runId, `embedded://${runId}`, hashOf(`${runId}2`), index + 1, status, endedAt)
    for (const seq of [1, 2]) {
      const idempotencyKey = hash('sha256', `key ${runId}${seq}`)
      const record = JSON.stringify({ eventId: `${runId}${seq}`, eventType: 'RunStarted', idempotencyKey, runSeq: seq })
      event.run(index + 1, seq, 'RunStarted', Buffer.from(idempotencyKey, 'hex'), record, hashOf(`${runId}${seq}`))
    }
  }
  db.exec('UPDATE log_gate SET open = 0')
  db.close()
}

const OLD_RUNS = [
  ['old-1', 'RUNNING', null],
  ['old-2', 'COMPLETED', 5],
  ['old-3', 'COMPLETED', 6],
] as const
const hashOf = (text: string): Uint8Array => hash('sha256', text, 'buffer')
const clock = { now: () => 1_800_000_000_000 }

describe('a database of an earlier version', () => {
  beforeEach(writeVersion4)

  it('opens with its runs counted, its events in the feed and its ended runs ready to be archived', async () => {
    const store = await openSqliteStore({ path, clock })
    expect(Object.fromEntries(await store.countRuns('tenant-a'))).toEqual({ RUNNING: 1, COMPLETED: 2 })
    const { items } = await store.readFeed('s', { now: 0, limit: 10 })
    expect(items.map(({ run, event }) => `${run.runId}#${event.runSeq}`)).toEqual(
      OLD_RUNS.flatMap(([runId]) => [`${runId}#1`, `${runId}#2`]),
    )
    const ended = await store.archivableRuns(6, 10)
    expect(ended.map(({ runId }) => runId)).toEqual(['old-2'])
    expect(await store.archiveRun(2, hashOf('old-22'))).toBe('archived')
    expect(
      (await store.listRuns('tenant-a', { planId: 'plan-a', status: ['COMPLETED'] }, { limit: 9 })).runs.length,
    ).toBe(2)
    await store.close()
  })

  it('goes on: its open runs are committed to, new ones come, and the numbers move with them', async () => {
    const store = await openSqliteStore({ path, clock })
    await store.putPool({ pool: 'agent:x', capacity: 1 })
    const row = await store.findRun({ tenantId: 'tenant-a', runId: 'old-1' })
    if (row === undefined) throw new Error('the old run is gone')
    const { runKey, epoch, nextSeq } = row
    const claims = [{ slot: 'a', attempt: 1, wants: { 'agent:x': 1 }, priority: 0 }]
    const next = { runKey, expected: { epoch, nextSeq }, events: [], summary: summary({ status: 'PAUSED' }), claims }
    const results = await store.commit([next, creation(newRun({ runId: 'new' }), [step('StepStarted', 'a')])])
    expect(results.map(({ kind }) => kind)).toEqual(['committed', 'committed'])
    expect(Object.fromEntries(await store.countRuns('tenant-a'))).toEqual({ RUNNING: 1, PAUSED: 1, COMPLETED: 2 })
    expect((await store.readGrants(runKey)).held).toEqual([{ slot: 'a', attempt: 1, wants: { 'agent:x': 1 } }])
    await store.close()
  })

  it('has its run ids free for other tenants, and its subscribers go on where they were, told of the same runs', async () => {
    const db = new DatabaseSync(path)
    for (const name of MIGRATIONS.slice(4, 14)) db.exec(readFileSync(join(import.meta.dirname, 'sql', name), 'utf8'))
    db.exec(`PRAGMA user_version = 14; INSERT INTO feed_cursors VALUES ('mail', 3), ('receipts', 2);
      INSERT INTO feed_positions SELECT s.column1, run_key, 2 FROM runs, (VALUES ('mail'), ('receipts')) s
        WHERE s.column1 = 'mail' OR feed_pos < 3`)
    db.close()
    const store = await openSqliteStore({ path, clock })
    const foreign = creation(newRun({ tenantId: 'tenant-b', runId: 'old-1' }), [step('StepStarted', 'a')])
    expect((await store.commit([foreign])).map(({ kind }) => kind)).toEqual(['committed'])
    expect((await store.findRun({ tenantId: 'tenant-a', runId: 'old-1' }))?.runKey).toBe(1)
    const next = async (subscriber: string): Promise<readonly string[]> =>
      (await store.readFeed(subscriber, { now: 0, limit: 10 })).items.map(({ run }) => `${run.tenantId} ${run.runId}`)
    // In a store of several tenants such subscribers were told of all runs, and still are.
    expect(await next(fleetSubscriber('mail'))).toEqual(['tenant-b old-1'])
    expect(await next('receipts')).toEqual(['tenant-a old-3', 'tenant-a old-3', 'tenant-b old-1'])
    expect(await store.faults()).toEqual([])
    await store.close()
  })

  it('of the local tenant alone has its subscribers told of that tenant’s runs from then on', async () => {
    const db = new DatabaseSync(path)
    for (const name of MIGRATIONS.slice(4, 14)) db.exec(readFileSync(join(import.meta.dirname, 'sql', name), 'utf8'))
    db.exec(`PRAGMA user_version = 14; UPDATE runs SET tenant_id = 'local'; INSERT INTO feed_cursors VALUES ('mail', 2);
      INSERT INTO feed_positions SELECT 'mail', run_key, 2 FROM runs WHERE feed_pos < 3`)
    db.close()
    const store = await openSqliteStore({ path, clock })
    const { items } = await store.readFeed(tenantSubscriber('local', 'mail'), { now: 0, limit: 10 })
    expect(items.map(({ run, event }) => `${run.runId}#${event.runSeq}`)).toEqual(['old-3#1', 'old-3#2'])
    await store.close()
  })

  it('is read from a copy that was brought up to date by who may only read, and is not changed by that', async () => {
    const before = readFileSync(path)
    const early = await openSqliteStore({ path, clock, readOnly: true })
    expect((await early.countRuns('tenant-a')).get('RUNNING')).toBe(1)
    await early.close()
    expect(readFileSync(path).equals(before)).toBe(true)
    await (await openSqliteStore({ path, clock })).close()
    const reader = await openSqliteStore({ path, clock, readOnly: true })
    expect((await reader.countRuns('tenant-a')).get('RUNNING')).toBe(1)
    await reader.close()
  })
})
