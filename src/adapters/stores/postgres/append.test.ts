/** The commit under faults inside its transaction and beside locks that others hold, and the wake-up it sends. */
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { onPostgres, startedRun, WAITING } from '../../../../test/fixtures/on-postgres.ts'
import type { PostgresServer } from '../../../../test/setup/postgres.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { allEvents, creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import { openPostgresStore, type PostgresStore } from './store.ts'

const TABLES = ['runs', 'events', 'run_context', 'run_blobs', 'run_inbox'] as const
let server: PostgresServer
let url = ''
let store: PostgresStore
let db: Client

onPostgres('append', { opened: (on) => ({ server, url, store, db } = on), held: () => ({ store, db }) })

const contents = async () => {
  const found: unknown[][] = []
  for (const table of TABLES) found.push((await db.query(`SELECT * FROM keelson.${table} ORDER BY 1, 2`)).rows)
  return found
}
const parent = { tenantId: 'tenant-a', runId: 'parent' }

function bootstrapOf(runId: string) {
  return creation(newRun({ runId, requestKey: runId }), [step('StepStarted', 'a'), step('StepStarted', 'b')], {
    context: [{ variable: 'v', seq: 1, value: '1' }],
    blobs: [{ sha256: 'aa', text: 'large' }],
    lease: { owner: 'me', until: 5 },
    notify: [{ run: parent, row: { inboxId: `child:${runId}`, kind: 'child', body: '{}' } }],
  })
}

describe('a bootstrap', () => {
  it.each([
    ['BEFORE INSERT ON keelson.runs', 'true'],
    ['AFTER INSERT ON keelson.runs', 'true'],
    ['AFTER INSERT ON keelson.events', 'NEW.seq = 1'],
    ['AFTER INSERT ON keelson.events', 'NEW.seq = 2'],
    ['AFTER INSERT ON keelson.run_context', 'true'],
    ['AFTER INSERT ON keelson.run_blobs', 'true'],
    ['AFTER INSERT ON keelson.run_inbox', 'true'],
    ['BEFORE UPDATE ON keelson.runs', "NEW.run_id = 'parent'"],
  ])('that fails at %s when %s leaves nothing; a second one is refused [STO-12, STO-13]', async (event, when) => {
    await startedRun(store, 'parent')
    const before = await contents()
    await db.query(`CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'fault'; END $$;
      CREATE TRIGGER fault ${event} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION fault()`)
    const alone = await store.commit([bootstrapOf('r1')])
    const together = await store.commit([bootstrapOf('r1'), bootstrapOf('r2')])
    await db.query('DROP FUNCTION fault CASCADE')
    expect([...alone, ...together]).toEqual([1, 2, 3].map(() => ({ kind: 'constraint', detail: 'fault' })))
    expect(await contents()).toEqual(before)
    expect((await store.commit([bootstrapOf('r1')]))[0]?.kind).toBe('committed')
    const after = await contents()
    expect(after.map((rows, index) => rows.length > (before[index]?.length ?? 0))).toEqual(TABLES.map(() => true))
    expect(await store.commit([bootstrapOf('r1')])).toEqual([{ kind: 'run-exists' }])
    expect(await contents()).toEqual(after)
  })
})

