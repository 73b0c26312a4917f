/**
 * Upgrade from the schema before appends: a file that the version of then wrote is copied event by event, its followers go on where they
 * were, and a process of that version which still has the file open can append nothing to it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../../test/fixtures/folder.ts'
import type { RunStore, StoredEvent } from '../../../ports/run-store.ts'
import { allEvents } from '../../../testing/store/store-case.ts'
import { connect } from './connect.ts'
import { examine } from './examine.ts'
import { migrate, MIGRATIONS } from './migrate.ts'
import { openSqliteStore } from './store.ts'

const DUMP = join(import.meta.dirname, '../../../../test/golden/stores/sqlite-0018.sql')
const clock = { now: () => 1_900_000_000_000 }
const RUNS = 7
let path = ''
let db: DatabaseSync

beforeEach(() => {
  path = join(testFolder(), 'keelson.db')
  db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = WAL; ${readFileSync(DUMP, 'utf8')}`)
  return () => db.close()
})

const versionNow = (): unknown => db.prepare('PRAGMA user_version').get()?.['user_version']

/** As the version of then read them. */
function eventsOfThen(runKey: number): StoredEvent[] {
  return db
    .prepare('SELECT * FROM events WHERE run_key = ? ORDER BY seq')
    .all(runKey)
    .map((row) => ({
      runSeq: Number(row['seq']),
      eventType: String(row['event_type']),
      idempotencyKey: Buffer.from(row['idempotency_key'] as Uint8Array),
      record: String(row['record']),
      ...(row['data'] === null ? {} : { data: String(row['data']), salt: Buffer.from(row['salt'] as Uint8Array) }),
      chainHash: Buffer.from(row['chain_hash'] as Uint8Array),
      ...(row['terminal_slot'] === null ? {} : { terminalSlot: String(row['terminal_slot']) }),
      persistedAt: Number(row['persisted_at']),
    }))
}

async function everyRun(store: RunStore): Promise<readonly (readonly StoredEvent[])[]> {
  const runs = await Promise.all(Array.from({ length: RUNS }, (_, index) => allEvents(store, index + 1)))
  return runs.map((events) =>
    events.map((event) => ({
      ...event,
      idempotencyKey: Buffer.from(event.idempotencyKey),
      chainHash: Buffer.from(event.chainHash),
      ...(event.salt === undefined ? {} : { salt: Buffer.from(event.salt) }),
    })),
  )
}

const comingTo = async (store: RunStore, subscriber: string): Promise<readonly string[]> =>
  (await store.readFeed(subscriber, { now: clock.now(), limit: 1000 })).items.map(
    ({ runKey, event }) => `${runKey}#${event.runSeq}`,
  )

/** What a follower had not settled, runs in the order of the feed of then. */
function comingThen(subscriber: string): readonly string[] {
  const sql = `SELECT e.run_key, e.seq FROM runs r JOIN events e ON e.run_key = r.run_key
    WHERE r.feed_pos > (SELECT feed_pos FROM feed_cursors WHERE subscriber = ?1) AND e.seq > coalesce((SELECT settled_seq
      FROM feed_positions p WHERE p.subscriber = ?1 AND p.run_key = r.run_key), 0) ORDER BY r.feed_pos, e.seq`
  return db
    .prepare(sql.replaceAll('?1', `'${subscriber}'`))
    .all()
    .map((row) => `${String(row['run_key'])}#${String(row['seq'])}`)
}

