/**
 * What a run appends is one row, whatever the number of its events, and their keys. Within a transaction, after the run's row was
 * moved to the new head: the log takes nothing that does not end there (0019-appends.sql).
 */
import type { RunKey, SealedEvent } from '../../../ports/run-store.ts'
import { textsOf } from './append-text.ts'
import type { Connection } from './connect.ts'
import { insertKeys } from './event-keys.ts'
import { BrokenConstraint } from './failure.ts'

/** The end of the feed: the newest append, or the newest that was archived. */
export const LAST_FEED_POS = 'max((SELECT pos FROM feed_floor), coalesce((SELECT max(pos) FROM appends), 0))'
const INSERT = `INSERT INTO appends (pos, run_key, first_seq, last_seq, persisted_at, chain_hashes, data, records)
  VALUES (1 + ${LAST_FEED_POS}, ?, ?, ?, ?, ?, ?, ?)`

export function insertEvents(
  connection: Connection,
  runKey: RunKey,
  events: readonly SealedEvent[],
  now: number,
): void {
  const [first] = events
  if (first === undefined) return
  for (const event of events) checkShape(event)
  const { records, data, chainHashes } = textsOf(events)
  const lastSeq = first.runSeq + events.length - 1
  connection.sql(INSERT).run(runKey, first.runSeq, lastSeq, now, chainHashes, data, records)
  insertKeys(connection, runKey, events)
}

const HASH_BYTES = 32

function checkShape({ idempotencyKey, chainHash, data, salt }: SealedEvent): void {
  if (idempotencyKey.length !== HASH_BYTES) throw new BrokenConstraint('idempotencyKey')
  if (chainHash.length !== HASH_BYTES) throw new BrokenConstraint('chainHash')
  if ((data === undefined) !== (salt === undefined)) throw new BrokenConstraint('salt')
}
