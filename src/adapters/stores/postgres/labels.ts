/** The labels of runs: lists find runs by them. */
import type { RunLabels } from '../../../ports/run-store.ts'
import type { Written } from './commit-values.ts'
import { text, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

const INSERT = `INSERT INTO keelson.run_labels (run_key, name, value, tenant_id, created_at)
  SELECT n.run_key, l.key, l.value, n.tenant_id, n.at
  FROM jsonb_to_recordset($1::jsonb) AS n(run_key bigint, tenant_id text, at bigint, labels jsonb)
  CROSS JOIN LATERAL jsonb_each_text(n.labels) AS l(key, value)`

/** After the commit of new runs, in its transaction: one statement for all of them. */
export async function insertLabels(session: Session, written: readonly Written[]): Promise<void> {
  const labelled = written.flatMap(({ one: { create, labels }, runKey, at }) =>
    create === undefined || labels === undefined ? [] : [{ run_key: runKey, tenant_id: create.tenantId, at, labels }],
  )
  if (labelled.length > 0) await session.query(INSERT, [JSON.stringify(labelled)])
}

export function labelsOf(rows: readonly Columns[]): RunLabels {
  return Object.fromEntries(rows.map((row) => [text(row, 'name'), text(row, 'value')]))
}
