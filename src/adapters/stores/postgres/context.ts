/** Captured variables of a run, versioned by seq (P-16): a read names the seq it wants to see. */
import type { RunKey } from '../../../ports/run-store.ts'
import { text } from './run-row.ts'
import type { Session } from './session.ts'

const READ = `SELECT DISTINCT ON (variable) variable, value FROM keelson.run_context
  WHERE run_key = $1 AND seq <= $2 ORDER BY variable, seq DESC`

export async function readContext(
  session: Session,
  runKey: RunKey,
  atSeq: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await session.query(READ, [runKey, atSeq])
  return new Map(rows.map((row) => [text(row, 'variable'), text(row, 'value')]))
}
