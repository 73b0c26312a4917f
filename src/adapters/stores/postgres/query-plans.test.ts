/** The queries that many runs must not slow down use an index and sort nothing: PostgreSQL's own plan shows it. */
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../../../../test/setup/postgres.ts'
import type { ListFilter } from '../../../ports/run-store.ts'
import type { DecisionFilter } from '../../../ports/decisions.ts'
import { ARCHIVABLE } from './archive.ts'
import { listQuery as decisionsQuery } from './decisions.ts'
import { DUE, LEASED_RUNS, STALLED } from './leases.ts'
import { listQuery } from './list.ts'
import { MOVED } from './moves.ts'
import { BY_ENGINE_REF } from './read.ts'
import { openPostgresStore } from './store.ts'

const RUNS = 5000
/** Runs of all kinds; nearly all of them wait for nothing that is due. */
const FILL = `INSERT INTO keelson.runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
    engine_type, engine_run_ref, original_run_id, created_at, updated_at, epoch, next_seq, head_hash, status,
    next_wake_at, rules_version, min_rules_version, steps_total, steps_done, steps_failed, owed, lease_until)
  SELECT 'r' || n, 't' || n % 20, 'p', 'e', 'plan-' || n % 3, '1', '', 'embedded', 'ref-' || n,
    CASE WHEN n % 100 = 0 THEN 'r1' END, n, n, 1, 1, '', (ARRAY['RUNNING', 'COMPLETED', 'PAUSED'])[1 + n % 3],
    1000000 + n, 1, 1, 0, 0, 0, n % 2 = 0, 1000000 FROM generate_series(1, ${RUNS}) AS n`
/** Inbox rows; nearly all of them are consumed or known to their run's row. */
const LETTERS = `INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at, consumed_seq, silent)
  SELECT n, 'grant:' || n, 'grant', '{}', n, CASE WHEN n % 3 = 0 THEN 1 END, n % 3 = 0 OR n % 500 = 1
  FROM generate_series(1, ${RUNS}) AS n`
const LABELS = `INSERT INTO keelson.run_labels (run_key, name, value, tenant_id, created_at)
  SELECT n, 'customer', 'C-' || n % 50, 't' || n % 20, n FROM generate_series(1, ${RUNS}) AS n`
const DECISIONS = `INSERT INTO keelson.signal_decisions (tenant_id, run_id, signal_id, signal_decision_id, policy_decision_id,
    decision, actor_id, actor_role, decided_at, signal_type, signal_payload)
  SELECT 't' || n % 20, 'r' || n % 700, 's' || n, 'd' || n, 'p' || n,
    CASE WHEN n % 97 = 0 THEN 'PENDING' ELSE 'ACCEPTED' END, 'ana', 'Operator', n, 'PAUSE', '{}'
  FROM generate_series(1, ${RUNS}) AS n`
/** One event of each run; each by a transaction of its own. */
const EVENTS = `INSERT INTO keelson.events (run_key, seq, persisted_at, event_type, idempotency_key, chain_hash, record, generation, xid)
  SELECT n, 1, n, 'RunStarted', sha256(n::text::bytea), sha256(n::text::bytea), '{}', 1, n::text::xid8
  FROM generate_series(1, ${RUNS}) AS n`
let server: PostgresServer
let db: Client

beforeAll(async () => {
  server = await startPostgres()
  const url = await server.createDatabase('plans')
  await (await openPostgresStore({ connectionString: url })).close()
  db = new Client({ connectionString: url })
  await db.connect()
  await db.query(FILL)
  await db.query(LETTERS)
  await db.query(LABELS)
  await db.query(EVENTS)
  await db.query(DECISIONS)
  await db.query('VACUUM ANALYZE keelson.runs, keelson.run_inbox, keelson.run_labels, keelson.signal_decisions')
})
afterAll(async () => {
  await db.end()
  await server.stop()
})

