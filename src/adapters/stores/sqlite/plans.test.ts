/** Plans of a file from before plans belonged to tenants. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import { expectOldPlans, OLD_PLANS, OLD_USES } from '../../../../test/fixtures/old-plans.ts'
import { MIGRATIONS } from './migrate.ts'
import { openSqliteStore } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

let folder = ''
beforeEach(() => {
  folder = testFolder()
})

it('stored plans go to the tenants whose runs use them, each to all of them, and to the local one if nobody does', async () => {
  const path = join(folder, 'keelson.db')
  const before = MIGRATIONS.indexOf('0013-plans-of-tenants.sql')
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL')
  for (const name of MIGRATIONS.slice(0, before)) db.exec(readFileSync(join(import.meta.dirname, 'sql', name), 'utf8'))
  db.exec(`PRAGMA application_id = 0x4b65656c; PRAGMA user_version = ${before}`)
  for (const [sha256, planId, version] of OLD_PLANS)
    db.prepare('INSERT INTO plans (sha256, plan_id, plan_version, text) VALUES (?, ?, ?, ?)').run(
      sha256,
      planId,
      version,
      `text ${sha256}`,
    )
  for (const [index, [runId, tenant, sha256]] of OLD_USES.entries())
    db.prepare(
      `INSERT INTO runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256, engine_type,
        engine_run_ref, created_at, updated_at, epoch, next_seq, head_hash, feed_pos, status, rules_version,
        min_rules_version, steps_total, steps_done, steps_failed, owed)
      VALUES (?, ?, 'p', 'e', 'pay', '1', ?, 'embedded', ?, 5, 5, 1, 1, x'00', ?, 'RUNNING', 1, 1, 1, 0, 0, 0)`,
    ).run(runId, tenant, sha256, runId, index + 1)
  db.close()
  const store = await openSqliteStore({ path, clock: { now: () => 9 } })
  await expectOldPlans(store)
  expect((await store.findRun({ tenantId: 'globex', runId: 'u3' }))?.planSha256).toBe('bb')
  await store.close()
})
