/** The store suite again, through logins that may do no more than their roles: what a store needs, they have. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { runStoreSuite, type StoreHarness } from '../../src/testing/store/run-store-suite.ts'
import { emptyStore, startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { initRoles, urlOf } from '../setup/postgres-roles.ts'

let server: PostgresServer
let url = ''
beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('suite_roles')
  await initRoles(url, { runners: ['worker'], archivists: ['worker'] })
})
afterAll(() => server.stop())

const HARNESS: StoreHarness = {
  name: 'postgres as a member of keelson_runner and keelson_archivist',
  open: async ({ clock }) => {
    const open = () => openPostgresStore({ connectionString: urlOf(url, 'worker'), clock })
    let store = await open()
    const reopen = async () => {
      await store.close()
      store = await open()
      return store
    }
    const close = async () => {
      await store.close()
      await emptyStore(url)
    }
    return { store, reopen, close }
  },
}

runStoreSuite({ describe, it }, HARNESS)
