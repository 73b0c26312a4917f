/** Tells a record of the log apart by its type, for programs that read it: the payload is typed from there on. */
import type { EventType, ForeignRecord, RecordOf } from '../../core/events/event.ts'

export function isEvent<T extends EventType>(
  record: ForeignRecord,
  eventType: T,
): record is ForeignRecord & RecordOf<T> {
  return record.eventType === eventType
}
