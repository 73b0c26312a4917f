/** The store suite on a real PostgreSQL server: one handle, and two on one database taking turns. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { runStoreSuite, type StoreHarness } from '../../src/testing/run-store-suite.ts'
import { emptyStore, startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { alternating } from './alternating-store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

function harness(name: string, open: (url: string, clock: Clock) => Promise<RunStore>): StoreHarness {
  let database: Promise<string> | undefined
  return {
    name,
    open: async ({ clock }) => {
      database ??= server.createDatabase(`suite_${name.replaceAll(' ', '_')}`)
      const url = await database
      let store = await open(url, clock)
      const reopen = async () => {
        await store.close()
        store = await open(url, clock)
        return store
      }
      const close = async () => {
        await store.close()
        await emptyStore(url)
      }
      return { store, reopen, close }
    },
  }
}

const single = (connectionString: string, clock: Clock) => openPostgresStore({ connectionString, clock })
const double = async (url: string, clock: Clock) => alternating([await single(url, clock), await single(url, clock)])

runStoreSuite({ describe, it }, harness('postgres', single))
runStoreSuite({ describe, it }, harness('postgres through two handles', double))
