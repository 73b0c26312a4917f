/**
 * Lists of a tenant's runs, newest first unless the oldest are asked for. The cursor names the last run shown, so that new runs do not shift the pages.
 */
import { fail } from '../../../core/problems/problem.ts'
import type { ListedPage, ListFilter, ListPage, RunRow } from '../../../ports/run-store.ts'
import type { MemoryDisk } from './connect.ts'
import { hasLabels } from './labels.ts'
import { requireTenant } from './scope.ts'

interface Place {
  readonly createdAt: number
  readonly runKey: number
}

export function listRuns(disk: MemoryDisk, tenantId: string, filter: ListFilter, page: ListedPage): ListPage {
  requireTenant(tenantId)
  const after = page.cursor === undefined ? undefined : placeOf(page.cursor)
  const limit = Math.max(1, Math.floor(page.limit))
  const order = page.oldestFirst === true ? (a: Place, b: Place) => newestFirst(b, a) : newestFirst
  const runs = disk.runs
    .filter(({ row, labels }) => row.tenantId === tenantId && fits(row, filter) && hasLabels(labels, filter))
    .map(({ row }) => row)
    .sort(order)
    .filter((row) => after === undefined || order(row, after) > 0)
  const shown = runs.slice(0, limit)
  const last = shown.at(-1)
  return { runs: shown, ...(last !== undefined && runs.length > limit ? { next: cursorOf(last) } : {}) }
}

function fits(row: RunRow, filter: ListFilter): boolean {
  const { status, planId, createdFrom, createdTo, originalRunId, errorCode, triggeredBy } = filter
  return (
    (status === undefined || status.includes(row.status)) &&
    (planId === undefined || row.planId === planId) &&
    (createdFrom === undefined || row.createdAt >= createdFrom) &&
    (createdTo === undefined || row.createdAt <= createdTo) &&
    (originalRunId === undefined || row.originalRunId === originalRunId) &&
    (errorCode === undefined || row.errorCode === errorCode) &&
    (triggeredBy === undefined || row.triggeredBy === triggeredBy)
  )
}

const newestFirst = (a: Place, b: Place): number => b.createdAt - a.createdAt || b.runKey - a.runKey

const cursorOf = ({ createdAt, runKey }: Place): string => Buffer.from(`${createdAt}.${runKey}`).toString('base64url')

function placeOf(cursor: string): Place {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  return { createdAt: Number(match[1]), runKey: Number(match[2]) }
}
