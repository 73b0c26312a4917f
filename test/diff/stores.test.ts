/**
 * Random sequences of operations through the memory store, the oracle, and SQLite: answers and runs must be equal after
 * every one. It ends only when each kind of operation has succeeded often enough to mean something.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunRow, RunStore } from '../../src/ports/run-store.ts'
import { manualClock, stateOf } from '../../src/testing/store-case.ts'
import { OPERATIONS, type Chance, type Move } from './operations.ts'

const SEED = Number(process.env['KEELSON_SEED'] ?? Date.now() % 1_000_000_000)
const SEQUENCES = Number(process.env['KEELSON_DIFF_SEQUENCES'] ?? 60)
const OPERATIONS_PER_SEQUENCE = 50
const ENOUGH = 20
const AT_MOST = SEQUENCES * 20

/** A file system in memory where there is one: hundreds of small databases need not wait for a disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, pick: (items) => items[below(items.length)] ?? items[0] }
}

interface Answer {
  readonly value?: unknown
  readonly error?: string
}

async function answerOf(move: Move, store: RunStore): Promise<Answer> {
  try {
    return { value: await move.call(store) }
  } catch (error) {
    if (error instanceof KeelsonError) return { error: error.code }
    throw error
  }
}

/** Bytes as hex, so that kinds of arrays do not matter. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
}

async function sequence(seed: number, successes: Map<string, number>): Promise<void> {
  const chance = chanceOf(seed)
  const folder = mkdtempSync(join(FOLDER, 'keelson-diff-'))
  const clock = manualClock()
  const disk = createMemoryDisk()
  const path = join(folder, 'keelson.db')
  let stores = [openMemoryStore({ clock, disk }), await openSqliteStore({ path, clock })] as const
  try {
    for (let turn = 0; turn < OPERATIONS_PER_SEQUENCE; turn++) {
      const rows: readonly RunRow[] = disk.runs.map(({ row }) => row)
      const names = Object.keys(OPERATIONS)
      const name = turn < 6 ? 'create' : (names[chance.below(names.length)] ?? 'create')
      const move = OPERATIONS[name]?.({ chance, rows, now: clock.now() })
      if (move === undefined) throw new Error(`there is no operation ${name}`)
      const [ours, theirs] = [await answerOf(move, stores[0]), await answerOf(move, stores[1])]
      const place = `seed ${seed}, operation ${turn} (${name})`
      expect(plain(theirs), place).toEqual(plain(ours))
      for (const { runKey } of disk.runs.map(({ row }) => row))
        expect(await stateOf(stores[1], runKey), `${place}, run ${runKey}`).toEqual(await stateOf(stores[0], runKey))
      const succeeded = ours.error === undefined && (move.succeeded?.(ours.value) ?? true)
      if (succeeded) successes.set(name, (successes.get(name) ?? 0) + 1)
      clock.advance(chance.below(200) - 40)
      if (chance.below(25) > 0) continue
      await Promise.all(stores.map((store) => store.close()))
      stores = [openMemoryStore({ clock, disk }), await openSqliteStore({ path, clock })]
    }
  } finally {
    await Promise.all(stores.map((store) => store.close()))
    rmSync(folder, { recursive: true })
  }
}

describe('memory and SQLite', () => {
  it('answer alike, operation by operation [STO-22]', { timeout: 300_000 }, async () => {
    console.log(`KEELSON_SEED=${SEED}`)
    const successes = new Map<string, number>()
    const rare = (): readonly string[] => Object.keys(OPERATIONS).filter((name) => (successes.get(name) ?? 0) < ENOUGH)
    let done = 0
    while (done < SEQUENCES || (rare().length > 0 && done < AT_MOST)) await sequence(SEED + done++, successes)
    console.log(`${done} sequences, ${[...successes].map(([name, count]) => `${name} ${count}`).join(', ')}`)
    expect(rare(), 'operations that succeeded too seldom').toEqual([])
  })
})
