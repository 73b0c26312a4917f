/**
 * Eight writers and a follower: every event is delivered once, in the order of its run, whatever the order in which their
 * transactions began and ended. Then the same again on a logical copy in a new cluster, whose transactions count anew.
 */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import type { RunCommit, RunKey, RunRow, RunStore } from '../../src/ports/run-store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { openSeal, openWrite } from '../../src/testing/store/sealed-events.ts'
import { creation, nextCommit, rowOf, step } from '../../src/testing/store/store-case.ts'
import { dumpAndRestore, startPostgres, type PostgresServer } from '../setup/postgres.ts'

const WRITERS = 8
const EVENTS_PER_WRITER = 10_000
const RUNS_PER_WRITER = 2
/** Runs that are written once and never touched again: what is skipped of them stays skipped. */
const BORN_PER_TURN = 2
const EVENTS_PER_COMMIT = 25
/** Of all writers, so that they wait for each other's rows. */
const SHARED_EVERY = 5
const PAGE = 2_000
/** Writers wait for a follower further behind: at the head of the log is where it could be too quick. */
const LAG_EVENTS = 1_500

let first: PostgresServer
let second: PostgresServer
beforeAll(async () => {
  ;[first, second] = await Promise.all([startPostgres(), startPostgres()])
})
afterAll(() => Promise.all([first.stop(), second.stop()]))

class Follower {
  readonly seen = new Map<RunKey, number>()
  events = 0
  written = 0
  readonly #store: RunStore
  #isLast = false
  #arrived: () => void = () => undefined
  #page = new Promise<void>((resolve) => (this.#arrived = resolve))

  constructor(store: RunStore) {
    this.#store = store
  }

  /** Until nothing is left after `stop`. Every event must be the next one of its run. */
  async follow(): Promise<void> {
    for (let isLast = this.#isLast; ; isLast = this.#isLast) {
      const { items, position } = await this.#store.readFeed('audit', { now: 0, limit: PAGE })
      for (const { runKey, event } of items) {
        if (event.runSeq !== (this.seen.get(runKey) ?? 0) + 1)
          expect.fail(`run ${runKey}: event ${event.runSeq} after ${this.seen.get(runKey) ?? 0}`)
        this.seen.set(runKey, event.runSeq)
      }
      this.events += items.length
      const deliveries = items.map(({ runKey, event }) => ({
        runKey,
        runSeq: event.runSeq,
        result: 'delivered' as const,
      }))
      await this.#store.settleFeed('audit', { position, deliveries })
      this.#arrived()
      this.#page = new Promise((resolve) => (this.#arrived = resolve))
      if (isLast && items.length === 0) return
    }
  }

  async wrote(events: number): Promise<void> {
    this.written += events
    while (this.written - this.events > LAG_EVENTS) await this.#page
  }

  stop(): void {
    this.#isLast = true
  }
}

const started = async (store: RunStore, runId: string): Promise<RunRow> => {
  await store.commit([creation(newRun({ runId }))])
  const row = await store.findRun({ tenantId: 'tenant-a', runId })
  return rowOf(store, row?.runKey ?? 0)
}

/** What the commit leaves of the row, without reading it again. */
function after(row: RunRow, { events }: RunCommit): RunRow {
  return { ...row, nextSeq: row.nextSeq + events.length, headHash: events.at(-1)?.chainHash ?? row.headHash }
}

async function write(url: string, name: string, shared: readonly RunRow[], follower: Follower): Promise<void> {
  const store = await openPostgresStore({ connectionString: url, poolSize: 1 })
  let rows = await Promise.all(
    Array.from({ length: RUNS_PER_WRITER }, (_, index) => started(store, `${name}-${index}`)),
  )
  let written = rows.length
  await follower.wrote(written)
  for (let turn = 0; written < EVENTS_PER_WRITER; turn++) {
    const specs = Array.from({ length: EVENTS_PER_COMMIT }, (_, index) => step('StepStarted', `s${turn}.${index}`))
    const next = rows.map((row) => nextCommit(row, specs))
    const born = Array.from({ length: BORN_PER_TURN }, (_, index) =>
      creation(newRun({ runId: `${name}-${turn}-born-${index}` }), specs),
    )
    for (const { kind } of await store.commit([...next, ...born])) expect(kind).toBe('committed')
    rows = rows.map((row, index) => after(row, next[index] ?? nextCommit(row, [])))
    let added = (next.length + born.length) * EVENTS_PER_COMMIT
    const run = turn % SHARED_EVERY === 0 ? shared[turn % shared.length] : undefined
    if (run !== undefined) {
      const writes = ['x', 'y'].map((part) => openWrite(run, step('StepStarted', `${name}.${turn}.${part}`)))
      added += (await store.appendOpen(run, writes, openSeal(run))).length
    }
    written += added
    await follower.wrote(added)
  }
  await store.close()
}

async function phase(url: string, name: string): Promise<void> {
  const store = await openPostgresStore({ connectionString: url })
  const before = new Follower(store)
  before.stop()
  await before.follow()
  expect(before.events).toBe(0)
  const follower = new Follower(store)
  const shared = [await started(store, `${name}-shared-0`), await started(store, `${name}-shared-1`)]
  const following = follower.follow()
  await follower.wrote(shared.length)
  const names = Array.from({ length: WRITERS }, (_, writer) => `${name}-${writer}`)
  await Promise.all(names.map((writer) => write(url, writer, shared, follower)))
  follower.stop()
  await following
  expect(follower.events).toBe(follower.written)
  expect(follower.events).toBeGreaterThanOrEqual(WRITERS * EVENTS_PER_WRITER)
  expect(await store.feedStatus('audit')).toMatchObject({ runsBehind: 0, runsBlocked: 0 })
  const { runs } = await store.listRuns('tenant-a', {}, { limit: 1_000_000 })
  const mine = runs.filter(({ runId }) => runId.startsWith(`${name}-`)).map((row) => [row.runKey, row.nextSeq - 1])
  expect([...follower.seen].sort(([a], [b]) => b - a)).toEqual(mine.sort(([a = 0], [b = 0]) => b - a))
  await store.close()
}

it('a follower of eight writers skips no event and keeps the order of every run, before and after a dump and restore', async () => {
  const from = await first.createDatabase('written')
  await phase(from, 'one')
  const to = await second.createDatabase('restored')
  await dumpAndRestore(from, to)
  // Several at once find that the numbers are another cluster's, and one new generation begins.
  const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ connectionString: to })))
  const db = new Client({ connectionString: to })
  await db.connect()
  expect((await db.query('SELECT generation FROM keelson.feed_generation')).rows).toEqual([{ generation: 2 }])
  await db.end()
  await Promise.all(stores.map((store) => store.close()))
  await phase(to, 'two')
})
