/** Archival in the file itself: of the run only its own row and its ticket are left, in any table. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunRow, RunStore } from '../../../ports/run-store.ts'
import type { StoredWork } from '../../../ports/work.ts'
import { newRun, summary } from '../../../testing/store/run-fixtures.ts'
import { allEvents, creation, step } from '../../../testing/store/store-case.ts'
import { openSqliteStore } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let store: RunStore
let db: DatabaseSync

beforeEach(async () => {
  folder = testFolder()
  const path = join(folder, 'keelson.db')
  store = await openSqliteStore({ path, clock })
  db = new DatabaseSync(path)
})
afterEach(async () => {
  db.close()
  await store.close()
})

const WORK: StoredWork = {
  runKey: 0,
  slot: 'a',
  attempt: 1,
  tenantId: 'tenant-a',
  revision: 1,
  state: 'offered',
  queue: 'gpu',
  handler: 'f',
  irreversible: false,
  secrets: false,
  engineAttempt: 1,
  offeredAt: 1,
  touchedAt: 1,
  claims: 0,
  body: '{}',
}

async function endedRun(runId: string): Promise<RunRow> {
  const wants = { 'agent:x': 1 }
  const commit = creation(newRun({ runId }), [step('StepStarted', 'a'), step('StepStarted', 'b')], {
    summary: summary({ status: 'COMPLETED', endedAt: 7 }),
    context: [{ variable: 'v', seq: 1, value: '1' }],
    blobs: [{ sha256: 'aa', text: 'large' }],
    labels: { customer: 'ana' },
    claims: [{ slot: 'a', attempt: 1, wants, priority: 0 }],
    waits: [{ slot: 'b', attempt: 1, wants, priority: 0 }],
    eventWaits: { opened: [{ slot: 'w', attempt: 1, name: 'e', key: '' }], closed: [] },
  })
  await store.commit([commit])
  const row = await store.findRun({ tenantId: 'tenant-a', runId })
  if (row === undefined) throw new Error('the run was not stored')
  await store.insertInbox(row, { inboxId: 'signal:1', kind: 'signal', body: '{}' })
  await store.putCheckpoint(row.runKey, { kind: 'view', seq: 2, rulesVersion: 1, body: '{}' })
  await store.claimAttempt(row.runKey, { slot: 'a', attempt: 1, claimant: 'me' })
  const work = { ...WORK, runKey: row.runKey }
  const claim = { sha256: `${runId}-claim`, worker: 'w', at: 1, until: 2, leaseMs: 1 }
  await store.putWork(work)
  await store.putWork({ ...work, revision: 2, state: 'claimed', claims: 1, claim })
  await store.putWork({ ...work, revision: 3, claims: 1 })
  const { position } = await store.readFeed('s', { now: 0, limit: 10 })
  const dead = { runKey: row.runKey, runSeq: 1, result: 'dead' as const, error: 'gone' }
  const failed = { runKey: row.runKey, runSeq: 2, result: 'failed' as const, error: 'down', retryAt: 9 }
  await store.settleFeed('s', { position, deliveries: [dead, failed] })
  return row
}

/** Tables that refer to a run, with the number of its rows. */
function rowsOf(runKey: number): Readonly<Record<string, number>> {
  const tables = db
    .prepare(
      `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
      AND c.name = 'run_key' ORDER BY m.name`,
    )
    .all()
    .map(({ name }) => String(name))
  const count = (table: string): number =>
    Number(db.prepare(`SELECT count(*) AS count FROM ${table} WHERE run_key = ?`).get(runKey)?.['count'])
  return Object.fromEntries(tables.map((table) => [table, count(table)]))
}

describe('an archived run', () => {
  it('leaves no row in any table but its own and its ticket [STO-15]', async () => {
    await store.putPool({ pool: 'agent:x', capacity: 1 })
    const row = await endedRun('r1')
    const { archive_tickets, erasure_tickets, ...before } = rowsOf(row.runKey)
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([])
    expect([archive_tickets, erasure_tickets]).toEqual([0, 0])
    expect(await store.archiveRun(row.runKey, row.headHash)).toBe('archived')
    const left = Object.entries(rowsOf(row.runKey)).filter(([, count]) => count > 0)
    expect(left).toEqual([
      ['archive_tickets', 1],
      ['runs', 1],
    ])
    expect((await store.listPools())[0]).toMatchObject({ used: 0, waiting: 0 })
  })

  it('whose ticket was cut by hand before is finished by the store', async () => {
    await store.putPool({ pool: 'agent:x', capacity: 1 })
    const row = await endedRun('r1')
    db.prepare('INSERT INTO archive_tickets (run_key, head_hash) VALUES (?, ?)').run(row.runKey, row.headHash)
    expect(await allEvents(store, row.runKey)).toEqual([])
    expect(await store.archiveRun(row.runKey, row.headHash)).toBe('archived')
    expect((await store.getRun(row.runKey))?.archivedAt).toBe(clock.now())
    expect(rowsOf(row.runKey)['run_inbox']).toBe(0)
  })

  it('stays archived whole when a fault comes in the middle: all of it, or nothing', async () => {
    await store.putPool({ pool: 'agent:x', capacity: 1 })
    const row = await endedRun('r1')
    const before = rowsOf(row.runKey)
    db.exec(`CREATE TRIGGER fault BEFORE DELETE ON step_claims BEGIN SELECT RAISE(ABORT, 'fault'); END`)
    await expect(store.archiveRun(row.runKey, row.headHash)).rejects.toThrow(/fault/)
    expect(rowsOf(row.runKey)).toEqual(before)
    db.exec('DROP TRIGGER fault')
    expect(await store.archiveRun(row.runKey, row.headHash)).toBe('archived')
  })
})
