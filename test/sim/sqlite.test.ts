/** The same histories on the store people use: a SQLite file for each of them, its own constraints switched on. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connect } from '../../src/adapters/stores/sqlite/connect.ts'
import { storeOn } from '../../src/adapters/stores/sqlite/store.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { SEED } from './default-run.ts'
import { explore } from './explore.ts'
import type { VirtualTime } from './virtual-time.ts'
import { fileFolder } from '../fixtures/folder.ts'

const folder = fileFolder()

it(
  '200 histories on SQLite keep every invariant, those in which runs compete among them',
  { timeout: 300_000 },
  async () => {
    process.stdout.write(`KEELSON_SEED=${SEED}\n`)
    let opened: Awaited<ReturnType<typeof connect>> | undefined
    let count = 0
    const openStore = async (time: VirtualTime): Promise<RunStore> => {
      opened?.close()
      opened = await connect({ path: join(folder, `sim-${(count += 1)}.db`) })
      // Every commit waits for the disk otherwise; what a lost power line does is not what is looked for here.
      opened.db.exec('PRAGMA synchronous = OFF')
      return storeOn(opened, { now: () => time.now })
    }
    const adjust = <T>(scenario: T): T => ({ ...scenario, burn: 0 })
    const report = await explore({ histories: 200, seed: SEED, failuresMax: 3, openStore, adjust })
    opened?.close()
    expect(report.failing.map((one) => `seed ${one.seed}: ${one.violations.join('; ')}`)).toEqual([])
    expect(report.histories).toBe(200)
    expect(report.adoptions).toBeGreaterThan(10)
    expect(report.reached['grants refused']).toBeGreaterThan(100)
    expect(report.reached['input grant']).toBeGreaterThan(10)
    expect(report.reached['feed deliveries']).toBeGreaterThan(100)
  },
)
