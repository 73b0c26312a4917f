/**
 * What fell into a measured window: checkpoints of the store, snapshots that Keelson kept of its runs, work of autovacuum, collections of
 * the heap. The worst times of a lap come from these; a window without any of them says nothing about them.
 */
import { closeSync, globSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PerformanceObserver } from 'node:perf_hooks'
import { Client } from 'pg'

export interface Happenings {
  /** Not a number where the log was emptied to its last byte meanwhile: then it counts from the beginning. */
  readonly checkpoints: number
  readonly snapshots: number
  /** Tables that autovacuum cleaned or looked at; PostgreSQL tells them a second late. */
  readonly autovacuums: number
  /** Of the main thread. */
  readonly collections: number
  readonly longestCollectionMs: number
}

type Told = Pick<Happenings, 'checkpoints' | 'snapshots' | 'autovacuums'>

const NOTHING: Told = { checkpoints: 0, snapshots: 0, autovacuums: 0 }
/** Where a write-ahead log of SQLite counts how often it began anew: once after each checkpoint that emptied it. */
const SEQUENCE_AT = 12
const TABLES = `SELECT to_regclass('keelson.run_snapshots') IS NOT NULL AS ours,
  current_setting('server_version_num')::integer >= 170000 AS has_checkpointer`
const VACUUMS = 'SELECT coalesce(sum(autovacuum_count + autoanalyze_count), 0) AS n FROM pg_stat_user_tables'
const SNAPSHOTS = 'SELECT count(*) AS n FROM keelson.run_snapshots'

export class Windows {
  readonly #place: string
  #collections: number[] = []
  readonly #observer = new PerformanceObserver((list) => this.#note(list.getEntries()))

  /** `place` is what the contender was opened on. */
  constructor(place: string) {
    this.#place = place
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  async during<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly during: Happenings }> {
    const before = await this.#told()
    this.#note(this.#observer.takeRecords())
    this.#collections = []
    const answer = await work()
    // Entries are handed over in a turn of the event loop of their own.
    await new Promise((resolve) => setImmediate(resolve))
    this.#note(this.#observer.takeRecords())
    const collected = this.#collections
    const after = await this.#told()
    const during = {
      checkpoints: after.checkpoints < before.checkpoints ? Number.NaN : after.checkpoints - before.checkpoints,
      snapshots: after.snapshots - before.snapshots,
      autovacuums: after.autovacuums - before.autovacuums,
      collections: collected.length,
      longestCollectionMs: Math.max(0, ...collected),
    }
    return { answer, during }
  }

  close(): void {
    this.#observer.disconnect()
  }

  #note(entries: readonly { readonly duration: number }[]): void {
    for (const { duration } of entries) this.#collections.push(duration)
  }

  #told(): Told | Promise<Told> {
    return this.#place.startsWith('postgres:') ? onPostgres(this.#place) : inFolder(this.#place)
  }
}

function inFolder(folder: string): Told {
  const checkpoints = globSync(join(folder, '**', '*-wal')).reduce((sum, log) => sum + sequenceOf(log), 0)
  const [own] = globSync(join(folder, 'keelson.db'))
  if (own === undefined) return { ...NOTHING, checkpoints }
  const db = new DatabaseSync(own, { readOnly: true })
  const snapshots = Number(db.prepare('SELECT count(*) AS n FROM run_snapshots').get()?.['n'])
  db.close()
  return { ...NOTHING, checkpoints, snapshots }
}

function sequenceOf(log: string): number {
  const file = openSync(log, 'r')
  const bytes = Buffer.alloc(4)
  const read = readSync(file, bytes, 0, bytes.length, SEQUENCE_AT)
  closeSync(file)
  return read === bytes.length ? bytes.readUInt32BE() : 0
}

async function onPostgres(connectionString: string): Promise<Told> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const one = async (text: string): Promise<number> => Number((await client.query<{ n: string }>(text)).rows[0]?.n)
    const { rows } = await client.query<{ ours: boolean; has_checkpointer: boolean }>(TABLES)
    const checkpoints =
      rows[0]?.has_checkpointer === true
        ? 'SELECT num_timed + num_requested AS n FROM pg_stat_checkpointer'
        : 'SELECT checkpoints_timed + checkpoints_req AS n FROM pg_stat_bgwriter'
    return {
      checkpoints: await one(checkpoints),
      autovacuums: await one(VACUUMS),
      snapshots: rows[0]?.ours === true ? await one(SNAPSHOTS) : 0,
    }
  } finally {
    await client.end()
  }
}
