/**
 * Event rows, many to a statement: a call into SQLite costs about as much as a row. A statement is one step of SQLite,
 * so a row that breaks a constraint takes its whole statement back, and the caller the run's savepoint.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { RunKey, SealedEvent } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'

const OPEN_GATE = 'UPDATE log_gate SET open = 1'
const CLOSE_GATE = 'UPDATE log_gate SET open = 0'
const COLUMNS = `INSERT INTO events (run_key, seq, event_type, idempotency_key, record, data, salt, chain_hash,
  terminal_slot, persisted_at) VALUES `
const ROW = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
const ROWS_PER_STATEMENT = 20
const STATEMENTS = Array.from(
  { length: ROWS_PER_STATEMENT + 1 },
  (_, rows) => COLUMNS + Array.from({ length: rows }, () => ROW).join(', '),
)

/** Within a transaction: an error takes the opening back with everything else. */
export function withOpenGate<T>(connection: Connection, work: () => T): T {
  connection.sql(OPEN_GATE).run()
  const answer = work()
  connection.sql(CLOSE_GATE).run()
  return answer
}

export function insertEvents(
  connection: Connection,
  runKey: RunKey,
  events: readonly SealedEvent[],
  now: number,
): void {
  for (let from = 0; from < events.length; from += ROWS_PER_STATEMENT) {
    const some = events.slice(from, from + ROWS_PER_STATEMENT)
    const values: SQLInputValue[] = []
    for (const event of some)
      values.push(
        runKey,
        event.runSeq,
        event.eventType,
        event.idempotencyKey,
        event.record,
        event.data ?? null,
        event.salt ?? null,
        event.chainHash,
        event.terminalSlot ?? null,
        now,
      )
    connection.sql(STATEMENTS[some.length] ?? COLUMNS + ROW).run(...values)
  }
}
