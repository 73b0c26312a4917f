/** What is wrong with one stored event beside its own text: another run, another chain, another plan, other data. */
import type { ForeignRecord } from '../core/events/event.ts'
import type { RunRow, StoredEvent } from '../ports/run-store.ts'
import { chainHashOf, dataHashOf } from './event-hashes.ts'

/** What in an event's stored bytes does not fit; undefined when all does. */
export function damageOf(
  stored: StoredEvent,
  record: ForeignRecord,
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

function pinnedPlan(record: ForeignRecord): string | undefined {
  return (record.payload?.['planRef'] as { readonly sha256?: string } | undefined)?.sha256
}
