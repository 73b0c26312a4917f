/**
 * The server killed with SIGKILL under load, several times, and started again: whatever was acknowledged is there with
 * its bytes, nothing is there twice, and a commit whose answer was lost is there whole or not at all (P-10).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunCommit, RunRow, RunStore, SealedEvent } from '../../src/ports/run-store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { allEvents, bytesOf, creation, nextCommit, rowOf, step } from '../../src/testing/store/store-case.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { SEED } from '../setup/seed.ts'

const KILLS = 3
const WRITERS = 4
const RUNS_PER_BATCH = 3
const BACK_MS = 20

let server: PostgresServer
let store: RunStore
beforeAll(async () => {
  server = await startPostgres()
  store = await openPostgresStore({ connectionString: await server.createDatabase('kill') })
})
afterAll(async () => {
  await store.close()
  await server.stop()
})

/** Until the server is back: only STORE_UNAVAILABLE is an answer of a server that was killed. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof KeelsonError && error.code === 'STORE_UNAVAILABLE')) throw error
    }
    await pause(BACK_MS)
  }
}

interface Ledger {
  readonly acknowledged: Map<string, readonly SealedEvent[]>
  batches: number
  unknown: number
  stop: boolean
}

function acknowledge(ledger: Ledger, runId: string, events: readonly SealedEvent[]): void {
  ledger.acknowledged.set(runId, [...(ledger.acknowledged.get(runId) ?? []), ...events])
}

/** What became of each run of a batch whose answer was lost; the batch is one transaction, so all have the same fate. */
async function readFate(batch: readonly RunCommit[], runIds: readonly string[]): Promise<readonly boolean[]> {
  return Promise.all(
    batch.map(async ({ events, expected }, index) => {
      const row = await patiently(() => store.findRun({ tenantId: 'tenant-a', runId: runIds[index] ?? '' }))
      if (row === undefined || row.nextSeq === expected.nextSeq) return false
      expect(row.nextSeq).toBe(expected.nextSeq + events.length)
      return true
    }),
  )
}

async function write(ledger: Ledger, writer: number): Promise<void> {
  const mine = Array.from({ length: RUNS_PER_BATCH }, (_, index) => `w${writer}-${index}`)
  const born = mine.map((runId) => creation(newRun({ runId }), []))
  await patiently(() => store.commit(born))
  for (let turn = 0; !ledger.stop; turn++) {
    const rows = await Promise.all(mine.map((runId) => patiently(() => store.findRun({ tenantId: 'tenant-a', runId }))))
    const runs = rows.filter((row): row is RunRow => row !== undefined)
    const boot = `w${writer}-boot-${turn}`
    const specs = ['a', 'b', 'c'].map((slot) => step('StepStarted', `${slot}${turn}`))
    const batch = [...runs.map((row) => nextCommit(row, specs)), creation(newRun({ runId: boot }), specs)]
    const runIds = [...runs.map(({ runId }) => runId), boot]
    let stored: readonly boolean[]
    try {
      stored = (await store.commit(batch)).map(({ kind }) => kind === 'committed')
      expect(stored).toEqual(batch.map(() => true))
      ledger.batches++
    } catch (error) {
      if (!(error instanceof KeelsonError && error.code === 'STORE_UNAVAILABLE')) throw error
      stored = await readFate(batch, runIds)
      expect(new Set(stored).size).toBe(1)
      ledger.unknown++
    }
    for (const [index, { events }] of batch.entries())
      if (stored[index] === true) acknowledge(ledger, runIds[index] ?? '', events)
  }
}

it('a server killed under load loses no acknowledged commit and keeps none twice', async () => {
  console.log(`postgres-kill: KEELSON_SEED=${SEED}`)
  const ledger: Ledger = { acknowledged: new Map(), batches: 0, unknown: 0, stop: false }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(ledger, writer))
  const failed = Promise.all(writers)
  const killing = (async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = ledger.batches + 20 + ((SEED * 31 + kill * 17) % 40)
      while (ledger.batches < enough) await pause(1)
      await server.kill9()
      await server.restart()
    }
    const last = ledger.batches + 20
    while (ledger.batches < last) await pause(1)
    ledger.stop = true
  })()
  await Promise.race([failed, killing])
  await Promise.all([failed, killing])
  expect(ledger.unknown).toBeGreaterThan(0)
  for (const [runId, events] of ledger.acknowledged) {
    const found = await store.findRun({ tenantId: 'tenant-a', runId })
    const row = await rowOf(store, found?.runKey ?? 0)
    const log = await allEvents(store, row.runKey)
    expect(log.map(bytesOf)).toEqual(events.map(bytesOf))
    expect(row.nextSeq).toBe(log.length + 1)
    expect(Buffer.from(row.headHash).equals(log.at(-1)?.chainHash ?? Buffer.alloc(0))).toBe(true)
  }
  const { runs } = await store.listRuns('tenant-a', {}, { limit: 100_000 })
  expect(new Set(runs.map(({ runId }) => runId)).size).toBe(runs.length)
  expect(runs.filter(({ nextSeq }) => nextSeq > 1).length).toBe(ledger.acknowledged.size)
})
