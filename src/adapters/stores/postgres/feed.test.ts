/** The feed on a real server: transactions out of order, transactions that delay it, and a replaced cluster. */
import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { onPostgres } from '../../../../test/fixtures/on-postgres.ts'
import type { PostgresServer } from '../../../../test/setup/postgres.ts'
import type { FeedPage } from '../../../ports/feed.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { openSeal, openWrite, sealEvents } from '../../../testing/store/sealed-events.ts'
import { creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import { openPostgresStore, type PostgresStore } from './store.ts'

const SUB = 'audit'
let server: PostgresServer
let url = ''
let store: PostgresStore
let db: Client

onPostgres('feed', {
  opened: (on) => ({ server, url, store, db } = on),
  held: () => ({ store, db }),
  options: { feedStallMs: 0 },
})

async function started(runId: string): Promise<RunRow> {
  const [result] = await store.commit([creation(newRun({ runId }))])
  if (result?.kind !== 'committed') throw new Error('the run was not stored')
  return rowOf(store, result.runKey)
}
const append = async ({ runKey }: RunRow, slot: string) =>
  store.commit([nextCommit(await rowOf(store, runKey), [step('StepStarted', slot)])])
const read = () => store.readFeed(SUB, { now: 0, limit: 100 })
const shown = ({ items }: FeedPage) => items.map(({ run, event }) => `${run.runId}/${event.runSeq}`)
const settle = ({ items, position }: FeedPage) =>
  store.settleFeed(SUB, {
    position,
    deliveries: items.map(({ runKey, event }) => ({ runKey, runSeq: event.runSeq, result: 'delivered' })),
  })
const takeAll = async (): Promise<readonly string[]> => {
  const page = await read()
  await settle(page)
  return shown(page)
}

/** Inserts the next event of a run by hand, in the client's transaction. */
async function insertNext({ runKey }: RunRow, slot: string): Promise<void> {
  const row = await rowOf(store, runKey)
  const [event] = sealEvents(row, row, [step('StepStarted', slot)])
  await db.query(
    `INSERT INTO keelson.events (run_key, seq, persisted_at, event_type, idempotency_key, chain_hash, record)
      VALUES ($1, $2, 0, 'StepStarted', $3, $4, $5)`,
    [runKey, row.nextSeq, event?.idempotencyKey, event?.chainHash, event?.record],
  )
  const move = 'UPDATE keelson.runs SET next_seq = next_seq + 1, head_hash = $2 WHERE run_key = $1'
  await db.query(move, [runKey, event?.chainHash])
}

describe('the feed', () => {
  it('keeps the order of a run whose later event was written by the older transaction', async () => {
    const run = await started('r1')
    expect(await takeAll()).toEqual(['r1/1'])
    await db.query('BEGIN')
    await db.query('SELECT pg_current_xact_id()')
    await append(run, 'a')
    await insertNext(run, 'b')
    await db.query('COMMIT')
    const { rows } = await db.query<{ seq: string }>('SELECT seq FROM keelson.events ORDER BY generation, xid')
    expect(rows.map(({ seq }) => seq)).toEqual(['1', '3', '2'])
    expect(await takeAll()).toEqual(['r1/2', 'r1/3'])
    expect(await takeAll()).toEqual([])
  })

  it('shows nothing behind which something could still come to light, and loses nothing then', async () => {
    const [early, late] = [await started('early'), await started('late')]
    await takeAll()
    await db.query('BEGIN')
    await insertNext(early, 'a')
    await append(late, 'a')
    expect(await takeAll()).toEqual([])
    await db.query('COMMIT')
    expect(await takeAll()).toEqual(['early/2', 'late/2'])
    await db.query('BEGIN')
    await insertNext(early, 'b')
    await append(late, 'b')
    await db.query('ROLLBACK')
    expect(await takeAll()).toEqual(['late/3'])
  })

  it('that a transaction elsewhere holds up says which process that is, and goes on when it ends', async () => {
    const elsewhere = new Client({ connectionString: server.url })
    await elsewhere.connect()
    await elsewhere.query('BEGIN')
    await elsewhere.query('SELECT pg_current_xact_id()')
    const { rows } = await elsewhere.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    expect((await store.feedStatus(SUB)).stalledBy).toBeUndefined()
    await started('r1')
    await started('r2')
    expect(await takeAll()).toEqual([])
    const held = await store.feedStatus(SUB)
    expect(held).toMatchObject({ runsBehind: 2, stalledBy: { pid: rows[0]?.pid } })
    const patient = await openPostgresStore({ connectionString: url, feedStallMs: 3_600_000 })
    expect((await patient.feedStatus(SUB)).stalledBy).toBeUndefined()
    await patient.close()
    await elsewhere.query('COMMIT')
    await elsewhere.end()
    expect(await takeAll()).toEqual(['r1/1', 'r2/1'])
    expect(await store.feedStatus(SUB)).toEqual({ runsBehind: 0, runsBlocked: 0, deadLetters: 0 })
  })

  it('holds what was committed just before a crash, once, and nothing of a repeated append [STO-14]', async () => {
    const run = await started('r1')
    await takeAll()
    const write = openWrite(run, step('StepStarted', 'a'))
    expect((await store.appendOpen(run, [write], openSeal(run)))[0]?.persisted).toBe(true)
    db.on('error', () => undefined)
    await server.kill9()
    await server.restart()
    db = new Client({ connectionString: url })
    await db.connect()
    await store.close()
    store = await openPostgresStore({ connectionString: url })
    expect(await takeAll()).toEqual(['r1/2'])
    expect((await store.appendOpen(run, [write], openSeal(run)))[0]?.idempotent).toBe(true)
    expect(await takeAll()).toEqual([])
  })

  it('refuses a position that it did not give out', async () => {
    await expect(store.settleFeed(SUB, { position: 'here', deliveries: [] })).rejects.toMatchObject({
      code: 'LIST_CURSOR_INVALID',
    })
  })
})

describe('another cluster', () => {
  const generation = async () => (await db.query('SELECT generation FROM keelson.feed_generation')).rows
  afterEach(() => db.query('UPDATE keelson.feed_generation SET generation = 1'))

  it('under a store that stayed open is noticed by its feed, and what was written before that is shown too', async () => {
    const [one, two] = [await started('r1'), await started('r2')]
    await takeAll()
    // As after a restore: transaction numbers that this cluster has never assigned.
    await db.query(`ALTER TABLE keelson.events DISABLE TRIGGER events_never_change;
      UPDATE keelson.events SET xid = '9000000000'; UPDATE keelson.feed_subscribers SET xid = '9000000000';
      ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_change`)
    await append(one, 'unnoticed')
    expect(await takeAll()).toEqual(['r1/2'])
    expect(await generation()).toEqual([{ generation: 2 }])
    await append(two, 'a')
    await append(one, 'b')
    expect(await takeAll()).toEqual(['r2/2', 'r1/3'])
    expect(await generation()).toEqual([{ generation: 2 }])
    const fresh = await store.readFeed('newcomer', { now: 0, limit: 100 })
    expect(shown(fresh)).toEqual(['r1/1', 'r1/2', 'r1/3', 'r2/1', 'r2/2'])
  })
})
