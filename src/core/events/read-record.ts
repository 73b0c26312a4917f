/**
 * From the texts of an event back to a record. Reading is lenient: unknown event types and fields pass; only the parts of the
 * envelope are required. A damaged event is a RUN_QUARANTINED problem about one run, never an exception (EVT-24, EVT-27).
 */
import { upcast, type Upcasters } from '../compat/upcast.ts'
import { problem } from '../problems/problem.ts'
import { ok, refused, type Result } from '../result.ts'
import type { Check } from '../schema/check.ts'
import { isoFromMs } from '../time.ts'
import type { LogRecord } from './event.ts'

/** An event with its columns; bytes in hex, texts exactly as they were hashed. */
export interface WrittenEvent {
  readonly runSeq: number
  readonly eventType: string
  readonly idempotencyKey: string
  readonly record: string
  readonly data?: string
  readonly salt?: string
  readonly chainHash: string
  /** Epoch milliseconds. */
  readonly persistedAt: number
}

/** By the type of an event, what its record must be like; whoever reads keeps the checks that were made. */
export type RecordChecks = (eventType: string) => Check

export function readRecord(event: WrittenEvent, checkFor: RecordChecks, upcasters?: Upcasters): Result<LogRecord> {
  const parsed = parseObject(event.record)
  if (typeof parsed === 'string') return damaged(event, `its record ${parsed}`)
  const data = event.data === undefined ? undefined : parseObject(event.data)
  if (typeof data === 'string') return damaged(event, `its data ${data}`)
  if (!Number.isFinite(event.persistedAt)) return damaged(event, 'its persistedAt is not a time')
  const bare = {
    ...parsed,
    persistedAt: isoFromMs(event.persistedAt),
    chainHash: event.chainHash,
    ...(data === undefined ? {} : { data }),
    ...(event.salt === undefined ? {} : { salt: event.salt }),
  }
  const record = upcast(bare, upcasters)
  const wrong = checkFor(String(record['eventType']))(record) ?? misfiled(record, event)
  return wrong === undefined ? ok(record as unknown as LogRecord) : damaged(event, `its record${wrong}`)
}

/** The columns must agree with the bytes. */
function misfiled(record: Readonly<Record<string, unknown>>, event: WrittenEvent): string | undefined {
  if (record['runSeq'] !== event.runSeq) return ` says runSeq ${String(record['runSeq'])}, the row ${event.runSeq}`
  if (record['eventType'] !== event.eventType)
    return ` is a ${String(record['eventType'])}, the row a ${event.eventType}`
  if (record['idempotencyKey'] !== event.idempotencyKey) return ' has another idempotencyKey than its row'
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

function damaged({ runSeq, eventType }: WrittenEvent, what: string): Result<never> {
  const message = `Event ${runSeq} (${eventType}) cannot be read: ${what}.`
  return refused(problem('RUN_QUARANTINED', message, { details: { runSeq } }))
}
