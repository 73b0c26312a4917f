/** Upgrade from the schema before labels: runs are found by the labels of their plan as they were, altered plans aside. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migratedTo } from '../../../../test/fixtures/postgres-before.ts'
import { startPostgres, type PostgresServer } from '../../../../test/setup/postgres.ts'
import { MIGRATIONS } from './migrate.ts'
import { openPostgresStore } from './store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const PLAN = `INSERT INTO keelson.plans (tenant_id, sha256, plan_id, plan_version, text, replaces)
  VALUES ('tenant-a', $1, $2, '1', $3, false)`
const RUN = `INSERT INTO keelson.runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
    engine_type, engine_run_ref, created_at, updated_at, epoch, next_seq, head_hash, status, rules_version,
    min_rules_version, steps_total, steps_done, steps_failed, owed)
  VALUES ($1, 'tenant-a', 'project-a', 'test', $2, '1', $3, 'embedded', $1, 1, 1, 1, 1, $4, 'RUNNING', 1, 1, 0, 0, 0, false)`

it('a database of the schema before has its runs found by the labels of their plans, and opens with an altered plan', async () => {
  const url = await server.createDatabase('labels')
  const before = await migratedTo(url, MIGRATIONS.indexOf('0025-labels.sql'))
  const texts = [
    JSON.stringify({ metadata: { labels: { team: 'stock', long: 'x'.repeat(201) } } }),
    '{"metadata":{"labels":',
    JSON.stringify({ steps: [{ labels: { team: 'stock' } }] }),
    '{"metadata":{"labels":{"team":"\\u0000"}}}',
  ]
  for (const [at, text] of texts.entries()) {
    const sha256 = String(at).repeat(64)
    await before.query(PLAN, [sha256, `p${at}`, text])
    await before.query(RUN, [`r${at}`, `p${at}`, sha256, Buffer.alloc(32)])
  }
  await before.end()
  const opened = await openPostgresStore({ connectionString: url })
  const found = await opened.listRuns('tenant-a', { labels: { team: 'stock' } }, { limit: 9 })
  expect(found.runs.map(({ runId }) => runId)).toEqual(['r0'])
  expect((await opened.readSides(found.runs[0]?.runKey ?? 0)).labels).toEqual({ team: 'stock' })
  await opened.close()
})
