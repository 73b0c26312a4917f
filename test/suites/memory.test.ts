/** The store suite on the memory store: as it is, and throwing numbers away after each commit. */
import { describe, it } from 'vitest'
import { createMemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { runStoreSuite, type StoreHarness } from '../../src/testing/run-store-suite.ts'

function harness(name: string, burn: number): StoreHarness {
  return {
    name,
    open: async ({ clock }) => {
      const disk = createMemoryDisk()
      const store = openMemoryStore({ clock, disk, burn })
      const reopen = async () => {
        await store.close()
        return openMemoryStore({ clock, disk, burn })
      }
      return { store, reopen, close: () => store.close() }
    },
  }
}

runStoreSuite({ describe, it }, harness('memory', 0))
runStoreSuite({ describe, it: (title, body) => it(`${title} [STO-03]`, body) }, harness('memory that burns numbers', 3))
