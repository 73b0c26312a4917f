/** Captured variables of a run, versioned by seq (P-16): a read names the seq it wants to see. */
import type { ContextWrite, RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { text } from './run-row.ts'

const WRITE = `INSERT INTO run_context (run_key, variable, seq, value) VALUES (?, ?, ?, ?)
  ON CONFLICT (run_key, variable, seq) DO UPDATE SET value = excluded.value`
/** SQLite takes the bare column from the row that holds the maximum. */
const READ = `SELECT variable, value, max(seq) FROM run_context WHERE run_key = ? AND seq <= ? GROUP BY variable`
const ERASE = 'DELETE FROM run_context WHERE run_key = ? AND seq <= ?'

export function writeContext(connection: Connection, runKey: RunKey, write: ContextWrite): void {
  connection.sql(WRITE).run(runKey, write.variable, write.seq, write.value)
}

export async function readContext(
  connection: Connection,
  runKey: RunKey,
  atSeq: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.read(() => connection.sql(READ).all(runKey, atSeq))
  return new Map(rows.map((row) => [text(row, 'variable'), text(row, 'value')]))
}

export function eraseContext(connection: Connection, runKey: RunKey, upToSeq: number): void {
  connection.sql(ERASE).run(runKey, upToSeq)
}
