/**
 * The append path against a bare `node:sqlite` loop that inserts the same bytes: same file system, same FULL, same
 * batches of 100 events. Rounds are taken in turn, so a noisy machine hurts both, and
 * whole times are compared, because a checkpoint falls into some rounds only.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import type { RunCommit, SealedEvent } from '../../src/ports/run-store.ts'
import { newRun, summary } from '../../src/testing/store/run-fixtures.ts'
import { sealEvents } from '../../src/testing/store/sealed-events.ts'
import type { BenchRow } from './row.ts'

interface Shape {
  readonly name: string
  readonly runs: number
  readonly eventsPerRun: number
}

const SHAPES: readonly Shape[] = [
  { name: 'append, 20 runs × 5 events a commit', runs: 20, eventsPerRun: 5 },
  { name: 'append, 1 run × 100 events a commit', runs: 1, eventsPerRun: 100 },
]
const ROUNDS = 45
/** New runs each round, so that a run of the second shape ends with 2,000 events: a fan-out of 1,000 steps. */
const COMMITS_PER_ROUND = 20
const FLOOR = 0.5

export async function benchAppend(): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const shape of SHAPES) rows.push(await benchShape(shape))
  return rows
}

async function benchShape(shape: Shape): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'))
  const store = await openSqliteStore({ path: join(folder, 'store.db'), clock: { now: () => 1_700_000_000_000 } })
  const bare = bareLog(join(folder, 'bare.db'))
  const ours: number[] = []
  const theirs: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const work = batches(shape, round)
      theirs.push(await millisecondsOf(() => work.forEach((batch) => bare.insert(round, batch))))
      ours.push(await millisecondsOf(() => commitAll(work, (batch) => store.commit(batch))))
    }
  } finally {
    await store.close()
    bare.close()
    rmSync(folder, { recursive: true })
  }
  const [value, baseline] = [perSecond(ours), perSecond(theirs)]
  const ratio = value / baseline
  return { name: shape.name, value, unit: 'events/s', baseline, ratio, floor: FLOOR, ok: ratio >= FLOOR }
}

async function commitAll(
  work: readonly (readonly RunCommit[])[],
  commit: (batch: readonly RunCommit[]) => Promise<readonly { readonly kind: string }[]>,
): Promise<void> {
  const known = new Map<string, number>()
  for (const batch of work) {
    const ready = batch.map((one) => withKey(one, known))
    const results = await commit(ready)
    for (const [index, result] of results.entries()) {
      if (result.kind !== 'committed') throw new Error(`a commit of the benchmark was refused: ${result.kind}`)
      const { create } = ready[index] ?? {}
      if (create !== undefined && 'runKey' in result) known.set(create.runId, Number(result.runKey))
    }
  }
}

/** The first batch creates the runs, the following go on with them, as a driver's commits do. */
function withKey(one: RunCommit, known: ReadonlyMap<string, number>): RunCommit {
  const { create, ...rest } = one
  const runKey = create === undefined ? undefined : known.get(create.runId)
  return runKey === undefined ? one : { ...rest, runKey }
}

function batches(shape: Shape, round: number): readonly (readonly RunCommit[])[] {
  const runs = Array.from({ length: shape.runs }, (_, index) => newRun({ runId: `run-${round}-${index}` }))
  const heads: Uint8Array[] = runs.map(() => new Uint8Array(32))
  return Array.from({ length: COMMITS_PER_ROUND }, (_, turn) =>
    runs.map((run, index): RunCommit => {
      const nextSeq = 1 + turn * shape.eventsPerRun
      const events = sealEvents(run, { nextSeq, headHash: heads[index] ?? new Uint8Array(32) }, specs(shape, nextSeq))
      heads[index] = events.at(-1)?.chainHash ?? new Uint8Array(32)
      return { create: run, expected: { epoch: 1, nextSeq }, events, summary: summary({ stepsDone: turn }) }
    }),
  )
}

function specs(shape: Shape, nextSeq: number) {
  return Array.from({ length: shape.eventsPerRun }, (_, index) => {
    const step = Math.floor((nextSeq + index) / 2)
    const ends = (nextSeq + index) % 2 === 1
    return ends
      ? { eventType: 'StepCompleted', slot: `step-${step}`, payload: { artifactRefs: [] }, data: { result: { step } } }
      : { eventType: 'StepStarted', slot: `step-${step}`, payload: { startedAt: '2026-01-01T00:00:00.000Z' } }
  })
}

function bareLog(path: string) {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(`CREATE TABLE events (run INTEGER NOT NULL, seq INTEGER NOT NULL, record TEXT NOT NULL, data TEXT, salt BLOB,
    hash BLOB NOT NULL, key BLOB NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID`)
  const statement = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')
  const add = (run: number, event: SealedEvent) =>
    statement.run(
      run,
      event.runSeq,
      event.record,
      event.data ?? null,
      event.salt ?? null,
      event.chainHash,
      event.idempotencyKey,
    )
  return {
    insert: (round: number, batch: readonly RunCommit[]) => {
      db.exec('BEGIN IMMEDIATE')
      for (const [index, { events }] of batch.entries()) for (const event of events) add(round * 100 + index, event)
      db.exec('COMMIT')
    },
    close: () => db.close(),
  }
}

async function millisecondsOf(work: () => void | Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function perSecond(rounds: readonly number[]): number {
  const total = rounds.reduce((sum, one) => sum + one, 0)
  return Math.round((ROUNDS * COMMITS_PER_ROUND * 100 * 1000) / total)
}
