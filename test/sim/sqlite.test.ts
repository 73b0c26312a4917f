/** The same histories on the store people use: one SQLite file under all of them, its own constraints switched on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { connect } from '../../src/adapters/stores/sqlite/connect.ts'
import { storeOn } from '../../src/adapters/stores/sqlite/store.ts'
import { SEED } from './default-run.ts'
import { explore } from './explore.ts'

const folder = mkdtempSync(join(tmpdir(), 'keelson-sim-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('200 histories on SQLite keep every invariant', { timeout: 200_000 }, async () => {
  process.stdout.write(`KEELSON_SEED=${SEED}\n`)
  const connection = await connect({ path: join(folder, 'sim.db') })
  // Every commit waits for the disk otherwise; what a lost power line does is not what is looked for here.
  connection.db.exec('PRAGMA synchronous = OFF')
  const report = await explore({
    histories: 200,
    seed: SEED,
    failuresMax: 3,
    openStore: (time) => storeOn(connection, { now: () => time.now }),
    adjust: (scenario) => ({ ...scenario, burn: 0 }),
  })
  connection.close()
  expect(report.failing.map((one) => `seed ${one.seed}: ${one.violations.join('; ')}`)).toEqual([])
  expect(report.histories).toBe(200)
  expect(report.adoptions).toBeGreaterThan(10)
})
