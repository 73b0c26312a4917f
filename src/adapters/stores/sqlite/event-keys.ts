/**
 * What must be unique within a run: the key of each event, and the slot that it ends (P-08). Rows of one table, many to a statement,
 * since a call into SQLite costs about as much as a row.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { RunKey, SealedEvent } from '../../../ports/run-store.ts'
import { stepOf } from './append-text.ts'
import type { Connection } from './connect.ts'
import { BrokenConstraint } from './failure.ts'
import { number } from './run-row.ts'

const ROWS_PER_STATEMENT = 40
const ROW = '(?, ?, ?, ?)'
const INSERTS = Array.from(
  { length: ROWS_PER_STATEMENT + 1 },
  (_, rows) =>
    `INSERT INTO event_keys (run_key, step, key, seq) VALUES ${Array.from({ length: rows }, () => ROW).join(', ')}
      ON CONFLICT DO NOTHING`,
)
const SEQ_OF = 'SELECT seq FROM event_keys WHERE run_key = ? AND step = ? AND key = ?'

/** Within a transaction that the caller undoes when this throws. */
export function insertKeys(connection: Connection, runKey: RunKey, events: readonly SealedEvent[]): void {
  let values: SQLInputValue[] = []
  let rows = 0
  const write = (): void => {
    if (connection.sql(INSERTS[rows] ?? '').run(...values).changes !== rows) throw takenKey(connection, runKey, events)
    values = []
    rows = 0
  }
  for (const event of events) {
    const step = stepOf(event.record)
    values.push(runKey, step, event.idempotencyKey, event.runSeq)
    rows += 1
    if (event.terminalSlot !== undefined) {
      values.push(runKey, step, event.terminalSlot, event.runSeq)
      rows += 1
    }
    if (rows >= ROWS_PER_STATEMENT - 1) write()
  }
  if (rows > 0) write()
}

/** The number of the run's event with this key; undefined when there is none. */
export function seqOfKey(connection: Connection, runKey: RunKey, step: string, key: SQLInputValue): number | undefined {
  const row = connection.sql(SEQ_OF).get(runKey, step, key)
  return row === undefined ? undefined : number(row, 'seq')
}

/** A key that was not written belongs to an event with another number, stored before or in the same append. */
function takenKey(connection: Connection, runKey: RunKey, events: readonly SealedEvent[]): BrokenConstraint {
  const isTaken = (one: SealedEvent): boolean => isOthers(connection, runKey, one, one.idempotencyKey)
  return new BrokenConstraint(events.some(isTaken) ? 'idempotencyKey' : 'terminalSlot')
}

/** Whether the slot that this event ends was ended by another. */
export function endsAgain(connection: Connection, runKey: RunKey, event: SealedEvent): boolean {
  return event.terminalSlot !== undefined && isOthers(connection, runKey, event, event.terminalSlot)
}

function isOthers(connection: Connection, runKey: RunKey, event: SealedEvent, key: SQLInputValue): boolean {
  const seq = seqOfKey(connection, runKey, stepOf(event.record), key)
  return seq !== undefined && seq !== event.runSeq
}
