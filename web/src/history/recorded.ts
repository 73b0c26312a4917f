/** Values as the log has them: in the event, kept beside the log because they are long, or erased. */
import type { LogRecord } from '../../../src/core/events/event.ts'

export type Recorded =
  | { readonly kind: 'known'; readonly value: unknown }
  /** Kept beside the log under its hash: two with the same hash are the same. */
  | { readonly kind: 'aside'; readonly sha256: string; readonly sizeBytes: number }
  | { readonly kind: 'erased' }

interface Ref {
  readonly sha256: string
  readonly sizeBytes: number
}

/** What an event holds under one of its names; `otherwise` where it holds nothing. */
export function recordedIn(record: LogRecord, name: string, ref: string, otherwise: unknown): Recorded {
  const { payload = {}, data, dataHash } = record
  const aside = payload[ref] as Ref | undefined
  if (aside !== undefined) return { kind: 'aside', sha256: aside.sha256, sizeBytes: aside.sizeBytes }
  if (data === undefined && dataHash !== undefined) return { kind: 'erased' }
  return { kind: 'known', value: data !== undefined && Object.hasOwn(data, name) ? data[name] : otherwise }
}

/** The input that a run was admitted with; one that was started without has an empty one. */
export function inputOf(records: readonly LogRecord[]): Recorded {
  const [first] = records
  return first === undefined ? { kind: 'known', value: {} } : recordedIn(first, 'input', 'inputRef', {})
}
