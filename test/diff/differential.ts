/**
 * Random sequences of operations through the memory store, the oracle, and another: answers, runs, grants and feeds must
 * be equal after every one. It ends only when each kind of operation has succeeded often enough to mean something.
 */
import { expect } from 'vitest'
import { createMemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { manualClock, stateOf } from '../../src/testing/store/store-case.ts'
import { FEED_OPERATIONS, SUBSCRIBERS } from './feed-operations.ts'
import { GRANT_OPERATIONS } from './grant-operations.ts'
import { RUN_OPERATIONS } from './operations.ts'
import { type Chance, type Move, type Operations } from './scene.ts'
import { SEED } from '../setup/seed.ts'

const OPERATIONS_PER_SEQUENCE = 80
const OPERATIONS: Operations = { ...RUN_OPERATIONS, ...GRANT_OPERATIONS, ...FEED_OPERATIONS }
/** What is kept beside the runs: found again only where much of it was put before. */
const KEPT = [
  'createRequested',
  'findPlan',
  'getBlob',
  'getCheckpoint',
  'getPlan',
  'insertConflict',
  'insertDuplicate',
  'insertInbox',
  'putBlob',
  'putCheckpoint',
  'putPlan',
  'readContext',
]
const KEPT_OPERATIONS: Operations = Object.fromEntries(
  Object.entries(OPERATIONS).filter(([name]) => KEPT.includes(name)),
)
/** A sequence does mostly one thing, so that it gets somewhere; one after the other has its turn. */
const THEMES: readonly [Operations, ...Operations[]] = [
  RUN_OPERATIONS,
  KEPT_OPERATIONS,
  GRANT_OPERATIONS,
  FEED_OPERATIONS,
]

/** The store that is compared: empty, on the clock given. */
export interface Subject {
  readonly store: RunStore
  reopen(): Promise<RunStore>
  close(): Promise<void>
}

export interface Comparison {
  open(clock: Clock): Promise<Subject>
  readonly sequences: number
  /** How often each kind of operation must have succeeded. */
  readonly enough: number
  /** Takes the seed to repeat it with, and what was done. */
  tell(line: string): void
}

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

/** Everything that can be seen of a store. Dead inbox rows of one instant may lie in any order. */
async function wholeState(store: RunStore, runKeys: readonly number[]): Promise<unknown> {
  const runs: unknown[] = []
  for (const runKey of runKeys) runs.push([await stateOf(store, runKey), await store.readGrants(runKey)])
  const feeds: unknown[] = []
  for (const name of SUBSCRIBERS) {
    const inboxRows = await store.readDeadLetters(name, 1000)
    feeds.push(
      await store.feedStatus(name),
      inboxRows.toSorted((a, b) => a.runKey - b.runKey || a.runSeq - b.runSeq),
    )
  }
  return { runs, feeds, pools: await store.listPools() }
}

function nameAt(turn: number, theme: Operations, chance: Chance): string {
  if (turn < 6) return 'create'
  if (turn < 9) return 'putPool'
  const names = Object.keys(chance.below(2) === 0 ? theme : OPERATIONS)
  return names[chance.below(names.length)] ?? 'create'
}

async function sequence(subject: Comparison, number: number, successes: Map<string, number>): Promise<void> {
  const seed = SEED + number
  const chance = chanceOf(seed)
  const clock = manualClock()
  const disk = createMemoryDisk()
  const opened = await subject.open(clock)
  let [oracle, other] = [openMemoryStore({ clock, disk }), opened.store]
  const theme = THEMES[number % THEMES.length] ?? THEMES[0]
  try {
    for (let turn = 0; turn < OPERATIONS_PER_SEQUENCE; turn++) {
      const name = nameAt(turn, theme, chance)
      const move = OPERATIONS[name]?.({ chance, rows: disk.runs.map(({ row }) => row), now: clock.now() })
      if (move === undefined) throw new Error(`there is no operation ${name}`)
      const [ours, theirs] = [await answerOf(move, oracle), await answerOf(move, other)]
      const place = `seed ${seed}, operation ${turn} (${name})`
      expect(plain(theirs), place).toEqual(plain(ours))
      const runKeys = disk.runs.map(({ row }) => row.runKey)
      expect(await wholeState(other, runKeys), place).toEqual(await wholeState(oracle, runKeys))
      const succeeded = ours.error === undefined && (move.succeeded?.(ours.value) ?? true)
      if (succeeded) successes.set(name, (successes.get(name) ?? 0) + 1)
      clock.advance(chance.below(20) === 0 ? 5000 : chance.below(200) - 40)
      if (chance.below(25) > 0) continue
      await oracle.close()
      oracle = openMemoryStore({ clock, disk })
      other = await opened.reopen()
    }
  } finally {
    await opened.close()
  }
}

export async function compareWithOracle(subject: Comparison): Promise<void> {
  subject.tell(`KEELSON_SEED=${SEED}`)
  const successes = new Map<string, number>()
  const { sequences, enough } = subject
  const rare = (): readonly string[] => Object.keys(OPERATIONS).filter((name) => (successes.get(name) ?? 0) < enough)
  let done = 0
  while (done < sequences || (rare().length > 0 && done < sequences * 20)) await sequence(subject, done++, successes)
  subject.tell(`${done} sequences, ${[...successes].map(([name, count]) => `${name} ${count}`).join(', ')}`)
  expect(rare(), 'operations that succeeded too seldom').toEqual([])
}
