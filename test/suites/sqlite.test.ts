/** The store suite on SQLite: one handle, two handles on one file taking turns, and batches and pages of one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { runStoreSuite, type StoreHarness } from '../../src/testing/store/run-store-suite.ts'
import { alternating, oneAtATime } from './alternating-store.ts'

function harness(name: string, open: (path: string, clock: Clock) => Promise<RunStore>): StoreHarness {
  return {
    name,
    open: async ({ clock }) => {
      const folder = mkdtempSync(join(tmpdir(), 'keelson-suite-'))
      const path = join(folder, 'keelson.db')
      let store = await open(path, clock)
      const reopen = async () => {
        await store.close()
        store = await open(path, clock)
        return store
      }
      const close = async () => {
        await store.close()
        rmSync(folder, { recursive: true })
      }
      return { store, reopen, close }
    },
  }
}

const single = (path: string, clock: Clock) => openSqliteStore({ path, clock })
const double = async (path: string, clock: Clock) => alternating([await single(path, clock), await single(path, clock)])

runStoreSuite({ describe, it }, harness('sqlite', single))
runStoreSuite({ describe, it }, harness('sqlite through two connections', double))
runStoreSuite(
  { describe, it },
  harness('sqlite one at a time', async (path, clock) => oneAtATime(await single(path, clock))),
)
