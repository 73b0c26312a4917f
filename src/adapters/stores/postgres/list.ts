/**
 * Lists of a tenant's runs, newest first. The cursor names the last run shown, so that new runs move nothing. Several
 * statuses are parts of one statement: each walks its own index, and all see the same moment.
 */
import { fail } from '../../../core/problems/problem.ts'
import type { ListFilter, ListPage, RunRow, RunStatus } from '../../../ports/run-store.ts'
import { runRow } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

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
  page: { readonly limit: number; readonly cursor?: string },
): Promise<ListPage> {
  requireTenant(tenantId)
  const after = page.cursor === undefined ? undefined : placeOf(page.cursor)
  const limit = Math.max(1, Math.floor(page.limit))
  const { sql, values } = listQuery(tenantId, filter, after, limit + 1)
  const found = sql === '' ? [] : await session.query(sql, values)
  const runs = found.map(runRow).sort((a, b) => b.createdAt - a.createdAt || b.runKey - a.runKey)
  return pageOf(runs, limit)
}

/** An empty text for a list of no status at all. */
export function listQuery(tenantId: string, filter: ListFilter, after: Place | undefined, limit: number): Query {
  const { planId, createdFrom, createdTo, originalRunId } = filter
  const statuses: readonly (RunStatus | undefined)[] =
    filter.status === undefined ? [undefined] : [...new Set(filter.status)]
  const values: unknown[] = []
  const bind = (value: unknown): string => `$${values.push(value)}`
  const terms = [
    `tenant_id = ${bind(tenantId)}`,
    ...(planId === undefined ? [] : [`plan_id = ${bind(planId)}`]),
    ...(originalRunId === undefined ? [] : [`original_run_id = ${bind(originalRunId)}`]),
    ...(createdFrom === undefined ? [] : [`created_at >= ${bind(createdFrom)}`]),
    ...(createdTo === undefined ? [] : [`created_at <= ${bind(createdTo)}`]),
    ...(after === undefined ? [] : [`(created_at, run_key) < (${bind(after.createdAt)}, ${bind(after.runKey)})`]),
  ].join(' AND ')
  const most = bind(limit)
  const parts = statuses.map((status) => {
    const only = status === undefined ? '' : ` AND status = ${bind(status)}`
    return `(SELECT * FROM keelson.runs WHERE ${terms}${only} ORDER BY created_at DESC, run_key DESC LIMIT ${most})`
  })
  return { sql: parts.join(' UNION ALL '), values }
}

function pageOf(runs: readonly RunRow[], limit: number): ListPage {
  const shown = runs.slice(0, limit)
  const last = shown.at(-1)
  if (last === undefined || runs.length <= limit) return { runs: shown }
  return { runs: shown, next: Buffer.from(`${last.createdAt}.${last.runKey}`).toString('base64url') }
}

function placeOf(cursor: string): Place {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor is not one that this list gave out.')
  return { createdAt: Number(match[1]), runKey: Number(match[2]) }
}
