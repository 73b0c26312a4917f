/** Who has a run now, and how to take one that nobody has. */
import type { RunRow } from '../../ports/run-store.ts'
import { shortId } from './output/format.ts'

/** Does a process hold the run now? */
export function isDriven(row: RunRow, now = Date.now()): boolean {
  return row.lease !== undefined && row.lease.until > now
}

export function howToDrive(runId: string): string {
  return `keelson resume ${shortId(runId)}`
}
