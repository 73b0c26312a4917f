/**
 * Examines a database without changing anything: does it open, is it whole, and what in it waits. Older schemas are
 * examined as far as they go.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { storeFailure } from './failure.ts'
import { inspect, MIGRATIONS } from './migrate.ts'
import { number, text, type Columns } from './run-row.ts'
import { schemaFaults } from './schema.ts'
import { statement } from './statement.ts'
import { LIVE_STATUS } from './status.ts'

export interface DatabaseReport {
  readonly schemaVersion: number
  /** The schema this version of Keelson writes. */
  readonly knownSchema: number
  readonly journalMode: string
  /** Damage found by SQLite's quick check; empty when there is none. */
  readonly damage: readonly string[]
  /**
   * Tables, triggers and other parts that are missing, altered or foreign; empty when the schema is as the migrations
   * make it.
   */
  readonly schemaFaults: readonly string[]
  readonly fileBytes: number
  readonly walBytes: number
  /** When anything was last written, by the writer's clock. */
  readonly lastWriteAt?: number
  readonly runs: number
  /** Runs that have open work or are due, and that no process holds. */
  readonly undriven: readonly string[]
  readonly quarantined: readonly { readonly runId: string; readonly code: string }[]
  readonly subscribers: readonly SubscriberReport[]
}

export interface SubscriberReport {
  readonly subscriber: string
  /** Runs whose delivery failed and will be tried again. */
  readonly blocked: number
  readonly dead: number
}

const FINDINGS = 5
const NAMED_RUNS = 100
/** A driver handles an inbox row or a timer within this time. */
const PATIENCE_MS = 5_000
const BUSY_TIMEOUT_MS = 2_000
const LIVE = `${LIVE_STATUS} AND quarantine IS NULL`
const undriven = (until: string): string => `SELECT run_id FROM runs WHERE ${LIVE} AND coalesce(${until}, 0) <= ?1
  AND (owed = 1 OR next_wake_at <= ?1 - ${PATIENCE_MS} OR inbox_since <= ?1 - ${PATIENCE_MS}) LIMIT ${NAMED_RUNS}`
const QUARANTINED = `SELECT run_id, quarantine FROM runs WHERE quarantine IS NOT NULL LIMIT ${NAMED_RUNS}`
const TOTALS = 'SELECT count(*) AS runs, max(updated_at) AS last FROM runs'
const SUBSCRIBERS = `SELECT subscriber,
    (SELECT count(*) FROM feed_backlog b WHERE b.subscriber = c.subscriber AND b.attempts > 0) AS blocked,
    (SELECT count(*) FROM feed_dead d WHERE d.subscriber = c.subscriber) AS dead
  FROM feed_cursors c ORDER BY subscriber`

export function examine(path: string, now: number): DatabaseReport {
  try {
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
      inspect(db, path)
      return reportOf(db, path, now)
    } finally {
      db.close()
    }
  } catch (thrown) {
    throw storeFailure(thrown, path)
  }
}

function reportOf(db: DatabaseSync, path: string, now: number): DatabaseReport {
  const tables = new Set(
    db
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map((row) => text(row, 'name')),
  )
  const damage = db
    .prepare(`PRAGMA quick_check(${FINDINGS})`)
    .all()
    .map((row) => text(row, 'quick_check'))
    .filter((line) => line !== 'ok')
  const totals = tables.has('runs') ? db.prepare(TOTALS).get() : undefined
  const last = totals?.['last']
  return {
    schemaVersion: Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0),
    knownSchema: MIGRATIONS.length,
    journalMode: String(db.prepare('PRAGMA journal_mode').get()?.['journal_mode']),
    damage,
    schemaFaults: schemaFaults(db).map(({ where, what }) => `${where} ${what}`),
    fileBytes: sizeOf(path),
    walBytes: sizeOf(`${path}-wal`),
    ...(last === undefined || last === null ? {} : { lastWriteAt: Number(last) }),
    runs: totals === undefined ? 0 : number(totals, 'runs'),
    undriven:
      totals === undefined
        ? []
        : statement(db, undriven(tables.has('appends') ? 'leased_until' : 'lease_until'))
            .all(now)
            .map((row) => text(row, 'run_id')),
    quarantined:
      totals === undefined
        ? []
        : db
            .prepare(QUARANTINED)
            .all()
            .map((row) => ({ runId: text(row, 'run_id'), code: text(row, 'quarantine') })),
    subscribers: tables.has('feed_dead') ? db.prepare(SUBSCRIBERS).all().map(subscriberOf) : [],
  }
}

function subscriberOf(row: Columns): SubscriberReport {
  return { subscriber: text(row, 'subscriber'), blocked: number(row, 'blocked'), dead: number(row, 'dead') }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
