/** SQLite against the oracle: hundreds of small databases, each a random sequence of operations. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { compareWithOracle, type Subject } from './differential.ts'

const SEQUENCES = Number(process.env['KEELSON_DIFF_SEQUENCES'] ?? 60)

/** A file system in memory where there is one: hundreds of small databases need not wait for a disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

async function open(clock: Clock): Promise<Subject> {
  const folder = mkdtempSync(join(FOLDER, 'keelson-diff-'))
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
    compareWithOracle({ open, sequences: SEQUENCES, enough: 20, tell: console.log }),
  )
})