describe('a batch', () => {
  it('passes over a row that others hold until the rest is committed, and then commits that run too [P-08]', async () => {
    const rows = [await startedRun(store, 'r1'), await startedRun(store, 'r2'), await startedRun(store, 'r3')]
    const [, held] = rows
    await db.query('BEGIN')
    await db.query('SELECT 1 FROM keelson.runs WHERE run_key = $1 FOR UPDATE', [held?.runKey])
    const results = store.commit(rows.map((row) => nextCommit(row, [step('StepStarted', 'a')])))
    // Committed and visible while the second run is still locked: the condition ends the loop.
    for (const row of [rows[0], rows[2]]) for (;;) if ((await allEvents(store, row?.runKey ?? 0)).length === 2) break
    expect((await allEvents(store, held?.runKey ?? 0)).length).toBe(1)
    await db.query('COMMIT')
    expect((await results).map(({ kind }) => kind)).toEqual(['committed', 'committed', 'committed'])
    expect((await allEvents(store, held?.runKey ?? 0)).length).toBe(2)
  })

  it('is not caught in a deadlock with one that writes inbox rows the other way round', async () => {
    const other = await openPostgresStore({ connectionString: url })
    const [one, two] = [await startedRun(store, 'r1'), await startedRun(store, 'r2')]
    const commits = Array.from({ length: 40 }, async (_, turn) => {
      const [from, to] = turn % 2 === 0 ? [one, two] : [two, one]
      const by = turn % 4 < 2 ? store : other
      for (;;) {
        const row = await rowOf(by, from.runKey)
        const inboxRow = { inboxId: `letter:${turn}`, kind: 'child', body: '{}' }
        const commit = nextCommit(row, [step('StepStarted', `s${turn}`)], { notify: [{ run: to, row: inboxRow }] })
        const [result] = await by.commit([commit, creation(newRun({ runId: `side-${turn}-${row.nextSeq}` }))])
        if (result?.kind === 'committed') return
        expect(result?.kind).toBe('conflict')
      }
    })
    await Promise.all(commits)
    for (const { runKey } of [one, two]) {
      expect((await store.readInbox(runKey)).length).toBe(20)
      expect((await allEvents(store, runKey)).length).toBe(21)
    }
    await other.close()
  })

  it('that breaks a constraint is taken back and done again run by run: one refused, the others there once [P-09]', async () => {
    const rows = [await startedRun(store, 'r1'), await startedRun(store, 'r2'), await startedRun(store, 'r3')]
    const twice = [step('StepCompleted', 'a'), step('StepCompleted', 'a')]
    const batch = rows.map((row, index) => nextCommit(row, index === 1 ? twice : [step('StepStarted', 'a')]))
    const results = await store.commit(batch)
    expect(results.map(({ kind }) => kind)).toEqual(['committed', 'constraint', 'committed'])
    const { rows: xids } = await db.query<{ n: number }>(
      'SELECT count(DISTINCT xid)::int AS n FROM keelson.events WHERE seq = 2',
    )
    expect(xids).toEqual([{ n: 2 }])
    for (const [index, { runKey }] of rows.entries())
      expect((await allEvents(store, runKey)).map(({ runSeq }) => runSeq)).toEqual(index === 1 ? [1] : [1, 2])
    expect(Object.fromEntries(await store.countRuns('tenant-a'))).toEqual({ RUNNING: 3 })
  })

  it('with values that PostgreSQL cannot hold refuses that run alone', async () => {
    const bad = creation(newRun({ runId: 'bad', triggeredBy: 'a\u0000b' }))
    const results = await store.commit([creation(newRun({ runId: 'good' })), bad])
    expect(results.map(({ kind }) => kind)).toEqual(['committed', 'constraint'])
  })

  it('that moves runs to other engines is taken back whole when one of the moves breaks, and only that run stays [P-08]', async () => {
    const rows = [await startedRun(store, 'r1'), await startedRun(store, 'r2')]
    const before = await rowOf(store, rows[1]?.runKey ?? 0)
    const refs = ['temporal://ns/wf/r1/e1', 'temporal://a\u0000b']
    const moves = rows.map((row, index) =>
      nextCommit(row, [step('StepStarted', 'a')], {
        engine: { engineType: 'temporal', engineRunRef: refs[index] ?? '' },
        newEpoch: 2,
      }),
    )
    expect((await store.commit(moves)).map(({ kind }) => kind)).toEqual(['committed', 'constraint'])
    expect(await rowOf(store, rows[0]?.runKey ?? 0)).toMatchObject({ engineRunRef: refs[0], epoch: 2, nextSeq: 3 })
    expect(await rowOf(store, before.runKey)).toEqual(before)
    expect((await allEvents(store, before.runKey)).length).toBe(1)
  })
})

