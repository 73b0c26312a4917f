/** Event rows as columns: one array each, so that one statement with `unnest` inserts many rows. */
import type { SealedEvent } from '../../../ports/run-store.ts'
import { bigintArray, bytesArray, textArray } from './wire-array.ts'

/** The order of the columns in `eventColumns`, as parameters from `first` on with the types of their arrays. */
export function eventParameters(first: number): string {
  const types = ['bigint', 'text', 'bytea', 'bytea', 'text', 'text', 'bytea', 'text']
  return types.map((type, index) => `$${first + index}::${type}[]`).join(', ')
}

export const EVENT_COLUMNS = 'seq, event_type, idempotency_key, chain_hash, record, data, salt, terminal_slot'

export function eventColumns(events: readonly SealedEvent[]): readonly Buffer[] {
  return [
    bigintArray(events.map(({ runSeq }) => runSeq)),
    textArray(events.map(({ eventType }) => eventType)),
    bytesArray(events.map(({ idempotencyKey }) => idempotencyKey)),
    bytesArray(events.map(({ chainHash }) => chainHash)),
    textArray(events.map(({ record }) => record)),
    textArray(events.map(({ data }) => data)),
    bytesArray(events.map(({ salt }) => salt)),
    textArray(events.map(({ terminalSlot }) => terminalSlot)),
  ]
}
