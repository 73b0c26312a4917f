/** Reads of runs and events. Every look-up by an outside id carries its tenant in the WHERE. */
import type { RunKey, RunRef, RunRow, StoredEvent } from '../../../ports/run-store.ts'
import { bytes, number, runRow, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const BY_ID = 'SELECT * FROM keelson.runs WHERE tenant_id = $1 AND run_id = $2'
const BY_REQUEST = 'SELECT * FROM keelson.runs WHERE tenant_id = $1 AND request_key = $2'
/** A reference equal to the run's id is found by that id: the index holds the others. */
export const BY_ENGINE_REF = `SELECT * FROM (
  SELECT * FROM keelson.runs
    WHERE tenant_id = $1 AND engine_run_ref = $2 AND engine_run_ref <> engine_type || '://' || run_id
  UNION ALL SELECT * FROM keelson.runs
    WHERE tenant_id = $1 AND engine_run_ref = $2 AND run_id = $3 AND engine_run_ref = engine_type || '://' || run_id
) AS r ORDER BY run_key LIMIT 1`
const BY_KEY = 'SELECT * FROM keelson.runs WHERE run_key = $1'
const EVENTS = 'SELECT * FROM keelson.events WHERE run_key = $1 AND seq > $2 ORDER BY seq LIMIT $3'

const PAGE_EVENTS = 1000

export async function findRun(session: Session, ref: RunRef): Promise<RunRow | undefined> {
  return one(session, BY_ID, requireTenant(ref.tenantId), ref.runId)
}

export async function findRunByRequest(session: Session, tenantId: string, requestKey: string) {
  return one(session, BY_REQUEST, requireTenant(tenantId), requestKey)
}

export async function findRunByEngineRef(session: Session, tenantId: string, engineRunRef: string) {
  const [, runId = ''] = /^[^:]*:\/\/(.*)$/s.exec(engineRunRef) ?? []
  return one(session, BY_ENGINE_REF, requireTenant(tenantId), engineRunRef, runId)
}

export async function getRun(session: Session, runKey: RunKey): Promise<RunRow | undefined> {
  return one(session, BY_KEY, runKey)
}

async function one(
  session: Session,
  sql: string,
  ...values: readonly (string | number)[]
): Promise<RunRow | undefined> {
  const [row] = await session.query(sql, values)
  return row === undefined ? undefined : runRow(row)
}

export async function readEvents(
  session: Session,
  runKey: RunKey,
  range: { readonly afterSeq?: number; readonly limit?: number },
): Promise<readonly StoredEvent[]> {
  const { afterSeq = 0, limit = PAGE_EVENTS } = range
  return (await session.query(EVENTS, [runKey, afterSeq, limit])).map(storedEvent)
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
