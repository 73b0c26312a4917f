/** What an open append refuses beyond its schema: values without a JSON form. */
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { IDENTITY, sampleOf } from '../../../test/golden/event-samples.ts'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import { KeelsonError, type Problem } from '../../core/problems/problem.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { newRun } from '../../testing/store/run-fixtures.ts'
import { creation } from '../../testing/store/store-case.ts'
import { appendEvents } from '../../../test/fixtures/open-writes.ts'

const options = { random: { uuid: () => randomUUID(), bytes: (length: number) => new Uint8Array(randomBytes(length)) } }

async function storeWithRun(): Promise<{ store: RunStore; row: RunRow }> {
  const store = openMemoryStore({ clock: { now: () => 1_772_359_201_234 } })
  await store.commit([creation(newRun(IDENTITY), [])])
  const row = await store.findRun(IDENTITY)
  if (row === undefined) throw new Error('the run was not created')
  return { store, row }
}

function refusal(promise: Promise<unknown>): Promise<readonly Problem[]> {
  return promise.then(
    () => [],
    (error: unknown) => {
      if (error instanceof KeelsonError) return error.problems
      throw error
    },
  )
}

const length = async (store: RunStore, row: RunRow): Promise<number> => (await store.readEvents(row.runKey, {})).length

describe('what is no JSON', () => {
  it('never reaches the store: bytes, maps, big integers and oversize values are refused whole [STO-26]', async () => {
    const { store, row } = await storeWithRun()
    const hostile: readonly unknown[] = [
      Buffer.from('%PDF-1.7'),
      new Uint8Array([1, 2, 3]),
      new ArrayBuffer(8),
      new Map([['a', 1]]),
      10n,
      'x'.repeat(65_536),
    ]
    for (const value of hostile) {
      const hidden = { ...sampleOf('StepCompleted'), data: { result: { file: value } } }
      expect(await refusal(appendEvents(store, IDENTITY, [hidden], options))).not.toEqual([])
    }
    expect(await length(store, row)).toBe(0)
    const fits = { ...sampleOf('StepCompleted'), data: { result: { file: 'x'.repeat(65_000) } } }
    await appendEvents(store, IDENTITY, [fits], options)
    expect(await length(store, row)).toBe(1)
  })
})
