/** Faults of one stored event outside its own text: another run, another chain, another plan, other data. */
import type { LogRecord } from '../../core/events/event.ts'
import type { RunRow, StoredEvent } from '../../ports/run-store.ts'
import { chainHashOf, dataHashOf } from '../log/event-hashes.ts'

/** The part of an event's stored bytes that does not fit; undefined when all fit. */
export function damageOf(
  stored: StoredEvent,
  record: LogRecord,
  row: RunRow,
  previous: Uint8Array,
): string | undefined {
  if (record.runId !== row.runId || record.tenantId !== row.tenantId) return 'is of another run'
  if (Buffer.compare(chainHashOf(previous, stored.record), stored.chainHash) !== 0) return 'does not fit the chain'
  if (record.eventType === 'RunStarted' && pinnedPlan(record) !== row.planSha256)
    return 'names another plan than its row'
  const { data, salt } = stored
  if (data === undefined || salt === undefined) return undefined
  return record.dataHash === dataHashOf(salt, data) ? undefined : 'has other data than its record says'
}

function pinnedPlan(record: LogRecord): string | undefined {
  return (record.payload?.['planRef'] as { readonly sha256?: string } | undefined)?.sha256
}
