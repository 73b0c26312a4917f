/**
 * Hands that damage a store behind its back: plain SQL on SQLite and PostgreSQL, after the triggers that forbid it are out
 * of the way, and the disk itself of the memory store. Column names are those of the SQL schema everywhere.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Client } from 'pg'
import { createMemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { RunKey, RunRow, RunStore, StoredEvent } from '../../src/ports/run-store.ts'
import { changeRawEvent, dropTriggers, rawLog, setRawLog } from '../fixtures/raw-log.ts'
import { startPostgres } from '../setup/postgres.ts'

export type Columns = Readonly<Record<string, SQLInputValue>>

export interface Planter {
  open(): Promise<RunStore>
  setEvent(runKey: RunKey, seq: number, columns: Columns): Promise<void>
  dropEvents(runKey: RunKey, fromSeq: number, toSeq: number): Promise<void>
  setRun(runKey: RunKey, columns: Columns): Promise<void>
  /** Undefined: the plan is gone. */
  setPlan(sha256: string, text: string | undefined): Promise<void>
  setSnapshots(runKey: RunKey, columns: Columns): Promise<void>
  setContext(runKey: RunKey, columns: Columns): Promise<void>
  close(): Promise<void>
}

type Run = (sql: string, values: readonly SQLInputValue[]) => Promise<void>

/** The same statements for both databases; `mark` writes the n-th parameter, `schema` stands before each table. */
function sqlHands(run: Run, schema: string, mark: (n: number) => string): Omit<Planter, 'open' | 'close'> {
  const update = (table: string, columns: Columns, where: Columns): Promise<void> => {
    const names = Object.keys(columns)
    const set = names.map((name, index) => `${name} = ${mark(index + 1)}`).join(', ')
    const found = Object.keys(where).map((name, index) => `${name} = ${mark(names.length + index + 1)}`)
    const sql = `UPDATE ${schema}${table} SET ${set} WHERE ${found.join(' AND ')}`
    return run(sql, [...Object.values(columns), ...Object.values(where)])
  }
  return {
    setEvent: (runKey, seq, columns) => update('events', columns, { run_key: runKey, seq }),
    dropEvents: (runKey, fromSeq, toSeq) =>
      run(`DELETE FROM ${schema}events WHERE run_key = ${mark(1)} AND seq BETWEEN ${mark(2)} AND ${mark(3)}`, [
        runKey,
        fromSeq,
        toSeq,
      ]),
    setRun: (runKey, columns) => update('runs', columns, { run_key: runKey }),
    setPlan: (sha256, text) =>
      text === undefined
        ? run(`DELETE FROM ${schema}plans WHERE sha256 = ${mark(1)}`, [sha256])
        : update('plans', { text }, { sha256 }),
    setSnapshots: (runKey, columns) => update('run_snapshots', columns, { run_key: runKey }),
    setContext: (runKey, columns) => update('run_context', columns, { run_key: runKey }),
  }
}

export async function sqlitePlanter(): Promise<Planter> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-poison-'))
  const path = join(folder, 'keelson.db')
  await (await openSqliteStore({ path, clock: systemClock })).close()
  const database = new DatabaseSync(path)
  dropTriggers(database)
  const hands = sqlHands(
    async (sql, values) => void database.prepare(sql).run(...values),
    '',
    () => '?',
  )
  return {
    ...hands,
    setEvent: async (runKey, seq, columns) =>
      changeRawEvent(database, seq, (event) => ({ ...event, ...named(columns) }) as StoredEvent, runKey),
    dropEvents: async (runKey, fromSeq, toSeq) => {
      const left = rawLog(database, runKey).filter(({ runSeq }) => runSeq < fromSeq || runSeq > toSeq)
      setRawLog(database, left, runKey)
    },
    open: () => openSqliteStore({ path, clock: systemClock }),
    close: async () => {
      database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function postgresPlanter(): Promise<Planter> {
  const server = await startPostgres({ fsync: 'on' })
  const url = await server.createDatabase('poison')
  await (await openPostgresStore({ connectionString: url, clock: systemClock })).close()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('SET session_replication_role = replica')
  await client.query('ALTER TABLE keelson.events DISABLE TRIGGER USER')
  const hands = sqlHands(
    async (sql, values) => void (await client.query(sql, values.map(bytesAsBuffer))),
    'keelson.',
    (n) => `$${n}`,
  )
  return {
    ...hands,
    open: () => openPostgresStore({ connectionString: url, clock: systemClock }),
    close: async () => {
      await client.end()
      await server.stop()
    },
  }
}

function bytesAsBuffer(value: SQLInputValue): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value
}

export async function memoryPlanter(): Promise<Planter> {
  const disk = createMemoryDisk()
  const of = (runKey: RunKey): (typeof disk.runs)[number] => {
    const run = disk.runs[runKey - 1]
    if (run === undefined) throw new Error(`no run ${runKey}`)
    return run
  }
  return {
    open: async () => openMemoryStore({ clock: systemClock, disk }),
    setEvent: async (runKey, seq, columns) => {
      const { events } = of(runKey)
      const index = events.findIndex((event) => event.runSeq === seq)
      events[index] = { ...events[index], ...named(columns) } as StoredEvent
    },
    dropEvents: async (runKey, fromSeq, toSeq) => {
      const { events } = of(runKey)
      const left = events.filter(({ runSeq }) => runSeq < fromSeq || runSeq > toSeq)
      events.splice(0, events.length, ...left)
    },
    setRun: async (runKey, columns) => {
      const run = of(runKey)
      run.row = { ...run.row, ...named(columns) } as RunRow
    },
    setPlan: async (sha256, text) => {
      for (const [key, plan] of disk.plans) {
        if (plan.sha256 !== sha256) continue
        if (text === undefined) disk.plans.delete(key)
        else disk.plans.set(key, { ...plan, text })
      }
    },
    setSnapshots: async (runKey, columns) => {
      const { snapshots } = of(runKey)
      for (const [key, snapshot] of snapshots) snapshots.set(key, { ...snapshot, ...named(columns) })
    },
    setContext: async (runKey, columns) => {
      for (const [variable, versions] of of(runKey).context)
        of(runKey).context.set(
          variable,
          versions.map((version) => ({ ...version, ...named(columns) })),
        )
    },
    close: async () => undefined,
  }
}

const ODD_NAMES: Readonly<Record<string, string>> = { seq: 'runSeq' }

/** `chain_hash` is `chainHash` in memory. */
function named(columns: Columns): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      ODD_NAMES[name] ?? name.replaceAll(/_(\w)/g, (_, inboxRow: string) => inboxRow.toUpperCase()),
      value ?? undefined,
    ]),
  )
}
