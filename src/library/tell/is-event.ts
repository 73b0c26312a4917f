/** Tells a record of the log apart by its type, for programs that read it: the payload is typed from there on. */
import type { EventType, LogRecord, RecordOf } from '../../core/events/event.ts'

export function isEvent<T extends EventType>(record: LogRecord, eventType: T): record is LogRecord & RecordOf<T> {
  return record.eventType === eventType
}
