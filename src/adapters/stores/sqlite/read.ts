/** Reads of runs and events. Every look-up by an outside id carries its tenant in the WHERE. */
import type { RunKey, RunRef, RunRow, StoredEvent } from '../../../ports/run-store.ts'
import { eventsOf } from './append-text.ts'
import type { Connection } from './connect.ts'
import { bytes, runRow } from './run-row.ts'
import { requireTenant } from './scope.ts'

const BY_ID = 'SELECT * FROM runs WHERE tenant_id = ? AND run_id = ?'
const BY_REQUEST = 'SELECT * FROM runs WHERE tenant_id = ? AND request_key = ?'
/** A reference equal to the run's id is found by that id: the index holds the others. */
export const BY_ENGINE_REF = `SELECT * FROM (
  SELECT * FROM runs WHERE tenant_id = ? AND engine_run_ref = ? AND engine_run_ref <> engine_type || '://' || run_id
  UNION ALL SELECT * FROM runs WHERE tenant_id = ? AND engine_run_ref = ? AND run_id = ?
    AND engine_run_ref = engine_type || '://' || run_id
) ORDER BY run_key LIMIT 1`
const BY_KEY = 'SELECT * FROM runs WHERE run_key = ?'
/** The first is the append that holds the first wanted event. */
export const APPENDS = `SELECT first_seq, last_seq, persisted_at, chain_hashes, data, records FROM appends
  WHERE run_key = ? AND last_seq > ? ORDER BY last_seq`

const KEY_OF_SEQ = `SELECT key FROM event_keys WHERE run_key = ? AND seq = ? AND typeof(key) = 'blob'`

const PAGE_EVENTS = 1000

export async function findRun(connection: Connection, ref: RunRef): Promise<RunRow | undefined> {
  return one(connection, BY_ID, requireTenant(ref.tenantId), ref.runId)
}

export async function findRunByRequest(connection: Connection, tenantId: string, requestKey: string) {
  return one(connection, BY_REQUEST, requireTenant(tenantId), requestKey)
}

export async function findRunByEngineRef(connection: Connection, tenantId: string, engineRunRef: string) {
  const [, runId = ''] = /^[^:]*:\/\/(.*)$/s.exec(engineRunRef) ?? []
  requireTenant(tenantId)
  return one(connection, BY_ENGINE_REF, tenantId, engineRunRef, tenantId, engineRunRef, runId)
}

export async function getRun(connection: Connection, runKey: RunKey): Promise<RunRow | undefined> {
  return one(connection, BY_KEY, runKey)
}

async function one(
  connection: Connection,
  sql: string,
  ...values: readonly (string | number)[]
): Promise<RunRow | undefined> {
  const row = await connection.read(() => connection.sql(sql).get(...values))
  return row === undefined ? undefined : runRow(row)
}

export async function readEvents(
  connection: Connection,
  runKey: RunKey,
  range: { readonly afterSeq?: number; readonly limit?: number },
): Promise<readonly StoredEvent[]> {
  const { afterSeq = 0, limit = PAGE_EVENTS } = range
  return connection.read(() => eventsAfter(connection, runKey, afterSeq, limit))
}

export function eventsAfter(connection: Connection, runKey: RunKey, afterSeq: number, limit: number): StoredEvent[] {
  const found: StoredEvent[] = []
  if (limit <= 0) return found
  for (const row of connection.sql(APPENDS).iterate(runKey, afterSeq))
    for (const event of eventsOf(row)) {
      if (event.runSeq > afterSeq) found.push(withKey(connection, runKey, event))
      if (found.length >= limit) return found
    }
  return found
}

const KEY_BYTES = 32

/** The key of an event whose record cannot be read stands beside the log: it is shown and exported with it. */
function withKey(connection: Connection, runKey: RunKey, event: StoredEvent): StoredEvent {
  if (event.idempotencyKey.length === KEY_BYTES) return event
  const row = connection.sql(KEY_OF_SEQ).get(runKey, event.runSeq)
  return { ...event, idempotencyKey: row === undefined ? new Uint8Array(KEY_BYTES) : bytes(row, 'key') }
}
