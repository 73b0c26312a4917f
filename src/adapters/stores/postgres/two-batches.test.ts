/** Two batches at once on one server: rows in common, in any order, are no deadlock, and each run is written once (P-08). */
import type { Client } from 'pg'
import { expect, it } from 'vitest'
import { countStatements } from '../../../../test/fixtures/counted-statements.ts'
import { onPostgres } from '../../../../test/fixtures/on-postgres.ts'
import { until } from '../../../../test/fixtures/until.ts'
import { CommitQueue } from '../../../app/commit/queue.ts'
import type { CommitResult, RunCommit, RunRow, RunStore } from '../../../ports/run-store.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { allEvents, creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import { systemTimers } from '../../system/timers.ts'
import { openPostgresStore, type PostgresStore } from './store.ts'

const RUNS = 40
const ROUNDS = 12
const WAITING = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

let store: PostgresStore
let db: Client
let url = ''

onPostgres('two_batches', { opened: (on) => ({ store, db, url } = on), held: () => ({ store, db }) })

async function started(runs: number): Promise<readonly number[]> {
  const names = Array.from({ length: runs }, (_, at) => creation(newRun({ runId: `r${at}` })))
  return (await store.commit(names)).map((result) =>
    result.kind === 'committed' ? result.runKey : expect.fail('a run was not stored'),
  )
}

const rowsOf = (keys: readonly number[]): Promise<readonly RunRow[]> =>
  Promise.all(keys.map((runKey) => rowOf(store, runKey)))
const kinds = (results: readonly CommitResult[]): readonly string[] => results.map(({ kind }) => kind)

/** Each run tells its neighbour something, as a child does its parent: every batch locks rows of the other, upwards and downwards. */
function commitsOf(rows: readonly RunRow[], round: number): readonly RunCommit[] {
  return rows.map((row, at) => {
    const other = rows[(at + 1) % rows.length] ?? row
    const told = { inboxId: `child:${row.runId}:${round}`, kind: 'child', body: '{}' }
    const notify = [{ run: { tenantId: other.tenantId, runId: other.runId }, row: told }]
    return nextCommit(row, [step('StepStarted', `s${round}`)], round % 2 === 0 ? { notify } : {})
  })
}

async function deadlocks(): Promise<number> {
  await db.query('SELECT pg_stat_clear_snapshot()')
  const { rows } = await db.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(rows[0]?.deadlocks)
}

it('batches with all rows in common, each in another order, write every run once and never deadlock [P-08]', async () => {
  const keys = await started(RUNS)
  const second = await openPostgresStore({ connectionString: url })
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const upwards = commitsOf(await rowsOf(keys), round)
      const answers = await Promise.all([
        store.commit(upwards),
        second.commit(upwards.toReversed()),
        store.commit([...upwards.slice(RUNS / 2), ...upwards.slice(0, RUNS / 2)]),
      ])
      expect(answers.flatMap(kinds).toSorted()).toEqual([
        ...Array<string>(RUNS).fill('committed'),
        ...Array<string>(2 * RUNS).fill('conflict'),
      ])
    }
  } finally {
    await second.close()
  }
  for (const row of await rowsOf(keys)) {
    expect(row.nextSeq).toBe(2 + ROUNDS)
    expect((await allEvents(store, row.runKey)).map(({ runSeq }) => runSeq)).toHaveLength(1 + ROUNDS)
  }
  expect(await deadlocks()).toBe(0)
})

it('runs that are passed over because one row is held are written by one more statement, not by one each [P-08]', async () => {
  const [parent, ...children] = await rowsOf(await started(RUNS))
  if (parent === undefined) return expect.fail('there are no runs')
  const { tenantId, runId } = parent
  const ends = children.map((row) => {
    const told = { inboxId: `child:${row.runId}`, kind: 'child', body: '{}' }
    return nextCommit(row, [step('StepStarted', 'a')], { notify: [{ run: { tenantId, runId }, row: told }] })
  })
  await db.query('BEGIN')
  await db.query('SELECT 1 FROM keelson.runs WHERE run_key = $1 FOR UPDATE', [parent.runKey])
  let answers: readonly CommitResult[] = []
  const { texts } = await countStatements(async () => {
    const written = store.commit(ends)
    await until(async () => (await db.query(`SELECT 1 ${WAITING}`)).rowCount === 1)
    await db.query('ROLLBACK')
    answers = await written
  })
  expect(kinds(answers)).toEqual(Array<string>(RUNS - 1).fill('committed'))
  expect(texts.filter((text) => text.includes('commit_run'))).toHaveLength(2)
  expect(await store.readInbox(parent.runKey)).toHaveLength(RUNS - 1)
})

