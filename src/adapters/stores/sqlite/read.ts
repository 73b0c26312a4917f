/** Reading runs and events. Whatever comes by an outside id carries its tenant in the WHERE. */
import type { RunKey, RunRef, RunRow, StoredEvent } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { bytes, number, runRow, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const BY_ID = 'SELECT * FROM runs WHERE tenant_id = ? AND run_id = ?'
const BY_REQUEST = 'SELECT * FROM runs WHERE tenant_id = ? AND request_key = ?'
/** A reference that only repeats the run's id is found by that id: the index holds the others. */
export const BY_ENGINE_REF = `SELECT * FROM (
  SELECT * FROM runs WHERE tenant_id = ? AND engine_run_ref = ? AND engine_run_ref <> engine_type || '://' || run_id
  UNION ALL SELECT * FROM runs WHERE tenant_id = ? AND engine_run_ref = ? AND run_id = ?
    AND engine_run_ref = engine_type || '://' || run_id
) ORDER BY run_key LIMIT 1`
const BY_KEY = 'SELECT * FROM runs WHERE run_key = ?'
export const EVENTS = `SELECT seq, event_type, idempotency_key, record, data, salt, chain_hash, terminal_slot, persisted_at
  FROM events WHERE run_key = ? AND seq > ? ORDER BY seq LIMIT ?`

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
  const rows = await connection.read(() => connection.sql(EVENTS).all(runKey, afterSeq, limit))
  return rows.map(storedEvent)
}

export function storedEvent(row: Columns): StoredEvent {
  return {
    runSeq: number(row, 'seq'),
    eventType: text(row, 'event_type'),
    idempotencyKey: bytes(row, 'idempotency_key'),
    record: text(row, 'record'),
    ...(row['data'] === null ? {} : { data: text(row, 'data'), salt: bytes(row, 'salt') }),
    chainHash: bytes(row, 'chain_hash'),
    ...(row['terminal_slot'] === null ? {} : { terminalSlot: text(row, 'terminal_slot') }),
    persistedAt: number(row, 'persisted_at'),
  }
}
