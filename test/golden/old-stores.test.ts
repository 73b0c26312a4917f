/**
 * Stores that an older version wrote (`stores/`): runs in every state that lasts, left by a process that was killed. Opened today they
 * are upgraded once; whatever waited in them goes on to its end under its own rules, and the whole store verifies.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS as ON_POSTGRES } from '../../src/adapters/stores/postgres/migrate.ts'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { MIGRATIONS as ON_SQLITE } from '../../src/adapters/stores/sqlite/migrate.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { testFolder } from '../fixtures/folder.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'

const dumpOf = (name: string): string => readFileSync(join(import.meta.dirname, 'stores', `${name}.sql`), 'utf8')

interface Place {
  /** What it was written at. */
  readonly version: () => Promise<number>
  readonly open: () => Promise<RunStore>
  /** What it is at now. */
  readonly newest: number
}

let server: PostgresServer
let databases = 0
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

async function onSqlite(): Promise<Place> {
  const path = join(testFolder(), 'keelson.db')
  const db = new DatabaseSync(path)
  db.exec(dumpOf('sqlite-0016'))
  db.close()
  const version = async (): Promise<number> => {
    const file = new DatabaseSync(path, { readOnly: true })
    const { user_version: found } = file.prepare('PRAGMA user_version').get() ?? {}
    file.close()
    return Number(found)
  }
  return { version, open: () => openSqliteStore({ path, clock: { now: Date.now } }), newest: ON_SQLITE.length }
}

async function onPostgres(): Promise<Place> {
  const connectionString = await server.createDatabase(`old_${(databases += 1)}`)
  const asked = async (sql: string): Promise<unknown> => {
    const client = new Client({ connectionString })
    await client.connect()
    try {
      const { rows } = await client.query<{ readonly version: unknown }>(sql)
      return rows?.[0]?.version
    } finally {
      await client.end()
    }
  }
  await asked(dumpOf('postgres-0021'))
  const version = async (): Promise<number> =>
    Number(await asked('SELECT max(version) AS version FROM keelson.migrations'))
  return { version, open: () => openPostgresStore({ connectionString }), newest: ON_POSTGRES.length }
}

const calls: string[] = []
const called =
  (name: string, output: unknown) =>
  (_input: unknown, { stepId, itemIndex }: { readonly stepId: string; readonly itemIndex?: number | undefined }) => {
    calls.push(`${name} ${stepId}${itemIndex === undefined ? '' : `[${itemIndex}]`}`)
    return output
  }
const steps = {
  f: called('f', { n: 1 }),
  slow: called('slow', { n: 2 }),
  bad: called('bad', 'well now'),
  busy: called('busy', 1),
  undo: called('undo', null),
}

async function byPlan(keelson: Keelson): Promise<ReadonlyMap<string, RunHandle>> {
  const found = new Map<string, RunHandle>()
  for await (const { planId, runId } of keelson.runs()) {
    const run = await keelson.run(runId)
    found.set(planId, run)
  }
  return found
}

const endsOf = async (runs: ReadonlyMap<string, RunHandle>): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(await Promise.all([...runs].map(async ([name, run]) => [name, (await run.result()).status] as const)))

async function sign(run: RunHandle | undefined): Promise<void> {
  const [task] = (await run?.tasks()) ?? []
  await run?.completeTask({ completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'ana' })
}

describe.each([
  ['a SQLite file of schema 16', 16, onSqlite],
  ['a PostgreSQL database of schema 21', 21, onPostgres],
] as const)('%s', (_name, written, make) => {
  it('is upgraded, its waiting runs go on to their end, and new ones wait for events in it', { timeout: 120_000 }, async () => {
    const place = await make()
    expect(await place.version()).toBe(written)
    calls.length = 0
    const store = await place.open()
    await using keelson = await openKeelson({ store, steps, directory: testFolder(), keysDirectory: testFolder(), leaseMs: 2000, pollMs: 100 })
    expect([await place.version(), await store.faults()]).toEqual([place.newest, []])
    const runs = await byPlan(keelson)
    expect([...runs.keys()].toSorted()).toEqual(
      ['backoff', 'child', 'done', 'family', 'fan', 'flying', 'held', 'manual', 'paused', 'queued', 'timed', 'undoing'],
    )

    const paused = runs.get('paused')
    await expect(paused?.cancel('under the rules of then', { undo: true })).rejects.toThrow(/SIGNAL_INVALID_PAYLOAD.* rules version 5/)
    await paused?.resume()
    await runs.get('held')?.signal('RETRY_STEP', { stepId: 'shaky' })
    await sign(runs.get('manual'))
    await sign(runs.get('child'))
    await keelson.queue.start()
    const { undoing, ...others } = await endsOf(runs)
    expect(undoing).toBe('FAILED')
    expect(new Set(Object.values(others))).toEqual(new Set(['COMPLETED']))
    expect(await runs.get('timed')?.output()).toEqual({ n: 1 })
    // What had ended was not done again; what was undone when the process died was undone once more, and the rest.
    expect(calls.filter((one) => one.startsWith('undo'))).toEqual(['undo stuck', 'undo one'])
    expect(calls.filter((one) => one === 'f a')).toEqual(['f a'])

    const waiting = loadPlan('{ plan: new, version: 1.0.0, steps: [{ id: paid, wait: { forEvent: order.paid } }] }')
    const run = await keelson.start(waiting)
    await keelson.send({ name: 'order.paid', data: 12 })
    expect((await run.result()).status).toBe('COMPLETED')
    const proof = await keelson.maintenance.verifyStore()
    // The receipts of then were not kept with the store; that is told, and nothing else.
    expect({ ...proof, findings: proof.findings.map(({ code }) => code) }).toMatchObject({
      runs: 13,
      broken: [],
      findings: ['RECEIPT_MISSING'],
    })
  })
})