it('labels, waits for events and moves to other engines cost a statement each, however many runs of a batch have them', async () => {
  const keys = await started(RUNS)
  const born = Array.from({ length: RUNS }, (_, at) => {
    const labels = { customer: `C-${at}`, team: 'stock' }
    return creation(newRun({ runId: `n${at}` }), undefined, { labels })
  })
  const rows = await rowsOf(keys)
  const moved = rows.map((row, at) => {
    const engine = { engineType: 'temporal', engineRunRef: `wf-${at}` }
    const eventWaits = { opened: [{ slot: 'a', attempt: 1, name: 'paid', key: `${at}` }], closed: [] }
    return nextCommit(row, [step('StepStarted', 'a')], { engine, eventWaits })
  })
  let answers: readonly CommitResult[] = []
  const { texts } = await countStatements(async () => {
    answers = await store.commit([...born, ...moved])
  })
  expect(kinds(answers)).toEqual(Array<string>(2 * RUNS).fill('committed'))
  // Begin, whose the waits are and their locks, the commit, what goes with it, commit.
  expect(texts).toHaveLength(8)
  for (const at of [0, RUNS - 1]) {
    const { runs } = await store.listRuns('tenant-a', { labels: { customer: `C-${at}`, team: 'stock' } }, { limit: 5 })
    expect(runs.map(({ runId }) => runId)).toEqual([`n${at}`])
    expect((await rowOf(store, keys[at] ?? 0)).engineRunRef).toBe(`wf-${at}`)
    expect(await store.readEventWaits(keys[at] ?? 0)).toEqual([{ slot: 'a', attempt: 1, name: 'paid', key: `${at}` }])
  }
})

interface Watched {
  readonly store: RunStore
  most: number
  readonly shared: number[]
}

/** Notes how many batches were on their way at once, and runs that were in two of them. */
function watched(inner: RunStore): Watched {
  const underWay = new Map<number, number>()
  let batches = 0
  const all: Watched = {
    most: 0,
    shared: [],
    store: {
      ...inner,
      commit: async (batch) => {
        const keys = new Set(batch.flatMap(({ runKey }) => (runKey === undefined ? [] : [runKey])))
        batches += 1
        all.most = Math.max(all.most, batches)
        for (const key of keys) {
          if (underWay.has(key)) all.shared.push(key)
          underWay.set(key, 1)
        }
        try {
          return await inner.commit(batch)
        } finally {
          batches -= 1
          for (const key of keys) underWay.delete(key)
        }
      },
    },
  }
  return all
}

it('the queue has two batches on their way to this store, no run in both, and all commits of a run in order [P-06, P-08]', async () => {
  const keys = await started(RUNS)
  const seen = watched(store)
  const queue = new CommitQueue(seen.store, systemTimers)
  const goOn = async (runKey: number): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const commit = nextCommit(await rowOf(store, runKey), [step('StepStarted', `s${round}`)])
      expect(await queue.submit(commit)).toMatchObject({ kind: 'committed' })
    }
  }
  await Promise.all(keys.map(goOn))
  expect([seen.most, seen.shared]).toEqual([2, []])
  for (const row of await rowsOf(keys)) expect(row.nextSeq).toBe(2 + ROUNDS)
  expect(await deadlocks()).toBe(0)
})

it('a batch whose connection is cut leaves the batch beside it alone [P-10]', async () => {
  const keys = await started(2)
  const [held, free] = await rowsOf(keys)
  if (held === undefined || free === undefined) return expect.fail()
  const queue = new CommitQueue(store, systemTimers)
  await db.query('BEGIN')
  await db.query('SELECT 1 FROM keelson.runs WHERE run_key = $1 FOR UPDATE', [held.runKey])
  const lost = queue.submit(nextCommit(held, [step('StepStarted', 'a')])).catch((thrown: unknown) => thrown)
  await until(async () => (await db.query(`SELECT 1 ${WAITING}`)).rowCount === 1)
  const written = await queue.submit(nextCommit(free, [step('StepStarted', 'a')]))
  expect(written).toMatchObject({ kind: 'committed', runKey: free.runKey })
  await db.query(`SELECT pg_terminate_backend(pid) ${WAITING}`)
  expect(await lost).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await db.query('ROLLBACK')
  expect((await rowsOf(keys)).map(({ nextSeq }) => nextSeq)).toEqual([2, 3])
  const again = await queue.submit(nextCommit(held, [step('StepStarted', 'a')]))
  expect(again).toMatchObject({ kind: 'committed' })
})

it.each([
  [undefined, 2],
  [4, 2],
  [3, 2],
  [2, 1],
  [1, 1],
])('with %s connections the store takes %s batches at once', async (poolSize, atOnce) => {
  const other = await openPostgresStore({ connectionString: url, ...(poolSize === undefined ? {} : { poolSize }) })
  expect(other.commitsAtOnce).toBe(atOnce)
  await other.close()
})
