/**
 * Very many runs put into a store by its own database, as the product would have left them: rows with random ids in all
 * indexes, one event each, counts per status. A fifth waits for a far instant; the others have ended.
 */
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

export const STORED = {
  tenant: 'local',
  plans: 5,
  everyMs: 30_000,
  statuses: ['COMPLETED', 'FAILED', 'RUNNING'],
} as const

const DAY_MS = 86_400_000
const IDENTITY = `run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256, engine_type,
  engine_run_ref, created_at, updated_at, epoch, next_seq, head_hash`
const SUMMARY = `status, next_wake_at, rules_version, min_rules_version, started_at, ended_at, steps_total, steps_done,
  steps_failed, owed`
const APPEND = 'run_key, first_seq, last_seq, persisted_at, chain_hashes, records'
/** Of run number n: one tenant has four fifths of the runs; oldest first, the newest a minute ago. */
const TENANT = `CASE WHEN n % 5 = 4 THEN 'tenant-' || (n % 50) ELSE '${STORED.tenant}' END`
const STATUS = `CASE WHEN n % 10 < 6 THEN 'COMPLETED' WHEN n % 10 < 8 THEN 'FAILED' ELSE 'RUNNING' END`

export interface Fill {
  readonly runs: number
  /** All of them wait. */
  readonly waiting?: boolean
}

function columns({ runs, waiting = false }: Fill, now: number) {
  const at = `${now - 60_000} - (${runs} - n) * ${STORED.everyMs}`
  const waits = waiting ? '1 = 1' : 'n % 10 >= 8'
  return {
    at,
    identity: (id: string, zero: string) =>
      `${id}, ${TENANT}, 'default', 'local', 'plan-' || (n % ${STORED.plans}), '1.0.0', '', 'embedded', 'embedded://' || ${id},
       ${at}, ${at}, 1, 2, ${zero}`,
    summary: (no: string) => `${waiting ? `'RUNNING'` : STATUS},
      CASE WHEN ${waits} THEN ${now + DAY_MS} + n * 10 END, 1, 1, ${at}, CASE WHEN ${waits} THEN NULL ELSE ${at} END, 3, 1, 0, ${no}`,
  }
}

/** The indexes are made after the rows: many times quicker, and the same in the end. */
export function fillSqlite(path: string, fill: Fill): void {
  const db = new DatabaseSync(path)
  try {
    const { at, identity, summary } = columns(fill, Date.now())
    const indexes = db
      .prepare(
        `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('runs', 'appends')`,
      )
      .all()
    const trigger = db.prepare(`SELECT sql FROM sqlite_master WHERE name = 'appends_come_at_the_head'`).get()
    db.exec(
      'PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN IMMEDIATE; DROP TRIGGER appends_come_at_the_head',
    )
    for (const { name } of indexes) db.exec(`DROP INDEX ${String(name)}`)
    const numbers = `WITH RECURSIVE numbers (n, id) AS (SELECT 1, lower(hex(randomblob(16)))
      UNION ALL SELECT n + 1, lower(hex(randomblob(16))) FROM numbers WHERE n < ${fill.runs})`
    db.exec(`${numbers} INSERT INTO runs (${IDENTITY}, ${SUMMARY})
      SELECT ${identity('id', 'zeroblob(32)')}, ${summary('0')} FROM numbers`)
    db.exec(`INSERT INTO appends (${APPEND}) SELECT run_key, 1, 1, ${at.replace('n)', 'run_key)')}, zeroblob(32),
      (length(run_id) + 37) || ',0:{"eventType":"RunStarted","runId":"' || run_id || '"}' FROM runs;
      INSERT INTO event_keys SELECT run_key, '', randomblob(32), 1 FROM runs`)
    for (const { sql } of indexes) db.exec(String(sql))
    db.exec(`INSERT INTO status_counts SELECT tenant_id, status, count(*) FROM runs GROUP BY tenant_id, status;
      ${String(trigger?.['sql'])}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  } finally {
    db.close()
  }
}

export async function fillPostgres(url: string, fill: Fill): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { identity, summary } = columns(fill, Date.now())
    const { rows } = await client.query<{ readonly name: string; readonly definition: string }>(
      `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
       JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
       WHERE t.relnamespace = 'keelson'::regnamespace AND t.relname = 'runs'
         AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)`,
    )
    await client.query(
      `BEGIN; SET LOCAL maintenance_work_mem = '256MB'; ${rows.map(({ name }) => `DROP INDEX keelson.${name}`).join(';')}`,
    )
    await client.query(`INSERT INTO keelson.runs (${IDENTITY}, ${SUMMARY})
      SELECT ${identity('id', `decode(repeat('00', 32), 'hex')`)}, ${summary('false')}
      FROM (SELECT n, gen_random_uuid()::text AS id FROM generate_series(1, ${fill.runs}::bigint) AS n) AS numbers`)
    await client.query(rows.map(({ definition }) => definition).join(';'))
    await client.query(`INSERT INTO keelson.status_counts (tenant_id, status, writer, runs)
      SELECT tenant_id, status, 0, count(*) FROM keelson.runs GROUP BY tenant_id, status; COMMIT`)
    await client.query('VACUUM ANALYZE keelson.runs')
  } finally {
    await client.end()
  }
}
