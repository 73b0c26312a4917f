/** Turns without reads (P-53): a letter or a pause that a commit has not looked at is its answer, whoever is first. */
import type { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { onPostgres } from '../../../../test/fixtures/on-postgres.ts'
import type { CommitResult, RunCommit, RunRow } from '../../../ports/run-store.ts'
import type { ScopePause } from '../../../ports/scope-pauses.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { allEvents, creation, nextCommit, rowOf, step } from '../../../testing/store/store-case.ts'
import { openPostgresStore, type PostgresStore } from './store.ts'

let url = ''
let store: PostgresStore
let db: Client

onPostgres('unread', { opened: (on) => ({ url, store, db } = on), held: () => ({ store, db }) })

/** Connections that wait for a lock now. */
const WAITING = 'SELECT DISTINCT pid FROM pg_locks WHERE NOT granted'
const LETTER = { inboxId: 'signal:1', kind: 'signal', body: '{"a":"ü\\n"}' }

async function started(runId: string, planId = 'plan-a'): Promise<RunRow> {
  const [result] = await store.commit([creation(newRun({ runId, planId }))])
  if (result?.kind !== 'committed') throw new Error('the run was not stored')
  return rowOf(store, result.runKey)
}

/** A step forward that has not looked, in each of the ways that a commit takes through the store. */
const WAYS: readonly (readonly [string, (row: RunRow) => RunCommit])[] = [
  ['with nothing but events', (row) => nextCommit(row, [step('StepStarted', 'a')], { unread: true })],
  [
    'with a variable beside its events',
    (row) =>
      nextCommit(row, [step('StepStarted', 'a')], { unread: true, context: [{ variable: 'v', seq: 2, value: '1' }] }),
  ],
  [
    'that waits for an event',
    (row) =>
      nextCommit(row, [step('StepStarted', 'a')], {
        unread: true,
        eventWaits: { opened: [{ slot: 'a', attempt: 1, name: 'paid', key: '' }], closed: [] },
      }),
  ],
]

async function answerOf(commit: RunCommit): Promise<CommitResult | undefined> {
  return (await store.commit([commit]))[0]
}

describe.each(WAYS)('a commit %s', (_way, unreadCommit) => {
  it('that has not looked is written where there is nothing to see [P-53]', async () => {
    const row = await started('r1')
    expect((await answerOf(unreadCommit(row)))?.kind).toBe('committed')
    expect((await allEvents(store, row.runKey)).length).toBe(2)
  })

  it('is answered with the letters that wait, as a read would have given them, and writes nothing [P-53]', async () => {
    const row = await started('r1')
    await store.insertInbox(row, LETTER)
    await store.insertInbox(row, { ...LETTER, inboxId: 'signal:0' })
    const inboxRows = await store.readInbox(row.runKey)
    expect(inboxRows.map(({ inboxId }) => inboxId)).toEqual(['signal:1', 'signal:0'])
    expect(await answerOf(unreadCommit(row))).toEqual({ kind: 'unread', inboxRows, pauses: [] })
    expect(await rowOf(store, row.runKey)).toEqual(row)
    expect((await allEvents(store, row.runKey)).length).toBe(1)
    const consumed = inboxRows.map(({ inboxId }) => ({ inboxId, seq: 2 }))
    expect((await answerOf(nextCommit(row, [step('StepStarted', 'a')], { consumed })))?.kind).toBe('committed')
    const next = await rowOf(store, row.runKey)
    expect((await answerOf(nextCommit(next, [step('StepStarted', 'b')], { unread: true })))?.kind).toBe('committed')
  })

  it('is answered with an offer of units, which does not ring at the row of its run [P-53]', async () => {
    const row = await started('r1')
    await db.query(
      `INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at, silent)
       VALUES ($1, 'grant:a:1:1', 'grant', '{}', 5, true)`,
      [row.runKey],
    )
    const inboxRows = [{ inboxId: 'grant:a:1:1', kind: 'grant', body: '{}', insertedAt: 5 }]
    expect(await answerOf(unreadCommit(row))).toEqual({ kind: 'unread', inboxRows, pauses: [] })
  })

  it('that is behind is a conflict, whatever waits [P-53]', async () => {
    const row = await started('r1')
    await store.insertInbox(row, LETTER)
    const behind = unreadCommit(row)
    for (const expected of [
      { epoch: 1, nextSeq: 1 },
      { epoch: 2, nextSeq: 2 },
    ])
      expect(await answerOf({ ...behind, events: [], expected })).toEqual({ kind: 'conflict' })
  })

  it.each<[string, ScopePause, boolean]>([
    ['of the fleet', { pauseId: 'p', scope: 'fleet', active: true }, true],
    ['of its tenant', { pauseId: 'p', scope: 'tenant', tenantId: 'tenant-a', reason: 'x', active: true }, true],
    ['of its plan', { pauseId: 'p', scope: 'plan:plan-a', tenantId: 'tenant-a', active: true }, true],
    ['of another plan', { pauseId: 'p', scope: 'plan:plan-b', tenantId: 'tenant-a', active: true }, false],
    ["of another tenant's plan", { pauseId: 'p', scope: 'plan:plan-a', tenantId: 'tenant-b', active: true }, false],
    ['that is over', { pauseId: 'p', scope: 'fleet', active: false }, false],
  ])('meets a pause %s [P-53]', async (_whose, pause, isMet) => {
    const row = await started('r1')
    await store.putScopePause(pause)
    const answer = await answerOf(unreadCommit(row))
    if (isMet) expect(answer).toEqual({ kind: 'unread', inboxRows: [], pauses: [pause] })
    else expect(answer?.kind).toBe('committed')
  })

  it('waits for a letter that is being written, and then sees it [P-53]', async () => {
    const row = await started('r1')
    await db.query('BEGIN')
    const put = 'SELECT answer FROM keelson.put_letter($1, $2, $3, $4, $5, $6, NULL)'
    await db.query(put, [row.tenantId, row.runId, 'signal:1', 'signal', '{}', ''])
    const answer = answerOf(unreadCommit(row))
    for (;;) if ((await db.query(WAITING)).rows.length === 1) break
    await db.query('COMMIT')
    expect(await answer).toMatchObject({ kind: 'unread', inboxRows: [{ inboxId: 'signal:1' }] })
    expect((await allEvents(store, row.runKey)).length).toBe(1)
  })

  it('that loses to nobody leaves no letter unseen: each is met by a commit or comes after it [P-53]', async () => {
    const other = await openPostgresStore({ connectionString: url })
    const row = await started('r1')
    const letters = Array.from({ length: 30 }, (_, index) => ({ ...LETTER, inboxId: `letter:${index}` }))
    const written = (async () => {
      for (const letter of letters) await other.insertInbox(row, letter)
    })()
    const seen: string[] = []
    for (let turn = 0; seen.length < letters.length; turn++) {
      const now = await rowOf(store, row.runKey)
      const blind = { ...unreadCommit(now), events: nextCommit(now, [step('StepStarted', `s${turn}`)]).events }
      const answer = await answerOf(blind)
      if (answer?.kind !== 'unread') {
        expect(answer?.kind).toBe('committed')
        continue
      }
      const consumed = answer.inboxRows.map(({ inboxId }) => ({ inboxId, seq: now.nextSeq }))
      expect((await answerOf(nextCommit(now, [], { consumed })))?.kind).toBe('committed')
      seen.push(...consumed.map(({ inboxId }) => inboxId))
    }
    await written
    expect(seen).toEqual(letters.map(({ inboxId }) => inboxId))
    await other.close()
  })
})

it('in a batch only the runs that nobody wrote to go on; the others are answered each with its own [P-53]', async () => {
  const rows = [await started('r1'), await started('r2'), await started('r3', 'plan-b')]
  await store.insertInbox({ tenantId: 'tenant-a', runId: 'r2' }, LETTER)
  await store.putScopePause({ pauseId: 'p', scope: 'plan:plan-b', tenantId: 'tenant-a', active: true })
  const pauses = await store.readScopePauses('tenant-a')
  const batch = rows.map((row) => nextCommit(row, [step('StepStarted', 'a')], { unread: true }))
  const [first, second, third] = await store.commit(batch)
  expect(first?.kind).toBe('committed')
  expect(second).toEqual({ kind: 'unread', inboxRows: await store.readInbox(rows[1]?.runKey ?? 0), pauses })
  expect(third).toEqual({ kind: 'unread', inboxRows: [], pauses })
  for (const [index, { runKey }] of rows.entries())
    expect((await allEvents(store, runKey)).length).toBe(index === 0 ? 2 : 1)
})

it('a new run that a pause covers is not made by who has not looked; one that is there is said to be [P-53]', async () => {
  await started('r1')
  const pause: ScopePause = { pauseId: 'p', scope: 'tenant', tenantId: 'tenant-a', active: true }
  await store.putScopePause(pause)
  const blind = (runId: string) => ({ ...creation(newRun({ runId })), unread: true as const })
  expect(await answerOf(blind('r2'))).toEqual({ kind: 'unread', inboxRows: [], pauses: [pause] })
  expect(await store.findRun({ tenantId: 'tenant-a', runId: 'r2' })).toBeUndefined()
  expect(await answerOf(blind('r1'))).toEqual({ kind: 'run-exists' })
  expect((await answerOf(creation(newRun({ runId: 'r2' }))))?.kind).toBe('committed')
  expect((await answerOf({ ...creation(newRun({ runId: 'r3', tenantId: 'tenant-b' })), unread: true }))?.kind).toBe(
    'committed',
  )
})
