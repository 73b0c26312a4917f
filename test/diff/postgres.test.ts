/** PostgreSQL against the oracle: one database, emptied for each random sequence of operations. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { extent } from '../setup/extent.ts'
import { emptyStore, startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { compareWithOracle, type Subject } from './differential.ts'
import { renumbered, type KeyTable } from './renumbered.ts'

const SEQUENCES = Number(process.env['KEELSON_DIFF_SEQUENCES'] ?? extent(8, 15))

let server: PostgresServer
let url = ''
beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('diff')
})
afterAll(() => server.stop())

async function open(clock: Clock): Promise<Subject> {
  const keys: KeyTable = []
  let store = await openPostgresStore({ connectionString: url, clock })
  const reopen = async () => {
    await store.close()
    store = await openPostgresStore({ connectionString: url, clock })
    return renumbered(store, keys)
  }
  const close = async () => {
    await store.close()
    await emptyStore(url)
  }
  return { store: renumbered(store, keys), reopen, close }
}

describe('memory and PostgreSQL', () => {
  it('answer alike, operation by operation [STO-22]', { timeout: 600_000 }, () =>
    compareWithOracle({ open, sequences: SEQUENCES, enough: extent(1, 3), tell: console.log }),
  )
})