describe('a file of the schema before', () => {
  it('has every event as it was, byte by byte, and every follower goes on with the same event [EVT-01]', async () => {
    const then = Array.from({ length: RUNS }, (_, index) => eventsOfThen(index + 1))
    expect(then.map(({ length }) => length)).toEqual([9, 20, 13, 6, 0, 6, 5])
    const coming = ['all/half', 'receipts'].map(comingThen)
    expect(coming.map(({ length }) => length)).toEqual([30, 11])
    const store = await openSqliteStore({ path, clock })
    expect(versionNow()).toBe(MIGRATIONS.length)
    expect(await everyRun(store)).toEqual(then)
    expect([await comingTo(store, 'all/half'), await comingTo(store, 'receipts')]).toEqual(coming)
    expect(await comingTo(store, 'new')).toHaveLength(then.flat().length)
    expect(await store.faults()).toEqual([])
    await store.close()
  })

  it('is copied from a broken log too, and what was broken stays to be found', async () => {
    db.exec('DROP TRIGGER events_never_change; DROP TRIGGER events_never_go')
    db.exec(`UPDATE events SET record = '{' WHERE run_key = 1 AND seq = 3; DELETE FROM events WHERE run_key = 2 AND seq = 4;
      UPDATE events SET run_key = 77 WHERE run_key = 3`)
    const [broken, gapped, homeless] = [eventsOfThen(1), eventsOfThen(2), eventsOfThen(77)]
    const store = await openSqliteStore({ path, clock })
    const unreadable = { ...broken[2], eventType: 'unreadable' }
    const [first, second] = await everyRun(store)
    expect([first, second]).toEqual([broken.with(2, unreadable as StoredEvent), gapped])
    expect((await allEvents(store, 77)).map(({ record }) => record)).toEqual(homeless.map(({ record }) => record))
    expect((await store.faults()).map(({ where }) => where)).toEqual(expect.arrayContaining(['appends', 'event_keys']))
    await store.close()
  })

  it('is left as it was where the copy does not fit on the disk', () => {
    const before = Array.from({ length: RUNS }, (_, index) => eventsOfThen(index + 1))
    const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count'])
    const narrow = new DatabaseSync(path)
    narrow.exec(`PRAGMA max_page_count = ${pages + 3}`)
    expect(() => migrate(narrow, path)).toThrow(/full/)
    narrow.close()
    expect(versionNow()).toBe(18)
    expect(Array.from({ length: RUNS }, (_, index) => eventsOfThen(index + 1))).toEqual(before)
  })

  it('is read from a copy by who may only read, examined as it is, and not changed by either', async () => {
    const store = await openSqliteStore({ path, clock, readOnly: true })
    expect((await everyRun(store))[0]).toEqual(eventsOfThen(1))
    await store.close()
    expect(examine(path, clock.now())).toMatchObject({ schemaVersion: 18, runs: RUNS, schemaFaults: [] })
    expect(versionNow()).toBe(18)
  })
})

describe('a process of the version before that has the file open', () => {
  /** The statements with which it appended, erased, took runs and moved its followers; prepared before the upgrade, as it had them. */
  const STATEMENTS = [
    'UPDATE log_gate SET open = 1',
    `INSERT INTO events (run_key, seq, event_type, idempotency_key, record, data, salt, chain_hash, terminal_slot, persisted_at)
      VALUES (6, 7, 'StepStarted', zeroblob(32), '{}', NULL, NULL, zeroblob(32), NULL, 1)`,
    `UPDATE runs SET next_seq = 8, feed_pos = 1 + coalesce((SELECT feed_pos FROM runs ORDER BY feed_pos DESC LIMIT 1), 0)
      WHERE run_key = 6`,
    'UPDATE events SET data = NULL, salt = NULL WHERE run_key = 1 AND seq <= 9 AND data IS NOT NULL',
    `UPDATE runs SET lease_owner = 'me', lease_until = 9 WHERE run_key = 6 RETURNING *`,
    `UPDATE runs SET lease_until = 9 WHERE owed = 1 AND lease_owner = 'host|1|2#3'`,
    'SELECT feed_pos FROM runs ORDER BY feed_pos DESC LIMIT 1',
  ] as const

  it.each(STATEMENTS)('is refused: %s', async (sql) => {
    const prepared = db.prepare(sql)
    ;(await connect({ path })).close()
    const before = db.prepare('SELECT * FROM appends').all()
    expect(() => prepared.all()).toThrow(/no such (table|column): (main\.)?(log_gate|events|feed_pos|lease_until)/)
    expect(db.prepare('SELECT * FROM appends').all()).toEqual(before)
  })
})