async function planOf(sql: string, values: readonly unknown[]): Promise<string> {
  const { rows } = await db.query<Record<string, string>>(`EXPLAIN ${sql}`, [...values])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

describe('the store', () => {
  it('finds due runs through their indexes, however many wait, and inbox rows of offers through theirs', async () => {
    const plan = await planOf(DUE, [10, 'me', 100])
    const walked = [...plan.matchAll(/Index (?:Only )?Scan using (\w+)/g)].map(([, index]) => index)
    const byRun = ['runs_wake', 'runs_inbox', 'runs_owed', 'runs_owed', 'run_inbox_silent', 'runs_pkey']
    expect(walked.slice(0, -1)).toEqual(byRun)
    expect(walked.at(-1)).toMatch(/^run_inbox_(silent|unconsumed)$/)
    // Only runs whose lease was returned with work in flight are sorted, by the time they were left.
    expect(plan.match(/Seq Scan|Sort Key: .*/g)).toEqual(['Sort Key: runs_3.updated_at, runs_3.run_key'])
  })

  it('finds runs that somebody holds through the same indexes, and sorts only those that have something to do', async () => {
    const plan = await planOf(LEASED_RUNS, [10, 100])
    const walked = [...plan.matchAll(/Index (?:Only )?Scan using (\w+)/g)].map(([, index]) => index)
    expect(walked.slice(0, 4)).toEqual(['runs_owed', 'runs_wake', 'runs_inbox', 'run_inbox_silent'])
    expect(plan).not.toMatch(/Seq Scan/)
    // Those with work in flight, which are the most, come out of their index in this order.
    expect(plan.match(/Sort Key: .*/g)).toHaveLength(3)
  })

  it('finds which runs moved through the index of the feed, from the position on', async () => {
    const plan = await planOf(MOVED, [1, '4990', 9, 100])
    const walked = [...plan.matchAll(/Index (?:Only )?Scan using (\w+)/g)].map(([, index]) => index)
    expect(walked).toEqual(['events_feed', 'runs_pkey'])
    expect(plan).not.toMatch(/Seq Scan on (?!feed_generation)/)
  })

  it('finds stalled runs of an engine through the same indexes, and sorts none', async () => {
    const plan = await planOf(STALLED, [10, 5, 'temporal', 100])
    const walked = [...plan.matchAll(/Index (?:Only )?Scan using (\w+)/g)].map(([, index]) => index)
    expect(walked.slice(0, -1)).toEqual(['runs_wake', 'runs_inbox', 'run_inbox_silent', 'runs_pkey'])
    expect(walked.at(-1)).toMatch(/^run_inbox_(silent|unconsumed)$/)
    expect(plan).not.toMatch(/Seq Scan|Sort Key/)
  })

  it('finds a run by the reference of its engine through two indexes', async () => {
    const plan = await planOf(BY_ENGINE_REF, ['t1', 'temporal://r1', 'r1'])
    const walked = [...plan.matchAll(/Index Scan using (\w+)/g)].map(([, index]) => index)
    expect(walked.toSorted()).toEqual(['runs_engine_ref', 'runs_run_id'])
    expect(plan).not.toContain('Seq Scan')
  })

  it('finds archivable runs by the instant they ended, oldest first', async () => {
    const plan = await planOf(ARCHIVABLE, [100, 10])
    expect(plan).toContain('using runs_archivable on')
    expect(plan).not.toMatch(/Seq Scan|Sort/)
  })

  it.each<[ListFilter, string]>([
    [{}, 'runs_status'],
    [{ status: ['PAUSED'] }, 'runs_status'],
    [{ status: ['PAUSED', 'COMPLETED'] }, 'runs_status'],
    [{ planId: 'plan-1' }, 'runs_plan_status'],
    [{ planId: 'plan-1', status: ['PAUSED'] }, 'runs_plan_status'],
    [{ createdFrom: 100, createdTo: 4000 }, 'runs_status'],
    [{ labels: { customer: 'C-1' } }, 'run_labels_value'],
    [{ labels: { customer: 'C-1', team: 'x' }, status: ['PAUSED'] }, 'run_labels_value'],
  ])('lists %j by walking %s', async (filter, index) => {
    for (const after of [undefined, { createdAt: 3000, runKey: 3000 }]) {
      const { sql, values } = listQuery('t7', filter, after, 10)
      const plan = await planOf(sql, values)
      expect(plan).toContain(`using ${index} on`)
      // Parts in their own order are merged, which is no sort.
      expect(plan.replaceAll(/Merge Append[^\n]*\n\s*Sort Key/g, '')).not.toMatch(/Seq Scan|Sort/)
    }
  })

  it.each<[DecisionFilter, RegExp]>([
    [{}, /using signal_decisions_time on/],
    [{ runId: 'r27' }, /(using|on) signal_decisions_(run|signal)\b/],
    [{ state: 'PENDING' }, /(using|on) signal_decisions_pending\b/],
  ])('lists decisions %j through %s', async (filter, index) => {
    for (const after of [[], [3000, 3000]]) {
      const values = ['t7', 10, ...after, ...(filter.runId === undefined ? [] : [filter.runId])]
      const plan = await planOf(decisionsQuery(filter, after.length > 0), values)
      expect(plan).toMatch(index)
      expect(plan).not.toContain('Seq Scan')
    }
  })

  it('lists the copies of a run through their own index', async () => {
    const { sql, values } = listQuery('t0', { originalRunId: 'r1' }, undefined, 10)
    expect(await planOf(sql, values)).toMatch(/Index Scan (using|on) runs_original/)
  })
})
