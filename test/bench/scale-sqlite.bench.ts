/** A SQLite store with 1,000,000 runs beside one with 1,000: starting, listing and counting cost the same. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import type { BenchRow } from './row.ts'
import { SCALE, scaleRows } from './scale-rows.ts'
import { fillSqlite } from './stored-runs.ts'

export async function benchScaleSqlite(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-scale-'))
  const filled = async (runs: number): Promise<RunStore> => {
    const path = join(folder, `${runs}.db`)
    const store = await openSqliteStore({ path, clock: systemClock })
    await store.close()
    fillSqlite(path, { runs })
    return openSqliteStore({ path, clock: systemClock })
  }
  try {
    const [few, many] = [await filled(SCALE.few), await filled(SCALE.many)]
    const rows = await scaleRows('SQLite, 1,000,000 runs ÷ 1,000', { few, many })
    for (const store of [few, many]) await store.close()
    return rows
  } finally {
    rmSync(folder, { recursive: true })
  }
}
