/** Upgrade from the schema before grants, feed and counts: existing rows stay, are counted, and can be followed. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migratedTo } from '../../../../test/fixtures/postgres-before.ts'
import { startPostgres, type PostgresServer } from '../../../../test/setup/postgres.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { sealEvents } from '../../../testing/store/sealed-events.ts'
import { allEvents, bytesOf, creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import type { RunCommit } from '../../../ports/run-store.ts'
import { commitValues } from './commit-values.ts'
import { eventParameters } from './insert-events.ts'
import { MIGRATIONS } from './migrate.ts'
import { openPostgresStore } from './store.ts'

const OLD = 6
const RUN = `INSERT INTO keelson.runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
    engine_type, engine_run_ref, created_at, updated_at, epoch, next_seq, head_hash, status, rules_version,
    min_rules_version, steps_total, steps_done, steps_failed, owed)
  VALUES ($1, $2, 'project-a', 'test', 'plan-a', '1.0.0', '', 'embedded', $1, 1, 1, 1, $3, $4, $5, 1, 1, 0, 0, 0, false)
  RETURNING run_key`
const EVENT = `INSERT INTO keelson.events (run_key, seq, persisted_at, event_type, idempotency_key, chain_hash, record)
  VALUES ($1, $2, 1, $3, $4, $5, $6)`

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

async function oldDatabase(url: string): Promise<void> {
  const db = await migratedTo(url, OLD)
  for (const [index, status] of ['RUNNING', 'RUNNING', 'COMPLETED', 'FAILED', 'PAUSED'].entries()) {
    const run = newRun({ runId: `r${index}`, tenantId: index < 4 ? 'tenant-a' : 'tenant-b' })
    const specs = ['a', 'b', 'c'].map((slot) => step('StepStarted', slot))
    const events = sealEvents(run, { nextSeq: 1, headHash: new Uint8Array(32) }, specs)
    const head = events.at(-1)?.chainHash
    const { rows } = await db.query(RUN, [run.runId, run.tenantId, events.length + 1, head, status])
    const { run_key: runKey } = rows[0] as { readonly run_key: string }
    for (const { runSeq, eventType, idempotencyKey, chainHash, record } of events)
      await db.query(EVENT, [runKey, runSeq, eventType, idempotencyKey, chainHash, record])
    if (status === 'FAILED')
      await db.query('INSERT INTO keelson.archive_tickets (run_key, head_hash) VALUES ($1, $2)', [runKey, head])
  }
  await db.end()
}

/** As a process of the version before P-53 calls it: it reads letters first, and says nothing of them here. */
const OLD_COMMIT = `SELECT verdict, run_key FROM keelson.commit_runs($1, $2, $3::bigint[], $4::bigint[], $5::bigint[],
  $6::text[], $7::jsonb, $8::jsonb, $9::jsonb, $10::integer[], ${eventParameters(11)})`

it('a process of the version before goes on beside one that has moved the database on, and neither harms the other [P-53]', async () => {
  const url = await server.createDatabase('before')
  const old = await migratedTo(url, MIGRATIONS.indexOf('0023-turns-without-reads.sql'))
  const asBefore = async (commit: RunCommit) => {
    const values = commitValues([commit], { wait: true, now: undefined, callers: 0 })
    const { rows } = await old.query<{ verdict: string; run_key: string }>({
      name: 'commit',
      text: OLD_COMMIT,
      values: [...values],
    })
    return rows[0]
  }
  const born = await asBefore(creation(newRun({ runId: 'r1' })))
  const runKey = Number(born?.run_key)
  const store = await openPostgresStore({ connectionString: url })
  const letter = { inboxId: 'a', kind: 'signal', body: '{}' }

  const first = await rowOf(store, runKey)
  expect((await asBefore(nextCommit(first, [step('StepStarted', 'a')])))?.verdict).toBe('write')
  const late = nextCommit(first, [step('StepStarted', 'b')], { unread: true })
  expect(await store.commit([late])).toEqual([{ kind: 'conflict' }])
  const second = await rowOf(store, runKey)
  await store.insertInbox(second, letter)
  const blind = nextCommit(second, [step('StepStarted', 'b')], { unread: true })
  expect((await store.commit([blind]))[0]?.kind).toBe('unread')
  const read = nextCommit(second, [step('StepStarted', 'b')], { consumed: [{ inboxId: 'a', seq: second.nextSeq }] })
  expect((await asBefore(read))?.verdict).toBe('write')
  expect((await asBefore(read))?.verdict).toBe('conflict')
  const third = await rowOf(store, runKey)
  const next = nextCommit(third, [step('StepCompleted', 'b')], { unread: true })
  expect((await store.commit([next]))[0]?.kind).toBe('committed')
  expect((await allEvents(store, runKey)).map(({ runSeq }) => runSeq)).toEqual([1, 2, 3, 4])
  expect(await store.faults()).toEqual([])
  await old.end()
  await store.close()
})

it('a database at version 6 moves on with its runs: they are counted, followed, archived and go on', async () => {
  const url = await server.createDatabase('old')
  await oldDatabase(url)
  const store = await openPostgresStore({ connectionString: url })
  const counts = async (tenantId: string) => Object.fromEntries(await store.countRuns(tenantId))
  expect(await counts('tenant-a')).toEqual({ RUNNING: 2, COMPLETED: 1, FAILED: 1 })
  expect(await counts('tenant-b')).toEqual({ PAUSED: 1 })

  const page = await store.readFeed('audit', { now: 0, limit: 100 })
  const shown = page.items.map(({ run, event }) => `${run.runId}/${event.runSeq}`)
  expect(shown).toEqual(['r0', 'r1', 'r2', 'r4'].flatMap((run) => [1, 2, 3].map((seq) => `${run}/${seq}`)))
  for (const { runKey, event } of page.items) {
    const stored = (await allEvents(store, runKey))[event.runSeq - 1]
    expect(stored === undefined ? undefined : bytesOf(stored)).toEqual(bytesOf(event))
  }
  const deliveries = page.items.map(({ runKey, event }) => ({
    runKey,
    runSeq: event.runSeq,
    result: 'delivered' as const,
  }))
  await store.settleFeed('audit', { position: page.position, deliveries })

  const first = await store.findRun({ tenantId: 'tenant-a', runId: 'r0' })
  const row = await rowOf(store, first?.runKey ?? 0)
  const next = nextCommit(row, [step('StepStarted', 'd')])
  const ending = { ...next, summary: { ...next.summary, status: 'COMPLETED' as const, endedAt: 5 } }
  expect((await store.commit([ending]))[0]?.kind).toBe('committed')
  expect(await counts('tenant-a')).toEqual({ RUNNING: 1, COMPLETED: 2, FAILED: 1 })
  const after = await store.readFeed('audit', { now: 0, limit: 100 })
  expect(after.items.map(({ run, event }) => `${run.runId}/${event.runSeq}`)).toEqual(['r0/4'])
  expect((await store.findRun({ tenantId: 'tenant-a', runId: 'r3' }))?.archivedAt).toBe(1)
  expect((await store.archivableRuns(9, 10)).map(({ runId }) => runId)).toEqual(['r0'])
  await store.close()
})
