/** Plans of a database from before plans belonged to tenants; and the runner's role may only add plans. */
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectOldPlans, OLD_PLANS, OLD_USES } from '../../../../test/fixtures/old-plans.ts'
import { startPostgres, type PostgresServer } from '../../../../test/setup/postgres.ts'
import { MIGRATIONS } from './migrate.ts'
import { openPostgresStore } from './store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const sqlOf = (name: string): string => readFileSync(new URL(`./sql/${name}`, import.meta.url), 'utf8')

/** As the previous version wrote it, with the role of that time: it knew nothing of publications. */
async function oldDatabase(db: Client): Promise<void> {
  const before = MIGRATIONS.indexOf('0018-plans-of-tenants.sql')
  await db.query(`CREATE SCHEMA keelson; CREATE TABLE keelson.migrations (version integer PRIMARY KEY, name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())`)
  for (const [index, name] of MIGRATIONS.slice(0, before).entries()) {
    await db.query(sqlOf(name))
    await db.query('INSERT INTO keelson.migrations (version, name) VALUES ($1, $2)', [index + 1, name])
  }
  await db.query(`CREATE ROLE keelson_runner NOLOGIN; GRANT USAGE ON SCHEMA keelson TO keelson_runner;
    GRANT SELECT ON ALL TABLES IN SCHEMA keelson TO keelson_runner; GRANT INSERT ON keelson.plans TO keelson_runner`)
  for (const [sha256, planId, version] of OLD_PLANS)
    await db.query('INSERT INTO keelson.plans (sha256, plan_id, plan_version, text) VALUES ($1, $2, $3, $4)', [
      sha256,
      planId,
      version,
      `text ${sha256}`,
    ])
  for (const [runId, tenant, sha256] of OLD_USES)
    await db.query(
      `INSERT INTO keelson.runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
        engine_type, engine_run_ref, created_at, updated_at, epoch, next_seq, head_hash, status, rules_version,
        min_rules_version, steps_total, steps_done, steps_failed, owed)
      VALUES ($1, $2, 'p', 'e', 'pay', '1', $3, 'embedded', $1, 1, 1, 1, 1, '', 'RUNNING', 1, 1, 0, 0, 0, false)`,
      [runId, tenant, sha256],
    )
}

it('stored plans go to the tenants whose runs use them, each to all of them, and to the local one if nobody does', async () => {
  const url = await server.createDatabase('old_plans')
  const db = new Client({ connectionString: url })
  await db.connect()
  await oldDatabase(db)
  const store = await openPostgresStore({ connectionString: url })
  await expectOldPlans(store)
  await store.close()
  await db.query('SET ROLE keelson_runner')
  const added = `INSERT INTO keelson.plan_publications (tenant_id, plan_id, plan_version, sha256, replaces)
    VALUES ('t', 'p', '1', 'aa', false)`
  expect((await db.query(added)).rowCount).toBe(1)
  for (const table of ['plans', 'plan_publications'])
    for (const sql of [`UPDATE keelson.${table} SET sha256 = 'zz'`, `DELETE FROM keelson.${table}`])
      await expect(db.query(sql)).rejects.toThrow('permission denied')
  await db.end()
})
