/**
 * From stored bytes back to records. Reading is lenient: unknown event types and fields pass; only the parts of the
 * envelope are required. A damaged row is a RUN_QUARANTINED problem about one run, never an exception (EVT-24, EVT-27).
 */
import { isEventType, type EventType, type LogRecord } from '../../core/events/event.ts'
import type { Upcasters } from '../../core/compat/upcast.ts'
import { readRecord } from '../../core/events/read-record.ts'
import { foreignRecordSchema, recordSchema } from '../../core/events/schemas.ts'
import type { Result } from '../../core/result.ts'
import { checkOf, type Check } from '../../core/schema/check.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { hexOf } from './sha256.ts'

/** For drivers: the payload of a known type must match its record schema, or the fold would guess. */
export function recordOf(stored: StoredEvent): Result<LogRecord> {
  return read(stored, asItself)
}

/** Like `recordOf`, with other upcasters than this version's. */
export function recordReader(upcasters: Upcasters): (stored: StoredEvent) => Result<LogRecord> {
  return (stored) => read(stored, asItself, upcasters)
}

function asItself(type: string): EventType | '' {
  return isEventType(type) ? type : ''
}

/** For followers, which report a malformed payload and go on: only the envelope must be complete. */
export function envelopeOf(stored: StoredEvent): Result<LogRecord> {
  return read(stored, () => '')
}

function read(
  { idempotencyKey, chainHash, salt, ...event }: StoredEvent,
  checkedAs: (type: string) => EventType | '',
  upcasters?: Upcasters,
): Result<LogRecord> {
  const written = {
    ...event,
    idempotencyKey: hexOf(idempotencyKey),
    chainHash: hexOf(chainHash),
    ...(salt === undefined ? {} : { salt: hexOf(salt) }),
  }
  return readRecord(written, (type) => checkFor(checkedAs(type)), upcasters)
}

const checks = new Map<EventType | '', Check>()

/** By event type; the empty type checks the envelope only. */
function checkFor(type: EventType | ''): Check {
  const known = checks.get(type)
  if (known !== undefined) return known
  const made = checkOf(type === '' ? foreignRecordSchema() : recordSchema(type))
  checks.set(type, made)
  return made
}
