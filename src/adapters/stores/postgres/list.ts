/**
 * Lists of a tenant's runs, newest first unless the oldest are asked for. The cursor names the last run shown, so that new runs do not shift the pages.
 * Each status is a part of the statement that walks its own index, and all see the same moment. A list of all statuses
 * has a part for each: an index for it alone would cost every start and every end of a run.
 */
import { fail } from '../../../core/problems/problem.ts'
import { RUN_TRANSITIONS } from '../../../core/run/state/transitions.ts'
import type { ListedPage, ListFilter, ListPage, RunRow, RunStatus } from '../../../ports/run-store.ts'
import { runRow } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const STATUSES = Object.keys(RUN_TRANSITIONS) as readonly RunStatus[]

interface Place {
  readonly createdAt: number
  readonly runKey: number
}

interface Query {
  readonly sql: string
  readonly values: readonly unknown[]
}

export async function listRuns(
  session: Session,
  tenantId: string,
  filter: ListFilter,
  page: ListedPage,
): Promise<ListPage> {
  requireTenant(tenantId)
  const after = page.cursor === undefined ? undefined : placeOf(page.cursor)
  const limit = Math.max(1, Math.floor(page.limit))
  const { sql, values } = listQuery(tenantId, filter, after, limit + 1, page.oldestFirst)
  const found = sql === '' ? [] : await session.query(sql, values)
  return pageOf(found.map(runRow), limit)
}

/** Empty text for a list of no status at all. */
export function listQuery(
  tenantId: string,
  filter: ListFilter,
  after: Place | undefined,
  limit: number,
  oldestFirst = false,
): Query {
  const [order, beyond] = oldestFirst ? ['ASC', '>'] : ['DESC', '<']
  const { planId, createdFrom, createdTo, originalRunId, errorCode, triggeredBy } = filter
  // The copies of a run are few, and have an index of their own; so have labels, in the order of the list.
  const isByStatus = originalRunId === undefined && Object.keys(filter.labels ?? {}).length === 0
  const all = isByStatus ? STATUSES : [undefined]
  const statuses = filter.status === undefined ? all : [...new Set(filter.status)]
  const values: unknown[] = []
  const bind = (value: unknown): string => `$${values.push(value)}`
  const tenant = bind(tenantId)
  const labels = Object.entries(filter.labels ?? {}).map(([name, value]) => {
    const [named, text] = [bind(name), bind(value)]
    return (of: string): string => `${of}.name = ${named} AND ${of}.value = ${text}`
  })
  // With labels their own index gives the order; the rest of the run is looked up.
  const place = labels.length > 0 ? 'l.' : 'r.'
  const terms = [
    ...labelled(tenant, labels),
    `r.tenant_id = ${tenant}`,
    ...(planId === undefined ? [] : [`r.plan_id = ${bind(planId)}`]),
    ...(originalRunId === undefined ? [] : [`r.original_run_id = ${bind(originalRunId)}`]),
    ...(errorCode === undefined ? [] : [`r.error_code = ${bind(errorCode)}`]),
    ...(triggeredBy === undefined ? [] : [`r.triggered_by = ${bind(triggeredBy)}`]),
    ...(createdFrom === undefined ? [] : [`${place}created_at >= ${bind(createdFrom)}`]),
    ...(createdTo === undefined ? [] : [`${place}created_at <= ${bind(createdTo)}`]),
    ...(after === undefined
      ? []
      : [`(${place}created_at, ${place}run_key) ${beyond} (${bind(after.createdAt)}, ${bind(after.runKey)})`]),
  ].join(' AND ')
  const from = labels.length > 0 ? LABELLED : 'keelson.runs r'
  const most = bind(limit)
  const inOrder = (of: string): string => `ORDER BY ${of}created_at ${order}, ${of}run_key ${order}`
  const parts = statuses.map((status) => {
    const only = status === undefined ? '' : ` AND r.status = ${bind(status)}`
    return `(SELECT r.* FROM ${from} WHERE ${terms}${only} ${inOrder(place)} LIMIT ${most})`
  })
  const sql = parts.length < 2 ? parts.join('') : `${parts.join(' UNION ALL ')} ${inOrder('')} LIMIT ${most}`
  return { sql, values }
}

const LABELLED = 'keelson.run_labels l JOIN keelson.runs r ON r.run_key = l.run_key'

/** Walks the index of the first label; the others are looked up run by run. */
function labelled(tenant: string, [first, ...others]: readonly ((of: string) => string)[]): readonly string[] {
  if (first === undefined) return []
  const also = others.map(
    (one) => `EXISTS (SELECT 1 FROM keelson.run_labels o WHERE o.run_key = l.run_key AND ${one('o')})`,
  )
  return [`l.tenant_id = ${tenant} AND ${first('l')}`, ...also]
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
