/**
 * Lists of a tenant's runs, newest first unless the oldest are asked for. The cursor names the last run shown, so that new runs do not shift the pages.
 * Several statuses are read one by one and merged, so that each uses its own index.
 */
import { fail } from '../../../core/problems/problem.ts'
import type { ListedPage, ListFilter, ListPage, RunRow, RunStatus } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { runRow } from './run-row.ts'
import { requireTenant } from './scope.ts'

interface Place {
  readonly createdAt: number
  readonly runKey: number
}

interface Query {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

export async function listRuns(
  connection: Connection,
  tenantId: string,
  filter: ListFilter,
  page: ListedPage,
): Promise<ListPage> {
  requireTenant(tenantId)
  const after = page.cursor === undefined ? undefined : placeOf(page.cursor)
  const limit = Math.max(1, Math.floor(page.limit))
  const statuses = filter.status === undefined ? [undefined] : [...new Set(filter.status)]
  const found = await connection.read(() =>
    statuses.flatMap((status) => {
      const { sql, values } = listQuery(tenantId, filter, status, after, page.oldestFirst)
      return connection.sql(sql).all(...values, limit + 1)
    }),
  )
  const sign = page.oldestFirst === true ? -1 : 1
  const runs = found.map(runRow).sort((a, b) => sign * (b.createdAt - a.createdAt || b.runKey - a.runKey))
  return pageOf(runs, limit)
}

export function listQuery(
  tenantId: string,
  filter: ListFilter,
  status: RunStatus | undefined,
  after: Place | undefined,
  oldestFirst = false,
): Query {
  const { planId, createdFrom, createdTo, originalRunId, errorCode, triggeredBy } = filter
  const labels = Object.entries(filter.labels ?? {})
  // With labels their own index gives the order; the rest of the run is looked up.
  const place = labels.length > 0 ? 'l.' : ''
  const terms = [
    { sql: 'status = ?', values: [status] },
    { sql: 'plan_id = ?', values: [planId] },
    { sql: 'original_run_id = ?', values: [originalRunId] },
    { sql: 'error_code = ?', values: [errorCode] },
    { sql: 'triggered_by = ?', values: [triggeredBy] },
    { sql: `${place}created_at >= ?`, values: [createdFrom] },
    { sql: `${place}created_at <= ?`, values: [createdTo] },
    {
      sql: `(${place}created_at, ${place}run_key) ${oldestFirst ? '>' : '<'} (?, ?)`,
      values: [after?.createdAt, after?.runKey],
    },
  ]
  const used = terms.filter(({ values }) => values[0] !== undefined)
  const from = labels.length > 0 ? LABELLED : `runs INDEXED BY ${indexFor(filter, status)}`
  const own =
    labels.length > 0
      ? ['l.tenant_id = ? AND l.name = ? AND l.value = ?', ...labels.slice(1).map(() => ALSO)]
      : ['tenant_id = ?']
  const order = oldestFirst ? 'ASC' : 'DESC'
  const where = [...own, ...used.map(({ sql }) => sql)].join(' AND ')
  return {
    sql: `SELECT runs.* FROM ${from} WHERE ${where} ORDER BY ${place}created_at ${order}, ${place}run_key ${order} LIMIT ?`,
    values: [
      tenantId,
      ...labels.flat(),
      ...used.flatMap(({ values }) => values.filter((value) => value !== undefined)),
    ],
  }
}

const LABELLED = `run_labels l INDEXED BY run_labels_value CROSS JOIN runs ON runs.run_key = l.run_key
  AND runs.tenant_id = l.tenant_id`
const ALSO = 'EXISTS (SELECT 1 FROM run_labels o WHERE o.run_key = l.run_key AND o.name = ? AND o.value = ?)'

/**
 * The index is named, because SQLite without statistics would sometimes read all runs of a status to find a few of a
 * plan.
 */
function indexFor({ planId, originalRunId }: ListFilter, status: RunStatus | undefined): string {
  if (originalRunId !== undefined) return 'runs_original'
  if (planId !== undefined) return status === undefined ? 'runs_plan' : 'runs_plan_status'
  return status === undefined ? 'runs_created' : 'runs_status'
}

function pageOf(runs: readonly RunRow[], limit: number): ListPage {
  const shown = runs.slice(0, limit)
  const last = shown.at(-1)
  if (last === undefined || runs.length <= limit) return { runs: shown }
  return { runs: shown, next: Buffer.from(`${last.createdAt}.${last.runKey}`).toString('base64url') }
}

function placeOf(cursor: string): Place {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  return { createdAt: Number(match[1]), runKey: Number(match[2]) }
}
