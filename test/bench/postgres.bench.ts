/**
 * The append path on PostgreSQL against a bare multi-row `unnest` insert of the same bytes: same server, same durable
 * settings, one connection each, batches of 100 events. The bare table has the two unique keys the contract asks for and
 * gets our binary arrays, about twice as quick as the driver's own. Rounds are taken in turn; the ratio is the median.
 */
import { Client } from 'pg'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { bigintArray, bytesArray, textArray } from '../../src/adapters/stores/postgres/wire-array.ts'
import type { RunCommit, RunStore } from '../../src/ports/run-store.ts'
import { newRun, summary } from '../../src/testing/store/run-fixtures.ts'
import { sealEvents, type EventSpec } from '../../src/testing/store/sealed-events.ts'
import { startPostgres } from '../setup/postgres.ts'
import type { BenchRow } from './row.ts'

interface Shape {
  readonly name: string
  readonly runs: number
  readonly eventsPerRun: number
}

const SHAPES: readonly Shape[] = [
  { name: 'PostgreSQL append, 20 runs × 5 events a commit', runs: 20, eventsPerRun: 5 },
  { name: 'PostgreSQL append, 1 run × 100 events a commit', runs: 1, eventsPerRun: 100 },
]
const ROUNDS = 7
const COMMITS_PER_ROUND = 60
const FLOOR = 0.5

export async function benchPostgres(): Promise<readonly BenchRow[]> {
  const server = await startPostgres()
  try {
    const rows: BenchRow[] = []
    for (const [index, shape] of SHAPES.entries())
      rows.push(await benchShape(shape, await server.createDatabase(`bench_${index}`)))
    return rows
  } finally {
    await server.stop()
  }
}

async function benchShape(shape: Shape, url: string): Promise<BenchRow> {
  const store = await openPostgresStore({ connectionString: url, poolSize: 1 })
  const bare = await bareLog(url)
  const ours: number[] = []
  const theirs: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const work = batchesOf(shape, round)
      theirs.push(await perSecond(() => bare.insertAll(round, work)))
      ours.push(await perSecond(() => commitAll(store, work)))
    }
  } finally {
    await store.close()
    await bare.close()
  }
  const ratio = median(ours.map((one, round) => one / (theirs[round] ?? 1)))
  const [value, baseline] = [median(ours), median(theirs)]
  return { name: shape.name, value, unit: 'events/s', baseline, ratio, floor: FLOOR, ok: ratio >= FLOOR }
}

/** The first batch creates the runs, the following go on with them, as a driver's commits do. */
async function commitAll(store: RunStore, work: readonly (readonly RunCommit[])[]): Promise<void> {
  const keys = new Map<string, number>()
  for (const batch of work) {
    const ready = batch.map((one): RunCommit => {
      const { create, ...rest } = one
      const runKey = keys.get(create?.runId ?? '')
      return runKey === undefined ? one : { ...rest, runKey }
    })
    for (const [index, result] of (await store.commit(ready)).entries()) {
      if (result.kind !== 'committed') throw new Error(`a commit of the benchmark was refused: ${result.kind}`)
      keys.set(batch[index]?.create?.runId ?? '', result.runKey)
    }
  }
}

function batchesOf(shape: Shape, round: number): readonly (readonly RunCommit[])[] {
  const runs = Array.from({ length: shape.runs }, (_, index) => newRun({ runId: `run-${round}-${index}` }))
  const heads: Uint8Array[] = runs.map(() => new Uint8Array(32))
  return Array.from({ length: COMMITS_PER_ROUND }, (_, turn) =>
    runs.map((create, index): RunCommit => {
      const nextSeq = 1 + turn * shape.eventsPerRun
      const headHash = heads[index] ?? new Uint8Array(32)
      const specs = Array.from({ length: shape.eventsPerRun }, (__, offset) => specOf(nextSeq + offset))
      const events = sealEvents(create, { nextSeq, headHash }, specs)
      heads[index] = events.at(-1)?.chainHash ?? headHash
      return { create, expected: { epoch: 1, nextSeq }, events, summary: summary({ stepsDone: turn }) }
    }),
  )
}

function specOf(seq: number): EventSpec {
  const slot = `step-${Math.floor(seq / 2)}`
  return seq % 2 === 1
    ? { eventType: 'StepCompleted', slot, payload: { artifactRefs: [] }, data: { result: { seq } } }
    : { eventType: 'StepStarted', slot, payload: { startedAt: '2026-01-01T00:00:00.000Z' } }
}

const BARE_TABLE = `CREATE TABLE bare (run bigint NOT NULL, seq bigint NOT NULL, record text NOT NULL, data text,
  salt bytea, hash bytea NOT NULL, key bytea NOT NULL, PRIMARY KEY (run, seq), UNIQUE (run, key))`
const BARE_INSERT = `INSERT INTO bare SELECT * FROM
  unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::bytea[])`

async function bareLog(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(BARE_TABLE)
  return {
    insertAll: async (round: number, work: readonly (readonly RunCommit[])[]) => {
      for (const batch of work) {
        const rows = batch.flatMap(({ events }, index) => events.map((event) => ({ run: round * 100 + index, event })))
        const values = [
          bigintArray(rows.map(({ run }) => run)),
          bigintArray(rows.map(({ event }) => event.runSeq)),
          textArray(rows.map(({ event }) => event.record)),
          textArray(rows.map(({ event }) => event.data)),
          bytesArray(rows.map(({ event }) => event.salt)),
          bytesArray(rows.map(({ event }) => event.chainHash)),
          bytesArray(rows.map(({ event }) => event.idempotencyKey)),
        ]
        await client.query({ name: 'bare', text: BARE_INSERT, values })
      }
    },
    close: () => client.end(),
  }
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return Math.round((COMMITS_PER_ROUND * 100 * 1000) / (performance.now() - start))
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
