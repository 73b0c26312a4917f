/**
 * The row of a run that only goes on is updated within its page (a heap-only update): no index is touched, and autovacuum has nothing to
 * clean in them. A column of an index that a step changes, or pages without room, would end that unseen.
 */
import type { Client } from 'pg'
import { expect, it } from 'vitest'
import { onPostgres } from '../../../../test/fixtures/on-postgres.ts'
import { until } from '../../../../test/fixtures/until.ts'
import type { RunCommit, RunRow } from '../../../ports/run-store.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import { openPostgresStore, type PostgresStore } from './store.ts'

let url = ''
let store: PostgresStore
let db: Client

onPostgres('hot', { opened: (on) => ({ url, store, db } = on), held: () => ({ store, db }) })

const UPDATES = `SELECT coalesce(n_tup_upd, 0)::integer AS all, coalesce(n_tup_hot_upd, 0)::integer AS hot
  FROM pg_stat_user_tables WHERE relid = 'keelson.runs'::regclass`

interface Updates {
  readonly all: number
  readonly hot: number
}

async function counted(): Promise<Updates> {
  await db.query('SELECT pg_stat_clear_snapshot()')
  const { rows } = await db.query<Updates>(UPDATES)
  return rows[0] ?? { all: 0, hot: 0 }
}

const goOn = (row: RunRow, round: number): RunCommit =>
  nextCommit(row, [step('StepCompleted', `s${round}`), step('StepStarted', `s${round + 1}`)])

/** The share of updates within their page. In a store of its own: a connection tells the server's statistics what it did when it ends. */
async function shareOf(runs: number, rounds: number): Promise<number> {
  const before = await counted()
  const own = await openPostgresStore({ connectionString: url })
  const born = Array.from({ length: runs }, (_, at) => creation(newRun({ runId: `r${at}` })))
  const keys = (await own.commit(born)).map((one) => ('runKey' in one ? one.runKey : expect.fail(one.kind)))
  for (let round = 0; round < rounds; round += 1) {
    const rows = await Promise.all(keys.map((key) => rowOf(own, key)))
    const answers = await own.commit(rows.map((row) => goOn(row, round)))
    expect(answers.every(({ kind }) => kind === 'committed')).toBe(true)
  }
  await own.close()
  // The server closes it a moment later than we do.
  const all = runs * rounds
  await until(async () => (await counted()).all >= before.all + all)
  return ((await counted()).hot - before.hot) / all
}

it.each([
  ['one run', 1, 200],
  ['twenty runs at once', 20, 50],
  ['a hundred runs at once', 100, 30],
])('%s: steps touch no index of the rows of runs', async (_which, runs, rounds) => {
  expect(await shareOf(runs, rounds)).toBeGreaterThan(0.9)
})
