/** The commit of one run with nothing but events: what it leaves is what `commit_runs` leaves, and so are its refusals. */
import type { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { onPostgres } from '../../../../test/fixtures/on-postgres.ts'
import type { RunCommit, RunRow, RunSummary } from '../../../ports/run-store.ts'
import { newRun, summary } from '../../../testing/store/run-fixtures.ts'
import { creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import { isPlain } from './plain-commit.ts'
import type { PostgresStore } from './store.ts'

let store: PostgresStore
let db: Client

onPostgres('plain', { opened: (on) => ({ store, db } = on), held: () => ({ store, db }) })

async function started(runId: string): Promise<RunRow> {
  const first = { status: 'PENDING', stepsTotal: 0 } as const
  const [result] = await store.commit([{ ...creation(newRun({ runId })), summary: summary(first) }])
  if (result?.kind !== 'committed') throw new Error('the run was not stored')
  return rowOf(store, result.runKey)
}

/** All that is stored of a run but what names it and when it was written. */
async function storedOf(runId: string) {
  const runs = await db.query<Record<string, unknown>>('SELECT * FROM keelson.runs WHERE run_id = $1', [runId])
  const { run_key: runKey, updated_at: at, ...rest } = runs.rows[0] ?? {}
  for (const name of ['run_id', 'engine_run_ref', 'created_at', 'head_hash']) delete rest[name]
  const events = await db.query<Record<string, unknown>>(
    `SELECT seq, event_type, terminal_slot, generation, persisted_at = $2 AS at_last
      FROM keelson.events WHERE run_key = $1 AND seq > 1 ORDER BY seq`,
    [runKey, at],
  )
  return { rest, events: events.rows }
}

const SUMMARIES: readonly (readonly [string, Partial<RunSummary>])[] = [
  ['starts', { status: 'RUNNING', startedAt: 5, owed: true, nextWakeAt: 99 }],
  ['waits for a person', { status: 'RUNNING', substatus: 'embedded/WAITING', stepsDone: 3 }],
  ['fails', { status: 'FAILED', startedAt: 5, endedAt: 9, stepsFailed: 2, errorCode: 'BOOM', rulesVersion: 2 }],
  ['stays as it is', { status: 'PENDING', minRulesVersion: 2, rulesVersion: 3 }],
]

describe('a run by itself that', () => {
  it.each(SUMMARIES)('%s is stored as beside another one [P-08, P-41]', async (_how, changes) => {
    const rows = [await started('alone'), await started('beside'), await started('other')]
    const commits = rows.map((row) =>
      nextCommit(row, [step('StepCompleted', 'a'), step('StepStarted', 'b')], { summary: summary(changes) }),
    )
    const [alone, ...batch] = commits
    if (alone === undefined) throw new Error('there is no commit')
    expect(isPlain(alone)).toBe(true)
    const [answer] = await store.commit([alone])
    expect((await store.commit(batch)).map(({ kind }) => kind)).toEqual(['committed', 'committed'])
    const row = await rowOf(store, rows[0]?.runKey ?? 0)
    expect(answer).toEqual({ kind: 'committed', runKey: row.runKey, persistedAt: row.updatedAt })
    expect(row).toMatchObject({ nextSeq: 4, ...changes })
    expect(row.headHash).toEqual(Buffer.from(alone.events[1]?.chainHash ?? []))
    const one = await storedOf('alone')
    expect(one.events).toEqual([2, 3].map((seq) => expect.objectContaining({ seq: `${seq}`, at_last: true })))
    expect(one).toEqual(await storedOf('beside'))
    expect(Object.fromEntries(await store.countRuns('tenant-a'))).toEqual({ [changes.status ?? 'PENDING']: 3 })
  })
})

const BESIDE: readonly (readonly [string, Partial<RunCommit>])[] = [
  ['a new epoch', { newEpoch: 2 }],
  ['a lease', { lease: { owner: 'me', until: 5 } }],
  ['another engine', { engine: { engineType: 'temporal', engineRunRef: 'x' } }],
  ['a variable', { context: [{ variable: 'v', seq: 2, value: '1' }] }],
  ['a blob', { blobs: [{ sha256: 'aa', text: 'b' }] }],
  ['a letter', { notify: [{ run: { tenantId: 't', runId: 'r' }, row: { inboxId: 'i', kind: 'child', body: '{}' } }] }],
  ['a letter it has read', { consumed: [{ inboxId: 'i', seq: 2 }] }],
  ['units it frees', { releases: 'all' }],
  ['units it takes', { claims: [{ slot: 'a', attempt: 1, wants: { p: 1 }, priority: 0 }] }],
  ['nobody left in line', { waits: [] }],
  ['a wait for an event', { eventWaits: { opened: [], closed: 'all' } }],
  ['the wake-up it knows', { expected: { epoch: 1, nextSeq: 2, nextWakeAt: null } }],
  ['no events', { events: [] }],
  ['a gap in its events', { expected: { epoch: 1, nextSeq: 3 } }],
]

it.each(BESIDE)('a commit with %s is not one of these', async (_what, beside) => {
  const row = await started('r1')
  const commit = nextCommit(row, [step('StepStarted', 'a')])
  expect(isPlain(commit)).toBe(true)
  expect(isPlain({ ...commit, ...beside })).toBe(false)
})

it('a refusal leaves nothing: of an epoch, of a seq, of an event that is there, of a run that is not [P-09]', async () => {
  const row = await started('r1')
  const commit = nextCommit(row, [step('StepCompleted', 'a')])
  const { epoch, nextSeq } = commit.expected
  const before = await storedOf('r1')
  const answers = [
    { ...commit, expected: { epoch: epoch + 1, nextSeq } },
    { ...commit, expected: { epoch, nextSeq: 1 }, events: commit.events.map((event) => ({ ...event, runSeq: 1 })) },
    { ...commit, runKey: row.runKey + 1000 },
    nextCommit(row, [step('StepCompleted', 'a'), step('StepCompleted', 'a')]),
    { ...commit, events: commit.events.map((event) => ({ ...event, chainHash: new Uint8Array(3) })) },
  ]
  const results = []
  for (const one of answers) results.push((await store.commit([one]))[0])
  expect(results).toEqual([
    { kind: 'conflict' },
    { kind: 'conflict' },
    { kind: 'conflict' },
    { kind: 'constraint', detail: 'idempotencyKey' },
    { kind: 'constraint', detail: 'chainHash' },
  ])
  expect(await storedOf('r1')).toEqual(before)
})
