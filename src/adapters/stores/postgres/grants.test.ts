/** Grants on a real server: transactions that cross each other's pools, rows that others hold, and runs that are refused. */
import type { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { onPostgres } from '../../../../test/fixtures/on-postgres.ts'
import type { GrantRequest } from '../../../ports/grants.ts'
import type { RunCommit, RunRow, RunStore } from '../../../ports/run-store.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { creation, nextCommit, rowOf, stateOf, step } from '../../../testing/store/store-case.ts'
import { openPostgresStore, type PostgresStore } from './store.ts'
import { SEED } from '../../../../test/setup/seed.ts'

let url = ''
let store: PostgresStore
let db: Client

onPostgres('grants', { opened: (on) => ({ url, store, db } = on), held: () => ({ store, db }) })

async function started(runId: string): Promise<RunRow> {
  const [result] = await store.commit([creation(newRun({ runId }))])
  if (result?.kind !== 'committed') throw new Error('the run was not stored')
  return rowOf(store, result.runKey)
}

const want = (slot: string, wants: Readonly<Record<string, number>>): GrantRequest => ({
  slot,
  attempt: 1,
  wants,
  priority: 0,
})
const turn = async (by: RunStore, { runKey }: RunRow, extras: Partial<RunCommit>) =>
  (await by.commit([nextCommit(await rowOf(by, runKey), [], extras)]))[0]
const free = (slot: string) => ({ slot, attempt: 1, result: 'ok' as const })

/** mulberry32 */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

const POOLS = ['a', 'b', 'c', 'd']
const CAPACITY = 3
const RUNS = 9
const TURNS = 12
/** One statement, so that all values are of one moment. */
const COUNTED = `SELECT p.used <= p.capacity AND p.used = coalesce((SELECT sum(g.amount) FROM keelson.grants g
    WHERE g.pool = p.pool), 0) AS right FROM keelson.pools p`

describe('transactions that cross', () => {
  it('each other by three handles never deadlock, never exceed a capacity and all end [RES-05, X-75]', async () => {
    console.log(`postgres grants: KEELSON_SEED=${SEED}`)
    for (const pool of POOLS) await store.putPool({ pool, capacity: CAPACITY })
    const handles = await Promise.all([1, 2, 3].map(() => openPostgresStore({ connectionString: url, poolSize: 3 })))
    const runs = await Promise.all(Array.from({ length: RUNS }, (_, index) => started(`r${index}`)))
    let working = true
    let looks = 0
    const watcher = (async () => {
      for (let last = false; !last; looks++) {
        last = !working
        for (const { right } of (await db.query<{ right: boolean }>(COUNTED)).rows) expect(right).toBe(true)
      }
    })()
    let waited = 0
    const work = async (run: RunRow, index: number): Promise<void> => {
      const random = randomOf(SEED + index)
      const by = handles[index % handles.length] ?? store
      for (let n = 0; n < TURNS; n++) {
        const picked = POOLS.filter(() => random(2) === 0)
        const wants = Object.fromEntries((picked.length === 0 ? ['a'] : picked).map((pool) => [pool, 1 + random(2)]))
        const request = want(`s${n}`, wants)
        for (let answer = await turn(by, run, { claims: [request] }); answer?.kind !== 'committed';) {
          expect(answer?.kind).toBe('ungranted')
          waited++
          await turn(by, run, { waits: [request] })
          while ((await by.readGrants(run.runKey)).waits[0]?.offeredUntil === undefined) await by.sweepGrants()
          answer = await turn(by, run, { claims: [request] })
        }
        expect((await turn(by, run, { releases: [free(`s${n}`)] }))?.kind).toBe('committed')
      }
    }
    await Promise.all(runs.map(work))
    working = false
    await watcher
    await Promise.all(handles.map((handle) => handle.close()))
    expect(looks).toBeGreaterThan(0)
    expect(waited).toBeGreaterThan(RUNS)
    const none = { used: 0, waiting: 0, capacity: CAPACITY }
    expect(await store.listPools()).toEqual(POOLS.map((pool) => ({ pool, ...none })))
    // Each connection reports it when it ends.
    const { rows } = await db.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
    expect(rows).toEqual([{ deadlocks: '0' }])
  })
})

describe('a batch', () => {
  it('drops a run whose claim is refused, its partial claims and releases undone; the others stand [P-09]', async () => {
    for (const pool of ['a', 'b']) await store.putPool({ pool, capacity: 1 })
    const [refused, fine, holder] = [await started('refused'), await started('fine'), await started('holder')]
    await turn(store, holder, { claims: [want('h', { b: 1 })] })
    await turn(store, refused, { claims: [want('kept', { a: 1 })] })
    const before = [await stateOf(store, refused.runKey), await store.readGrants(refused.runKey)]
    const claims = [want('x', { a: 1 }), want('y', { b: 1 })]
    const extras = { claims, releases: [free('kept')], context: [{ variable: 'v', seq: 2, value: '1' }] }
    const born = creation(newRun({ runId: 'born' }), undefined, { claims: [want('z', { b: 1 })] })
    const results = await store.commit([
      nextCommit(await rowOf(store, refused.runKey), [step('StepStarted', 'x')], extras),
      nextCommit(fine, [step('StepStarted', 'x')]),
      born,
    ])
    expect(results[0]).toEqual({ kind: 'ungranted', refused: [{ slot: 'y', pool: 'b' }] })
    expect(results[1]?.kind).toBe('committed')
    expect(results[2]).toEqual({ kind: 'ungranted', refused: [{ slot: 'z', pool: 'b' }] })
    expect([await stateOf(store, refused.runKey), await store.readGrants(refused.runKey)]).toEqual(before)
    expect(await store.readContext(refused.runKey, 99)).toEqual(new Map())
    expect(await store.findRun({ tenantId: 'tenant-a', runId: 'born' })).toBeUndefined()
    expect((await store.listPools()).map(({ used, waiting }) => [used, waiting])).toEqual([
      [1, 0],
      [1, 0],
    ])
  })
})

describe('an offer', () => {
  it("does not wait for the waiter's row: its inbox row comes, its run is due and the bell rings [P-19]", async () => {
    await store.putPool({ pool: 'a', capacity: 1 })
    const [holder, waiter] = [await started('holder'), await started('waiter')]
    await turn(store, holder, { claims: [want('h', { a: 1 })] })
    await turn(store, waiter, { waits: [want('w', { a: 1 })] })
    let ring: () => void = () => undefined
    const nextRing = () => new Promise<void>((resolve) => (ring = resolve))
    const listening = nextRing()
    const off = store.onWake(() => ring())
    await listening
    const rung = nextRing()
    await db.query('BEGIN')
    await db.query('SELECT 1 FROM keelson.runs WHERE run_key = $1 FOR UPDATE', [waiter.runKey])
    expect((await turn(store, holder, { releases: [free('h')] }))?.kind).toBe('committed')
    await rung
    off()
    expect((await store.readInbox(waiter.runKey)).map(({ inboxId }) => inboxId)).toEqual(['grant:w:1:1'])
    expect((await store.dueRuns(0, 'me', 10)).map(({ runId }) => runId)).toEqual(['waiter'])
    await db.query('COMMIT')
    const consumed = [{ inboxId: 'grant:w:1:1', seq: 2 }]
    expect((await turn(store, waiter, { claims: [want('w', { a: 1 })], consumed }))?.kind).toBe('committed')
    expect(await store.dueRuns(0, 'me', 10)).toEqual([])
  })

  it('to a run that ends unread makes nothing due any more', async () => {
    await store.putPool({ pool: 'a', capacity: 1 })
    const waiter = await started('waiter')
    await turn(store, waiter, { waits: [want('w', { a: 1 })] })
    expect((await store.dueRuns(0, 'me', 10)).length).toBe(1)
    await turn(store, waiter, { releases: 'all' })
    expect(await store.dueRuns(0, 'me', 10)).toEqual([])
    expect((await store.readInbox(waiter.runKey)).length).toBe(1)
  })
})