describe('an inbox row', () => {
  it('that comes while the inbox is emptied still makes its run due', async () => {
    const row = await startedRun(store, 'r1')
    await store.insertInbox(row, { inboxId: 'first', kind: 'signal', body: '{}' })
    await db.query('BEGIN')
    await db.query('SELECT 1 FROM keelson.runs WHERE run_key = $1 FOR UPDATE', [row.runKey])
    const consumed = [{ inboxId: 'first', seq: row.nextSeq }]
    const both = [
      store.commit([nextCommit(row, [step('StepStarted', 'a')], { consumed })]),
      store.insertInbox(row, { inboxId: 'second', kind: 'signal', body: '{}' }),
    ] as const
    for (;;) if ((await db.query(WAITING)).rows.length === 2) break
    await db.query('COMMIT')
    expect((await both[0])[0]?.kind).toBe('committed')
    expect(await both[1]).toEqual({ kind: 'inserted' })
    expect((await store.readInbox(row.runKey)).map(({ inboxId }) => inboxId)).toEqual(['second'])
    expect((await store.dueRuns(0, 'me', 10)).map(({ runId }) => runId)).toEqual(['r1'])
  })

  it('rings for whoever listens, and a lost bell loses nothing [P-22]', async () => {
    const row = await startedRun(store, 'r1')
    let rings = 0
    let heard: () => void = () => undefined
    const off = store.onWake(() => {
      rings++
      heard()
    })
    const nextRing = () => new Promise<void>((resolve) => (heard = resolve))
    if (rings === 0) await nextRing()
    const second = nextRing()
    await store.insertInbox(row, { inboxId: 'a', kind: 'signal', body: '{}' })
    await second
    const backAgain = nextRing()
    const bell = `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`
    await db.query(`SELECT pg_terminate_backend(pid) FROM (${bell}) AS listening`)
    const other = await openPostgresStore({ connectionString: url })
    await other.insertInbox(row, { inboxId: 'b', kind: 'signal', body: '{}' })
    await other.close()
    expect((await store.dueRuns(0, 'me', 10)).map(({ runId }) => runId)).toEqual(['r1'])
    expect((await store.readInbox(row.runKey)).map(({ inboxId }) => inboxId)).toEqual(['a', 'b'])
    await backAgain
    off()
  })
})

describe('counts', () => {
  const counted = async () => Object.fromEntries(await store.countRuns('tenant-a'))

  it('are right while four connections at once move runs, and each writes rows of its own [P-41]', async () => {
    const handles = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore({ connectionString: url, poolSize: 1 })))
    const move = async (by: PostgresStore, index: number): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) {
        const runs = [0, 1, 2].map((n) => newRun({ runId: `c${index}-${turn}-${n}` }))
        const results = await by.commit(runs.map((run) => creation(run)))
        const rows = await Promise.all(results.map((one) => rowOf(by, one.kind === 'committed' ? one.runKey : 0)))
        const batch = rows.map((row, n) => {
          const next = nextCommit(row, [step('StepStarted', 'a')])
          return n === 0 ? next : { ...next, summary: { ...next.summary, status: 'COMPLETED' as const } }
        })
        await by.commit(batch)
      }
    }
    await Promise.all(handles.map(move))
    expect(await counted()).toEqual({ RUNNING: 40, COMPLETED: 80 })
    const WRITERS = 'SELECT count(DISTINCT writer)::int AS writers FROM keelson.status_counts'
    expect((await db.query(WRITERS)).rows).toEqual([{ writers: 4 }])
    await Promise.all(handles.map((handle) => handle.close()))
    const gone = 'SELECT 1 FROM pg_stat_activity a JOIN keelson.status_counts c ON c.writer = a.pid'
    while ((await db.query(gone)).rows.length > 0);
    await (await openPostgresStore({ connectionString: url })).close()
    expect((await db.query('SELECT DISTINCT writer FROM keelson.status_counts')).rows).toEqual([{ writer: 0 }])
    expect(await counted()).toEqual({ RUNNING: 40, COMPLETED: 80 })
  })

  it('cost nothing while no status changes [P-41]', async () => {
    const row = await startedRun(store, 'r1')
    const versions = async () => (await db.query('SELECT xmin, xmax, * FROM keelson.status_counts')).rows
    const before = await versions()
    await store.commit([nextCommit(row, [step('StepStarted', 'a')])])
    expect(await versions()).toEqual(before)
  })
})

it('a server that stops does not take the process with it, and the store goes on when it is back', async () => {
  const row = await startedRun(store, 'r1')
  db.on('error', () => undefined)
  const lost = new Promise<void>((resolve) => db.once('end', () => resolve()))
  await server.restart()
  await lost
  db = new Client({ connectionString: url })
  await db.connect()
  const [result] = await store.commit([nextCommit(row, [step('StepStarted', 'a')])])
  expect(result?.kind).toBe('committed')
})

it('a store that is closed lets the calls through that came before, also those still waiting for a connection', async () => {
  const other = await openPostgresStore({ connectionString: url, poolSize: 1 })
  const calls = Array.from({ length: 10 }, (_, index) => other.commit([creation(newRun({ runId: `late-${index}` }))]))
  await other.close()
  expect((await Promise.all(calls)).map(([result]) => result?.kind)).toEqual(calls.map(() => 'committed'))
})
