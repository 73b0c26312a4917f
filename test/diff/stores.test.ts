/** SQLite against the oracle: hundreds of small databases, each a random sequence of operations. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { extent } from '../setup/extent.ts'
import { compareWithOracle, type Subject } from './differential.ts'

const SEQUENCES = Number(process.env['KEELSON_DIFF_SEQUENCES'] ?? extent(24, 60))

async function open(clock: Clock): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-diff-'))
  const path = join(folder, 'keelson.db')
  let store = await openSqliteStore({ path, clock })
  const reopen = async () => {
    await store.close()
    store = await openSqliteStore({ path, clock })
    return store
  }
  const close = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { store, reopen, close }
}

describe('memory and SQLite', () => {
  it('answer alike, operation by operation [STO-22]', { timeout: 600_000 }, () =>
    compareWithOracle({ open, sequences: SEQUENCES, enough: extent(3, 20), tell: console.log }),
  )
})
