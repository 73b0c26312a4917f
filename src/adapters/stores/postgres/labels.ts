/** The labels of runs: lists find runs by them. */
import type { CommitResult, RunCommit, RunLabels } from '../../../ports/run-store.ts'
import { text, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

const INSERT = `INSERT INTO keelson.run_labels (run_key, name, value, tenant_id, created_at)
  SELECT $1, l.key, l.value, $3, $4 FROM jsonb_each_text($2::jsonb) AS l(key, value)`

/** After the commit of a new run, in its transaction. */
export async function insertLabels(
  session: Session,
  { create, labels }: RunCommit,
  result: CommitResult | undefined,
): Promise<void> {
  if (create === undefined || labels === undefined || result?.kind !== 'committed') return
  await session.query(INSERT, [result.runKey, JSON.stringify(labels), create.tenantId, result.persistedAt])
}

export function labelsOf(rows: readonly Columns[]): RunLabels {
  return Object.fromEntries(rows.map((row) => [text(row, 'name'), text(row, 'value')]))
}
