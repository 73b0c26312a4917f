/** Who has a run now, whether it only waits in the queue, and how to take one that nobody has. */
import { engineTypeOf, isOutside } from '../../core/run/engines.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { shortId } from './output/format.ts'

/** Does a process hold the run now? Of a run on an outside engine its workers alone know; it is taken for driven. */
export function isDriven(row: RunRow, now = Date.now()): boolean {
  if (isOutside(engineTypeOf(row.engineType))) return !isQueued(row)
  return row.lease !== undefined && row.lease.until > now
}

/** Statuses of runs that have not started. */
export const WAITING = ['PENDING', 'APPROVED'] as const

/** Nothing but a person or `queue start` moves it: it has no time of its own. */
export function isQueued({ status, nextWakeAt }: RunRow): boolean {
  return status === 'PENDING' || (status === 'APPROVED' && nextWakeAt === undefined)
}

export function howToDrive(row: RunRow): string {
  if (row.status === 'PENDING') return `keelson queue approve ${shortId(row.runId)}`
  return `keelson ${isQueued(row) ? 'queue start' : 'resume'} ${shortId(row.runId)}`
}
