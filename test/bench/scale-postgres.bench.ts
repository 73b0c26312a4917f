/** A PostgreSQL database with 1,000,000 runs beside one with 1,000: starting, listing and counting cost the same. */
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { startPostgres } from '../setup/postgres.ts'
import type { BenchRow } from './row.ts'
import { SCALE, scaleRows } from './scale-rows.ts'
import { fillPostgres } from './stored-runs.ts'

export async function benchScalePostgres(): Promise<readonly BenchRow[]> {
  const server = await startPostgres({ max_wal_size: '4GB' })
  const filled = async (runs: number): Promise<RunStore> => {
    const connectionString = await server.createDatabase(`runs_${runs}`)
    const store = await openPostgresStore({ connectionString, poolSize: 1 })
    await fillPostgres(connectionString, { runs })
    return store
  }
  try {
    const [few, many] = [await filled(SCALE.few), await filled(SCALE.many)]
    const rows = await scaleRows('PostgreSQL, 1,000,000 runs ÷ 1,000', { few, many })
    for (const store of [few, many]) await store.close()
    return rows
  } finally {
    await server.stop()
  }
}
