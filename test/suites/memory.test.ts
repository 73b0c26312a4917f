/** The store suite on the memory store: as it is, and throwing numbers away after each commit. */
import { describe, expect, it } from 'vitest'
import { createMemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { runStoreSuite, type StoreHarness } from '../../src/testing/store/run-store-suite.ts'

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

describe('a store whose numbers have gaps', () => {
  it('passes the whole suite, because nothing demands that they follow each other [STO-03]', async () => {
    const cases: { readonly title: string; readonly body: () => Promise<void> }[] = []
    const collect = {
      describe: (_: string, body: () => void) => body(),
      it: (title: string, body: () => Promise<void>) => void cases.push({ title, body }),
    }
    runStoreSuite(collect, harness('memory that burns numbers', 3))
    expect(cases.length).toBeGreaterThan(40)
    for (const { title, body } of cases) await expect(body(), title).resolves.toBeUndefined()
  })
})
