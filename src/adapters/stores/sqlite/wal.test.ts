/** The write-ahead log under a long reader: it is emptied as soon as possible, without anybody's action. */
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { creation, step } from '../../../testing/store/store-case.ts'
import { connect } from './connect.ts'
import { storeOn } from './store.ts'
import type { WalLimits } from './wal.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

const LIMIT_BYTES = 200_000
const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let path = ''

beforeEach(() => {
  folder = testFolder()
  path = join(folder, 'keelson.db')
})

const walBytes = (): number => statSync(`${path}-wal`).size

/** Opens a store, exceeds the limit by a burst of commits while a reader stays, then commits once more. */
async function burst(wal: WalLimits): Promise<{ readonly during: number; readonly after: number }> {
  const connection = await connect({ path, wal })
  const store = storeOn(connection, clock)
  const write = async (runId: string): Promise<void> => {
    const data = { result: 'x'.repeat(20_000) }
    const [result] = await store.commit([creation(newRun({ runId }), [{ ...step('StepCompleted', 'a'), data }])])
    expect(result?.kind).toBe('committed')
    await new Promise(setImmediate)
  }
  await write('first')
  const reader = new DatabaseSync(path)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM runs').get()
  for (let n = 0; n < 20; n++) await write(`burst-${n}`)
  expect(reader.prepare('SELECT count(*) AS count FROM runs').get()?.['count']).toBe(1)
  const during = walBytes()
  reader.close()
  await write('last')
  const after = walBytes()
  expect((await store.listRuns('tenant-a', {}, { limit: 100 })).runs.length).toBe(22)
  await store.close()
  return { during, after }
}

it('is emptied once the reader has left, though commits went on under it', async () => {
  const { during, after } = await burst({ bytes: LIMIT_BYTES, everyMs: 0 })
  expect(during).toBeGreaterThan(LIMIT_BYTES)
  expect(after).toBe(0)
})

it('is left alone below the limit, and between two looks', async () => {
  for (const limits of [
    { bytes: 100_000_000, everyMs: 0 },
    { bytes: LIMIT_BYTES, everyMs: 3_600_000 },
  ]) {
    const { after } = await burst(limits)
    expect(after).toBeGreaterThan(LIMIT_BYTES)
    rmSync(path)
  }
})
