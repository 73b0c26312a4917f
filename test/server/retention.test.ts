/** Decisions and audit records outlive the runs they are about: nothing removes them, and they are found by their indexes. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import { expect, it } from 'vitest'
import type { PostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { storeOf } from '../../src/library/services-of.ts'
import { testFolder } from '../fixtures/folder.ts'
import { onPostgres } from '../fixtures/on-postgres.ts'
import { heldServer } from './held-run.ts'

let db: Client
let store: PostgresStore
onPostgres('retention', { opened: (on) => ({ db, store } = on), held: () => ({ db, store }) })

/** The first columns of an index of this table, each. */
const WANTED = [['tenant_id', 'run_id', 'decided_at'], ['signal_id'], ['policy_decision_id']]

function hasAll(indexes: readonly (readonly string[])[]): boolean {
  const begins = (index: readonly string[], wanted: readonly string[]): boolean =>
    wanted.every((column, at) => index[at] === column)
  return WANTED.every((wanted) => indexes.some((index) => begins(index, wanted)))
}

it('erasing, archiving and sweeping leave decisions and the audit log alone, but for what is personal [AUT-11]', async () => {
  const directory = testFolder()
  await using held = await heldServer({ directory })
  const executionId = await held.started()
  const signalId = randomUUID()
  const reason = 'a storm over Ghent'
  await held.signal(executionId, { signalId, signalType: 'EMERGENCY_STOP', payload: { reason } })
  const own = onBehalf(held.keelson, { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'ana' })
  await (await own.run(executionId)).result()
  const kept = storeOf(held.keelson)
  const audited = (await kept.readAudit('acme', 0, 99)).length
  expect(audited).toBeGreaterThan(0)
  const { row } = await own.run(executionId)
  await own.maintenance.erase(row, { reason: 'asked for', actorId: 'ana' })
  await own.maintenance.archive((await own.run(executionId)).row, testFolder())
  const sevenYears = 7 * 366 * 86_400_000
  await kept.sweepRequests(Date.now() + sevenYears)
  while ((await kept.purgeEvents(1_000)) > 0);
  const decision = await kept.findDecision('acme', { runId: executionId, signalId })
  expect(decision).toMatchObject({ signalType: 'EMERGENCY_STOP', decision: 'ACCEPTED', audit: { actorId: 'ana' } })
  expect(JSON.stringify(decision)).not.toContain(reason)
  const after = await kept.readAudit('acme', 0, 99)
  expect(after.length).toBeGreaterThanOrEqual(audited)
  const file = readdirSync(directory).find((name) => name.endsWith('.db')) ?? ''
  using database = new DatabaseSync(join(directory, file))
  for (const table of ['signal_decisions', 'audit_log'])
    expect(() => database.exec(`DELETE FROM ${table}`)).toThrow(/append-only|never|stays|APPEND_ONLY|kept/i)
  const names = database.prepare("SELECT name FROM pragma_index_list('signal_decisions')").all()
  const indexes = names.map(({ name }) =>
    database
      .prepare('SELECT name FROM pragma_index_info(?)')
      .all(String(name))
      .map((column) => String(column['name'])),
  )
  expect(hasAll(indexes)).toBe(true)
})

it('on PostgreSQL decisions have the same indexes, and neither they nor the audit log can be deleted [AUT-11]', async () => {
  const { rows } = await db.query(`SELECT array_agg(a.attname::text ORDER BY k.place) AS columns FROM pg_index i
    CROSS JOIN unnest(i.indkey::int[]) WITH ORDINALITY AS k(attnum, place)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = 'keelson.signal_decisions'::regclass GROUP BY i.indexrelid`)
  expect(hasAll(rows.map(({ columns }: { readonly columns: readonly string[] }) => columns))).toBe(true)
  const triggers = await db.query(`SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'keelson'::regnamespace AND (t.tgtype & 8) <> 0 AND t.tgenabled <> 'D'`)
  const guarded = triggers.rows.map(({ relname }: { readonly relname: string }) => relname)
  expect(guarded).toEqual(expect.arrayContaining(['signal_decisions', 'audit_log']))
})
