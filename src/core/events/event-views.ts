/**
 * Other forms of a stored event for readers: payload and data merged (P-32), the error under the names of the nested
 * foreign contract (EVT-20), or the flat foreign form (EVT-33). Views only: nothing here is ever stored.
 */
import { EVENTS, isEventType, type LogRecord } from './event.ts'

type Fields = Readonly<Record<string, unknown>>

export type EventView = Omit<LogRecord, 'payload' | 'data' | 'salt' | 'dataHash'> & { readonly payload: Fields }

/** Payload and data merged; an error's text becomes `error.message` and `error.stackTrace`. */
export function viewOf(record: LogRecord): EventView {
  const { payload, data, salt: _salt, dataHash: _dataHash, ...envelope } = record
  const { errorText, ...others } = data ?? {}
  const merged: Fields = { ...payload, ...others }
  const error = merged['error']
  if (!isFields(error) || !isFields(errorText)) return { ...envelope, payload: merged }
  return { ...envelope, payload: { ...merged, error: { ...error, ...errorText } } }
}

/** A view from which the record can be rebuilt and checked: with data, salt and hash (docs/reference/log.md). */
export type CheckableView = EventView & Pick<LogRecord, 'data' | 'salt' | 'dataHash'>

export function checkableViewOf(record: LogRecord): CheckableView {
  const { data, salt, dataHash } = record
  return {
    ...viewOf(record),
    ...(data === undefined ? {} : { data }),
    ...(salt === undefined ? {} : { salt }),
    ...(dataHash === undefined ? {} : { dataHash }),
  }
}

export interface SeedOneError {
  readonly errorCode: string
  readonly errorMessage?: string
  readonly retryable: boolean
  readonly stack?: string
}

/** Undefined for an event that carries no error. */
export function flatErrorOf(record: LogRecord): SeedOneError | undefined {
  const error = viewOf(record).payload['error']
  if (!isFields(error) || typeof error['code'] !== 'string') return undefined
  return {
    errorCode: error['code'],
    ...(typeof error['message'] === 'string' ? { errorMessage: error['message'] } : {}),
    retryable: error['retryable'] === true,
    ...(typeof error['stackTrace'] === 'string' ? { stack: error['stackTrace'] } : {}),
  }
}

/**
 * The flat form has no decision, hashes or extension events: the first two are left out, an extension keeps its
 * payload.
 */
export function flatViewOf(record: LogRecord): Fields {
  const { payload, decision: _decision, chainHash: _chainHash, ...envelope } = viewOf(record)
  const isSeedEvent = isEventType(record.eventType) && EVENTS[record.eventType].canonical
  return isSeedEvent ? { ...payload, ...envelope } : { ...envelope, payload }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
