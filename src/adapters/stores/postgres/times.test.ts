/** Whose clock is asked: instants of events, rows, leases and stalls are the server's, whatever a process believes. */
import type { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { onPostgres, startedRun, WAITING } from '../../../../test/fixtures/on-postgres.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { allEvents, creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import { openPostgresStore, type PostgresStore } from './store.ts'

let url = ''
let store: PostgresStore
let db: Client

onPostgres('times', { opened: (on) => ({ url, store, db } = on), held: () => ({ store, db }) })

describe('time', () => {
  it("is the server's for events, rows and inbox rows, whatever the process believes [P-25, EVT-13]", async () => {
    const serverNow = async (): Promise<number> => {
      const { rows } = await db.query<{ readonly now: number }>(
        'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
      )
      return rows[0]?.now ?? 0
    }
    const real = Date.now
    Date.now = () => 0
    try {
      const before = await serverNow()
      const row = await startedRun(store, 'r1')
      await store.insertInbox(row, { inboxId: 'a', kind: 'signal', body: '{}' })
      const [event] = await allEvents(store, row.runKey)
      const [inboxRow] = await store.readInbox(row.runKey)
      const times = [row.createdAt, row.updatedAt, event?.persistedAt, inboxRow?.insertedAt, await store.now()]
      const after = await serverNow()
      for (const time of times) expect(time !== undefined && time >= before && time <= after).toBe(true)
    } finally {
      Date.now = real
    }
  })

  it("of a lease is the server's: a worker whose clock is an hour off neither steals one nor holds one longer", async () => {
    const row = await startedRun(store, 'r1')
    const hour = 3_600_000
    for (const skew of [hour, -hour]) {
      const now = Date.now() + skew
      const before = await store.now()
      const held = await store.acquireLease(row.runKey, 'skewed', now, now + 30_000)
      const until = held?.lease?.until ?? 0
      expect(until >= before + 30_000 && until <= (await store.now()) + 30_000).toBe(true)
      expect(await store.acquireLease(row.runKey, 'other', now + hour, now + 2 * hour)).toBeUndefined()
    }
    const wake = { ...nextCommit(row, []).summary, nextWakeAt: (await store.now()) + 60_000, owed: true as const }
    expect((await store.commit([nextCommit(row, [], { summary: wake })]))[0]?.kind).toBe('committed')
    expect(await store.dueRuns(Date.now() + hour, 'ahead', 10)).toEqual([])
    await store.releaseLease(row.runKey, 'skewed')
    expect((await store.dueRuns(Date.now() - hour, 'behind', 10)).map(({ runId }) => runId)).toEqual(['r1'])
  })

  it("since which a run stalls is the server's too, whatever the one who asks believes [P-25]", async () => {
    const engine = { engineType: 'temporal', engineRunRef: 'temporal://r1' }
    await store.commit([creation(newRun({ runId: 'r1', ...engine }))])
    await store.insertInbox({ tenantId: 'tenant-a', runId: 'r1' }, { inboxId: 'a', kind: 'signal', body: '{}' })
    const [hour, asked] = [3_600_000, Date.now()]
    expect(await store.stalledRuns('temporal', { now: asked + 2 * hour, forMs: hour }, 10)).toEqual([])
    const found = await store.stalledRuns('temporal', { now: asked - hour, forMs: 0 }, 10)
    expect(found.map(({ runId }) => runId)).toEqual(['r1'])
  })

  it('of a lease that comes with a commit is as long as it was by the clock of whoever gives it', async () => {
    const callerClock = { now: () => Date.now() - 3_600_000 }
    const skewed = await openPostgresStore({ connectionString: url, callerClock })
    const lease = { owner: 'me', until: callerClock.now() + 30_000 }
    const before = await store.now()
    const [born] = await skewed.commit([creation(newRun({ runId: 'r1' }), undefined, { lease })])
    const row = await rowOf(store, born?.kind === 'committed' ? born.runKey : 0)
    await skewed.commit([nextCommit(row, [], { lease: { ...lease, owner: 'you' } })])
    await skewed.close()
    for (const { lease: given } of [row, await rowOf(store, row.runKey)]) {
      expect(given?.until).toBeGreaterThan(before + 20_000)
      expect(given?.until).toBeLessThanOrEqual((await store.now()) + 30_000)
    }
  })

  it('of a commit is the time after it waited, so that no event looks older than one before it', async () => {
    const row = await startedRun(store, 'r1')
    await db.query('BEGIN')
    await db.query('SELECT 1 FROM keelson.runs WHERE run_key = $1 FOR UPDATE', [row.runKey])
    const result = store.commit([nextCommit(row, [step('StepStarted', 'a')])])
    for (;;) if ((await db.query(WAITING)).rows.length === 1) break
    const held = await store.now()
    await db.query('COMMIT')
    const [committed] = await result
    expect(committed?.kind === 'committed' && committed.persistedAt >= held).toBe(true)
  })
})
