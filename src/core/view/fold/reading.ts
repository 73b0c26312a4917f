/**
 * Lenient reading of records (EVT-24, EVT-27): takes known fields of the right kind, says what is wrong with a payload
 * of a known type, and ignores everything else.
 */
import { EVENTS, EVENT_TYPES, isEventType, type ArtifactRef, type LogRecord } from '../../events/event.ts'
import { recordSchema } from '../../events/schemas.ts'
import { checkWhenUsed, type Check } from '../../schema/check.ts'
import type { StepSlot } from '../../events/slot.ts'
import { stepAbout } from '../../events/slot-of.ts'
import { LIMITS } from '../../limits.ts'
import { msFromIso } from '../../time.ts'
import type { ErrorView } from './run-snapshot.ts'
import { noteAbout, type ConsumerNote } from './view-alert.ts'

export type Fields = Readonly<Record<string, unknown>>

const PAYLOAD_CHECKS: ReadonlyMap<string, Check> = new Map(
  EVENT_TYPES.map((type) => [
    type,
    checkWhenUsed(() => fieldsOf(fieldsOf(recordSchema(type)['properties'])['payload'])),
  ]),
)

/** Undefined when this version knows the record and its payload fits its type. */
export function noteOf(record: LogRecord): ConsumerNote | undefined {
  if (!isEventType(record.eventType))
    return noteAbout(record, 'UNKNOWN_EVENT_TYPE', 'This version does not know the type.')
  if (EVENTS[record.eventType].level === 'step' && addressOf(record) === undefined)
    return noteAbout(record, 'MALFORMED_PAYLOAD', 'A step event whose stepId names no step.')
  const wrong = PAYLOAD_CHECKS.get(record.eventType)?.(record.payload ?? {})
  return wrong === undefined ? undefined : noteAbout(record, 'MALFORMED_PAYLOAD', `payload${wrong}`)
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' ? value : undefined
}

export function numberFrom(fields: Fields, name: string): number | undefined {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The instant that durations are counted from (EVT-15). */
export function eventTime(record: LogRecord): string {
  return record.occurredAt ?? record.emittedAt
}

export function eventMs(record: LogRecord): number {
  return msFromIso(eventTime(record)) ?? msFromIso(record.emittedAt) ?? 0
}

export function artifactsOf(payload: Fields): readonly ArtifactRef[] {
  const list = payload['artifactRefs']
  if (!Array.isArray(list)) return []
  return list.filter((one): one is ArtifactRef => {
    const { uri, kind } = fieldsOf(one)
    return typeof uri === 'string' && typeof kind === 'string'
  })
}

/** The error of a failure; its text is in `data` and gone after erasure, then the code replaces it. */
export function errorOf(record: LogRecord): ErrorView {
  const error = fieldsOf(fieldsOf(record.payload)['error'])
  const text = fieldsOf(fieldsOf(record.data)['errorText'])
  const code = textOf(error, 'code') ?? 'UNKNOWN'
  const stackTrace = textOf(text, 'stackTrace')
  return {
    ...known(error),
    code,
    retryable: error['retryable'] === true,
    message: textOf(text, 'message') ?? textOf(error, 'message') ?? code,
    ...(stackTrace === undefined ? {} : { stackTrace }),
  }
}

const ERROR_FIELDS = ['errorClass', 'category', 'failureCategory', 'failureSource'] as const

/** New words of a later version are passed on unchanged (UIC-08). */
function known(error: Fields): Partial<ErrorView> {
  const texts = ERROR_FIELDS.flatMap((name) => (typeof error[name] === 'string' ? [[name, error[name]]] : []))
  const status = error['statusCode']
  const numbers = typeof status === 'number' ? { statusCode: status } : {}
  return { ...(Object.fromEntries(texts) as Partial<ErrorView>), ...numbers }
}

/** The step that a record is about; undefined when what names it cannot be used. */
export function addressOf(record: LogRecord): StepSlot | undefined {
  const about = stepAbout(record)
  return (about?.itemIndex ?? 0) < LIMITS.fanOutItems ? about : undefined
}
