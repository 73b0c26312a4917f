/**
 * The row of a run after an append. SQLite rewrites the indexes of columns named in a SET even if the values stay equal; so only
 * changed columns are named.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { KnownRow, RunCommit, RunSummary } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { bytes, number, type Columns } from './run-row.ts'

export const ZERO_HASH = new Uint8Array(32)
const MOVED = `updated_at = ?, epoch = ?, next_seq = ?, head_hash = ?, substatus = ?, rules_version = ?,
  min_rules_version = ?, started_at = ?, steps_total = ?, steps_done = ?, steps_failed = ?, error_code = ?`
const INDEXED = ['status', 'next_wake_at', 'owed', 'ended_at'] as const
const BY_KEY = ' WHERE run_key = ?'
const AS_KNOWN = `${BY_KEY} AND epoch = ? AND next_seq = ? AND status = ? AND next_wake_at IS ? AND owed = ?
  AND ended_at IS ? AND archived_at IS NULL`
const NOTHING_UNREAD = ' AND inbox_since IS NULL AND NOT EXISTS (SELECT 1 FROM scope_pauses WHERE active = 1)'

/** Indexed by the set of changed columns, as bits. */
function updates(where: string): readonly string[] {
  return Array.from({ length: 1 << INDEXED.length }, (_, bits) => {
    const changed = INDEXED.filter((_column, at) => (bits & (1 << at)) !== 0).map((column) => `, ${column} = ?`)
    return `UPDATE runs SET ${MOVED}${changed.join('')}${where}`
  })
}

const UPDATES = updates(BY_KEY)
const KNOWN_UPDATES = updates(AS_KNOWN)
export const UNREAD_UPDATES = updates(AS_KNOWN + NOTHING_UNREAD)

type Indexed = readonly [string, number | null, number, number | null]

function indexedOf({ status, nextWakeAt, owed, endedAt }: RunSummary): Indexed {
  return [status, nextWakeAt ?? null, owed === true ? 1 : 0, endedAt ?? null]
}

/** Adds the changed values; answers which they are, as bits. */
function pushChanged(values: SQLInputValue[], before: readonly unknown[], after: Indexed): number {
  let bits = 0
  for (const [at, value] of after.entries()) {
    if (value === before[at]) continue
    bits |= 1 << at
    values.push(value)
  }
  return bits
}

export function updateRun(connection: Connection, one: RunCommit, head: Columns, now: number): void {
  const values = movedValues(one, now, bytes(head, 'head_hash'))
  const before = INDEXED.map((column) => head[column])
  const bits = pushChanged(values, before, indexedOf(one.summary))
  connection.sql(UPDATES[bits] ?? '').run(...values, number(head, 'run_key'))
}

/** Compares and sets in one statement. False: the row is another than the turn knows, or there is something it has not read. */
export function updateKnown(connection: Connection, one: RunCommit, known: KnownRow, now: number): boolean {
  const { runKey = 0, expected, unread } = one
  const values = movedValues(one, now, ZERO_HASH)
  const before = indexedOf(known.summary)
  const bits = pushChanged(values, before, indexedOf(one.summary))
  const [status, nextWakeAt, owed, endedAt] = before
  values.push(runKey, expected.epoch, expected.nextSeq, status, nextWakeAt, owed, endedAt)
  const statements = unread === true ? UNREAD_UPDATES : KNOWN_UPDATES
  return connection.sql(statements[bits] ?? '').run(...values).changes === 1
}

/** The values of MOVED, in its order. */
export function movedValues({ events, expected, newEpoch, summary }: RunCommit, now: number, headBefore: Uint8Array) {
  const values: SQLInputValue[] = [
    now,
    newEpoch ?? expected.epoch,
    expected.nextSeq + events.length,
    events.at(-1)?.chainHash ?? headBefore,
    summary.substatus ?? null,
    summary.rulesVersion,
    summary.minRulesVersion,
    summary.startedAt ?? null,
    summary.stepsTotal,
    summary.stepsDone,
    summary.stepsFailed,
    summary.errorCode ?? null,
  ]
  return values
}
