/** Upgrade from the schema before labels: runs are found by the labels of their plan as they were, altered plans aside. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { testFolder } from '../../../../test/fixtures/folder.ts'
import { MIGRATIONS, migrateTo } from './migrate.ts'
import { openSqliteStore } from './store.ts'

const clock = { now: () => 1_800_000_000_000 }
const long = 'x'.repeat(201)

it('a file of the schema before has its runs found by the labels of their plans, and opens with an altered plan', async () => {
  const path = join(testFolder(), 'keelson.db')
  const db = new DatabaseSync(path)
  migrateTo(db, MIGRATIONS.indexOf('0018-labels.sql'))
  db.exec(`PRAGMA application_id = 0x4b65656c; PRAGMA user_version = ${MIGRATIONS.indexOf('0018-labels.sql')}`)
  const plan = db.prepare(
    `INSERT INTO plans (tenant_id, sha256, plan_id, plan_version, text, replaces) VALUES ('tenant-a', ?, ?, '1', ?, 0)`,
  )
  const run =
    db.prepare(`INSERT INTO runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
    engine_type, engine_run_ref, created_at, updated_at, epoch, next_seq, head_hash, feed_pos, status, rules_version,
    min_rules_version, steps_total, steps_done, steps_failed, owed)
    VALUES (?, ?, 'p', 'e', ?, '1', ?, 'embedded', '', 5, 5, 1, 1, zeroblob(32), ?, 'RUNNING', 1, 1, 1, 0, 0, 0)`)
  const texts = [
    JSON.stringify({ metadata: { labels: { team: 'stock', long } } }),
    '{"metadata":{"labels":',
    JSON.stringify({ steps: [{ labels: { team: 'stock' } }] }),
  ]
  for (const [at, text] of texts.entries()) {
    const sha256 = String(at).repeat(64)
    plan.run(sha256, `p${at}`, text)
    run.run(`r${at}`, 'tenant-a', `p${at}`, sha256, at)
  }
  run.run('other', 'tenant-b', 'p0', '0'.repeat(64), texts.length)
  db.close()
  const opened = await openSqliteStore({ path, clock })
  const found = await opened.listRuns('tenant-a', { labels: { team: 'stock' } }, { limit: 9 })
  expect(found.runs.map(({ runId }) => runId)).toEqual(['r0'])
  expect((await opened.readSides(found.runs[0]?.runKey ?? 0)).labels).toEqual({ team: 'stock' })
  expect((await opened.listRuns('tenant-b', { labels: { team: 'stock' } }, { limit: 9 })).runs).toEqual([])
  await opened.close()
})
