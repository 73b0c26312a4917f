/**
 * How a stored event looks to readers of the source contracts: with payload and data merged (P-32), with S1's names
 * for an error (EVT-20), or flat as in S0 (EVT-33). Views only: nothing here is ever stored.
 */
import { EVENTS, isEventType, type ForeignRecord } from './event.ts'

type Fields = Readonly<Record<string, unknown>>

export type EventView = Omit<ForeignRecord, 'payload' | 'data' | 'salt' | 'dataHash'> & { readonly payload: Fields }

/** Payload and data as one; an error's text comes back as `error.message` and `error.stackTrace`. */
export function viewOf(record: ForeignRecord): EventView {
  const { payload, data, salt: _salt, dataHash: _dataHash, ...envelope } = record
  const { errorText, ...others } = data ?? {}
  const merged: Fields = { ...payload, ...others }
  const error = merged['error']
  if (!isFields(error) || !isFields(errorText)) return { ...envelope, payload: merged }
  return { ...envelope, payload: { ...merged, error: { ...error, ...errorText } } }
}

/** A view from which the record can be put together again, and checked: data, salt and hash besides (docs/reference/log.md). */
export type CheckableView = EventView & Pick<ForeignRecord, 'data' | 'salt' | 'dataHash'>

export function checkableViewOf(record: ForeignRecord): CheckableView {
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
export function seedOneErrorOf(record: ForeignRecord): SeedOneError | undefined {
  const error = viewOf(record).payload['error']
  if (!isFields(error) || typeof error['code'] !== 'string') return undefined
  return {
    errorCode: error['code'],
    ...(typeof error['message'] === 'string' ? { errorMessage: error['message'] } : {}),
    retryable: error['retryable'] === true,
    ...(typeof error['stackTrace'] === 'string' ? { stack: error['stackTrace'] } : {}),
  }
}

/** S0 knows no decision, hashes or extension events: the first two are left out, an extension keeps its payload. */
export function flatViewOf(record: ForeignRecord): Fields {
  const { payload, decision: _decision, chainHash: _chainHash, ...envelope } = viewOf(record)
  const isSeedEvent = isEventType(record.eventType) && EVENTS[record.eventType].canonical
  return isSeedEvent ? { ...payload, ...envelope } : { ...envelope, payload }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
