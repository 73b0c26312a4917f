/**
 * From stored bytes back to records. Reading is lenient: unknown event types and fields pass; only the parts of the
 * envelope are required. A damaged row is a RUN_QUARANTINED problem about one run, never an exception (EVT-24, EVT-27).
 */
import { isEventType, type EventType, type LogRecord } from '../../core/events/event.ts'
import { upcast, type Upcasters } from '../../core/compat/upcast.ts'
import { foreignRecordSchema, recordSchema } from '../../core/events/schemas.ts'
import { problem } from '../../core/problems/problem.ts'
import { ok, refused, type Result } from '../../core/result.ts'
import { checkOf, type Check } from '../../core/schema/check.ts'
import { isoFromMs } from '../../core/time.ts'
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
  stored: StoredEvent,
  checkedAs: (type: string) => EventType | '',
  upcasters?: Upcasters,
): Result<LogRecord> {
  const parsed = parseObject(stored.record)
  if (typeof parsed === 'string') return damaged(stored, `its record ${parsed}`)
  const data = stored.data === undefined ? undefined : parseObject(stored.data)
  if (typeof data === 'string') return damaged(stored, `its data ${data}`)
  if (!Number.isFinite(stored.persistedAt)) return damaged(stored, 'its persistedAt is not a time')
  const bare = {
    ...parsed,
    persistedAt: isoFromMs(stored.persistedAt),
    chainHash: hexOf(stored.chainHash),
    ...(data === undefined ? {} : { data }),
    ...(stored.salt === undefined ? {} : { salt: hexOf(stored.salt) }),
  }
  const record = upcast(bare, upcasters)
  const wrong = checkFor(checkedAs(String(record['eventType'])))(record) ?? misfiled(record, stored)
  return wrong === undefined ? ok(record as unknown as LogRecord) : damaged(stored, `its record${wrong}`)
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

/** The columns must agree with the bytes. */
function misfiled(record: Readonly<Record<string, unknown>>, stored: StoredEvent): string | undefined {
  if (record['runSeq'] !== stored.runSeq) return ` says runSeq ${String(record['runSeq'])}, the row ${stored.runSeq}`
  if (record['eventType'] !== stored.eventType)
    return ` is a ${String(record['eventType'])}, the row a ${stored.eventType}`
  if (record['idempotencyKey'] !== hexOf(stored.idempotencyKey)) return ' has another idempotencyKey than its row'
  return undefined
}

function parseObject(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    return 'is not an object'
  } catch {
    return 'is not JSON'
  }
}

function damaged(stored: StoredEvent, what: string): Result<never> {
  const message = `Event ${stored.runSeq} (${stored.eventType}) cannot be read: ${what}.`
  return refused(problem('RUN_QUARANTINED', message, { details: { runSeq: stored.runSeq } }))
}
