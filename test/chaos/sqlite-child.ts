/**
 * A process of its own on a database file, for tests that kill it, run two of it, or take its permissions or its disk
 * space away. It tells what it did on standard output, one line per act, written before the next act begins.
 */
import { rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { connect } from '../../src/adapters/stores/sqlite/connect.ts'
import { openSqliteStore, storeOn } from '../../src/adapters/stores/sqlite/store.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { CommitResult, RunCommit, RunRow, RunStore } from '../../src/ports/run-store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { openSeal, openWrite, type EventSpec } from '../../src/testing/store/sealed-events.ts'
import { creation, nextCommit, step } from '../../src/testing/store/store-case.ts'

export const RUNS_PER_BATCH = 5
export const EVENTS_PER_RUN = 4
export const BOOT_EVENTS = 3
export const LAST_UNIT = 'resource:last'

const clock = { now: () => Date.now() }
const tell = (line: string): void => void writeSync(1, `${line}\n`)

function committed(results: readonly CommitResult[]): void {
  const other = results.find(({ kind }) => kind !== 'committed')
  if (other !== undefined) throw new Error(`a commit was refused: ${other.kind}`)
}

async function rows(store: RunStore, worker: string): Promise<readonly RunRow[]> {
  const names = Array.from({ length: RUNS_PER_BATCH }, (_, index) => `${worker}-${index}`)
  const find = (runId: string) => store.findRun({ tenantId: 'tenant-a', runId })
  if ((await find(names[0] ?? '')) === undefined)
    committed(await store.commit(names.map((runId) => creation(newRun({ runId }), []))))
  return (await Promise.all(names.map(find))).flatMap((row) => row ?? [])
}

/** Every batch: some events to each of its runs, and one new run. Goes on where an earlier life ended. */
async function appendBatches(path: string, worker: string, limit: number): Promise<void> {
  const store = await openSqliteStore({ path, clock })
  for (;;) {
    const runs = await rows(store, worker)
    const batch = ((runs[0]?.nextSeq ?? 1) - 1) / EVENTS_PER_RUN
    if (batch >= limit) break
    const specs = Array.from({ length: EVENTS_PER_RUN }, (_, index) => step('StepStarted', `s${batch}.${index}`))
    const boot = Array.from({ length: BOOT_EVENTS }, (_, index) => step('StepStarted', `b${index}`))
    const born = creation(newRun({ runId: `${worker}-boot-${batch}` }), boot)
    committed(await store.commit([...runs.map((row) => nextCommit(row, specs)), born]))
    tell(`${batch + 1}`)
  }
  await store.close()
}

async function appendOpenly(path: string, runId: string, prefix: string, limit: number): Promise<void> {
  const store = await openSqliteStore({ path, clock })
  const row = await store.findRun({ tenantId: 'tenant-a', runId })
  if (row === undefined) throw new Error(`there is no run ${runId}`)
  for (let turn = 0; turn < limit; turn++) {
    const write = openWrite(row, step('StepStarted', `${prefix}${turn}`))
    const [answer] = await store.appendOpen(row, [write], openSeal(row))
    tell(`${answer?.runSeq}`)
  }
  await store.close()
}

async function tryToWrite(path: string): Promise<void> {
  const store = await openSqliteStore({ path, clock, lockMs: 300 })
  committed(await store.commit([creation(newRun({ runId: `by-child-${process.pid}` }))]))
  tell('written')
  await store.close()
}

/** Takes and frees the only unit of a pool again and again, each time with the events that go with it. */
async function claimAgain(path: string, runId: string, limit: number): Promise<void> {
  const store = await openSqliteStore({ path, clock })
  committed(await store.commit([creation(newRun({ runId }), [])]))
  const turn = async (specs: readonly EventSpec[], extras: Partial<RunCommit>): Promise<CommitResult | undefined> => {
    const row = await store.findRun({ tenantId: 'tenant-a', runId })
    return row === undefined ? undefined : (await store.commit([nextCommit(row, specs, extras)]))[0]
  }
  for (let granted = 0; granted < limit;) {
    const slot = `s${granted}`
    const request = { slot, attempt: 1, wants: { [LAST_UNIT]: 1 }, priority: 0 }
    const claimed = await turn([step('StepStarted', slot)], { claims: [request], waits: [] })
    if (claimed?.kind === 'ungranted') {
      committed([(await turn([], { waits: [request] })) ?? claimed])
      tell('refused')
      await new Promise(setImmediate)
      continue
    }
    committed(claimed === undefined ? [] : [claimed])
    tell(`granted ${++granted}`)
    const freed = await turn([step('StepCompleted', slot)], { releases: [{ slot, attempt: 1, result: 'ok' }] })
    committed(freed === undefined ? [] : [freed])
  }
  await store.close()
}

/** Commits until the disk is full, then makes room and goes on with the same handle. */
async function fill(path: string, how: string): Promise<void> {
  const ballast = join(dirname(path), 'ballast')
  if (how === 'disk') writeFileSync(ballast, Buffer.alloc(1_000_000))
  const connection = await connect({ path })
  if (how === 'pages') connection.db.exec('PRAGMA max_page_count = 200')
  const store = storeOn(connection, clock)
  const data = { result: 'x'.repeat(5000) }
  const commit = (n: number) =>
    store.commit([creation(newRun({ runId: `full-${n}` }), [{ ...step('StepCompleted', 'a'), data }])])
  let done = 0
  try {
    for (; done < 10_000; done++) committed(await commit(done))
  } catch (error) {
    tell(error instanceof KeelsonError ? error.code : String(error))
  }
  const { runs } = await store.listRuns('tenant-a', {}, { limit: 100_000 })
  tell(`${done} ${runs.length} ${String(connection.db.prepare('PRAGMA integrity_check').get()?.['integrity_check'])}`)
  if (how === 'disk') rmSync(ballast)
  else connection.db.exec('PRAGMA max_page_count = 100000')
  committed(await commit(done))
  tell(`${(await store.listRuns('tenant-a', {}, { limit: 100_000 })).runs.length}`)
  await store.close()
}

async function main([mode = '', path = '', ...rest]: readonly string[]): Promise<void> {
  if (mode === 'append') return appendBatches(path, rest[0] ?? 'w', Number(rest[1] ?? Infinity))
  if (mode === 'append-open') return appendOpenly(path, rest[0] ?? '', rest[1] ?? '', Number(rest[2] ?? 1))
  if (mode === 'claim') return claimAgain(path, rest[0] ?? '', Number(rest[1] ?? Infinity))
  if (mode === 'try') return tryToWrite(path)
  if (mode === 'fill') return fill(path, rest[0] ?? 'pages')
  throw new Error(`unknown mode ${mode}`)
}

if (process.argv[1] === import.meta.filename) {
  try {
    await main(process.argv.slice(2))
  } catch (error) {
    writeSync(2, `${error instanceof KeelsonError ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
