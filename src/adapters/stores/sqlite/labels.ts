/** The labels of runs: lists find runs by them. */
import type { RunKey, RunLabels } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { text, type Columns } from './run-row.ts'

const INSERT = 'INSERT INTO run_labels (run_key, name, value, tenant_id, created_at) VALUES (?, ?, ?, ?, ?)'
const ERASE = 'DELETE FROM run_labels WHERE run_key = ?'

export function insertLabels(
  { sql }: Connection,
  { runKey, tenantId }: { readonly runKey: RunKey; readonly tenantId: string },
  labels: RunLabels,
  now: number,
): void {
  for (const [name, value] of Object.entries(labels)) sql(INSERT).run(runKey, name, value, tenantId, now)
}

export function eraseLabels({ sql }: Connection, runKey: RunKey): void {
  sql(ERASE).run(runKey)
}

export function labelsOf(rows: readonly Columns[]): RunLabels {
  return Object.fromEntries(rows.map((row) => [text(row, 'name'), text(row, 'value')]))
}
