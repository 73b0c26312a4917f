/** Who holds a run now, whether it only waits in the queue, and how to take one without a driver. */
import { engineTypeOf, isOutside } from '../../../core/engine/engine-type.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { isOwnerGone } from '../../../library/services-of.ts'
import type { ReadableRuns } from '../../../library/read/readable-runs.ts'
import { shortId, timeOfDay } from '../terminal/format.ts'

/** Does a process hold the run now? For a run on an outside engine only its workers know; it counts as driven. */
export function isDriven(row: RunRow): boolean {
  if (isOutside(engineTypeOf(row.engineType))) return !isQueued(row)
  return row.lease !== undefined && row.lease.until > Date.now()
}

/** The same, and the process that holds it is not certainly gone: after a kill its lease lasts a little longer. */
export function isDrivenStill(reader: ReadableRuns, row: RunRow): boolean {
  if (!isDriven(row)) return false
  return row.lease === undefined || isOutside(engineTypeOf(row.engineType)) || !isOwnerGone(reader, row.lease.owner)
}

/** Statuses of runs that have not started. */
export const WAITING = ['PENDING', 'APPROVED'] as const

/** Only a person or `queue start` moves it: it has no start time of its own. */
export function isQueued({ status, nextWakeAt }: RunRow): boolean {
  return hasNotStarted(status) && nextWakeAt === undefined
}

/** Only a person's word lets it start. */
export function needsApproval({ status, substatus }: RunRow): boolean {
  return status === 'PENDING' && substatus === 'WAITING_APPROVAL'
}

function hasNotStarted(status: RunRow['status']): boolean {
  return status === 'PENDING' || status === 'APPROVED'
}

/** What a run that has not started waits for; undefined for one that has. */
export function whyPending(row: RunRow): string | undefined {
  if (!hasNotStarted(row.status)) return undefined
  if (needsApproval(row)) return 'waits for approval'
  return row.nextWakeAt === undefined ? 'queued' : `not before ${timeOfDay(row.nextWakeAt)}`
}

export function howToDrive(row: RunRow): string {
  if (needsApproval(row)) return `keelson queue approve ${shortId(row.runId)}`
  return `keelson ${isQueued(row) ? 'queue start' : 'resume'} ${shortId(row.runId)}`
}
