/** Upgrade from the schema before labels: runs are found by the labels of their plan as they were, altered plans aside. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../../../../test/setup/postgres.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { creation } from '../../../testing/store/store-case.ts'
import { openPostgresStore } from './store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** As it was before the migration that makes them, whichever number it has. */
const BEFORE = `DROP TABLE keelson.run_labels; DROP FUNCTION keelson.remove_labels CASCADE;
  DELETE FROM keelson.migrations WHERE name LIKE '%-labels.sql'`

it('a database of the schema before has its runs found by the labels of their plans, and opens with an altered plan', async () => {
  const url = await server.createDatabase('labels')
  const store = await openPostgresStore({ connectionString: url })
  const texts = [
    JSON.stringify({ metadata: { labels: { team: 'stock', long: 'x'.repeat(201) } } }),
    '{"metadata":{"labels":',
    JSON.stringify({ steps: [{ labels: { team: 'stock' } }] }),
    '{"metadata":{"labels":{"team":"\\u0000"}}}',
  ]
  for (const [at, text] of texts.entries()) {
    const sha256 = String(at).repeat(64)
    await store.putPlan({ tenantId: 'tenant-a', sha256, planId: `p${at}`, planVersion: '1', text }, {})
    await store.commit([creation(newRun({ runId: `r${at}`, planId: `p${at}`, planSha256: sha256 }))])
  }
  await store.close()
  const db = new Client({ connectionString: url })
  await db.connect()
  await db.query(BEFORE)
  await db.end()
  const opened = await openPostgresStore({ connectionString: url })
  const found = await opened.listRuns('tenant-a', { labels: { team: 'stock' } }, { limit: 9 })
  expect(found.runs.map(({ runId }) => runId)).toEqual(['r0'])
  expect((await opened.readSides(found.runs[0]?.runKey ?? 0)).labels).toEqual({ team: 'stock' })
  await opened.close()
})
