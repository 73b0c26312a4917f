/** Somebody with the rights of the owner opens the rows of one tenant to another: the store says so until it is mended. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { asAdmin, initRoles } from '../setup/postgres-roles.ts'

const PATIENCE_MS = 120_000
let server: PostgresServer
let url = ''

beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('secured')
  await initRoles(url, { runners: ['serving'] })
}, PATIENCE_MS)
afterAll(() => server.stop())

async function faults(of = url): Promise<readonly string[]> {
  const store = await openPostgresStore({ connectionString: of, mustExist: of === url })
  try {
    return (await store.faults()).map(({ where, what }) => `${where} ${what}`)
  } finally {
    await store.close()
  }
}

describe('row security', () => {
  it('is as it was made: nothing is told, and of a store without roles nothing is asked', async () => {
    expect(await faults()).toEqual([])
    expect(await faults(await server.createDatabase('plain'))).toEqual([])
  })

  it.each([
    [
      'switched off',
      'ALTER TABLE keelson.runs DISABLE ROW LEVEL SECURITY',
      'table runs has its row security switched off',
    ],
    ['without its policy', 'DROP POLICY own_tenant ON keelson.runs', 'policy own_tenant on runs is missing'],
    [
      'with a wider policy',
      'ALTER POLICY own_tenant ON keelson.runs USING (true)',
      'policy own_tenant on runs was altered',
    ],
    [
      'with a policy that is wider by a word',
      'ALTER POLICY own_tenant ON keelson.events USING (EXISTS (SELECT 1 FROM keelson.runs r WHERE r.run_key = events.run_key) OR true)',
      'policy own_tenant on events was altered',
    ],
    [
      'with a wider right to write',
      'ALTER POLICY own_tenant ON keelson.plans WITH CHECK (true)',
      'policy own_tenant on plans was altered',
    ],
    [
      'with a policy for others',
      'ALTER POLICY all_tenants ON keelson.runs TO keelson_runner, keelson_archivist, keelson_tenant_runner',
      'policy all_tenants on runs was altered',
    ],
    [
      'with a policy for everybody',
      'ALTER POLICY own_tenant ON keelson.runs TO PUBLIC',
      'policy own_tenant on runs was altered',
    ],
    [
      'with a policy of their own',
      'CREATE POLICY mine ON keelson.runs USING (true)',
      "policy mine on runs is not Keelson's",
    ],
  ])('%s is found by the store, and mended by who sets the roles up again', async (_how, sql, expected) => {
    await asAdmin(url, sql)
    expect(await faults()).toEqual([expected])
    await asAdmin(url, 'DROP POLICY IF EXISTS mine ON keelson.runs')
    await initRoles(url, { runners: ['serving'] })
    expect(await faults()).toEqual([])
  })
})
