/** Data of an event that no longer exists. */
import type { LogRecord } from '../../core/events/event.ts'

/** Data existed when the event was written and is gone: erased or lost; the check of the chain tells which. */
export function isErased(record: LogRecord): boolean {
  return record.dataHash !== undefined && record.data === undefined
}
