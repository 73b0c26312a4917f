/** Limits for starts, the queue behind them, and ended runs that still count against them. */
import type { AdmissionStore, RunLimit, WhenFull } from '../../../ports/admission.ts'
import type { Clock } from '../../../ports/clock.ts'
import { NOW } from './grant-queue.ts'
import { number, runRow, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const PUT = `INSERT INTO keelson.run_limits (tenant_id, name, max_running, rate_per_minute, when_full, priority,
  max_concurrent_steps, set_by, set_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (tenant_id, name) DO UPDATE SET max_running = excluded.max_running, rate_per_minute = excluded.rate_per_minute,
    when_full = excluded.when_full, priority = excluded.priority, max_concurrent_steps = excluded.max_concurrent_steps,
    set_by = excluded.set_by, set_at = excluded.set_at`
const REMOVE = 'DELETE FROM keelson.run_limits WHERE tenant_id = $1 AND name = $2 RETURNING 1'
const LIST = 'SELECT * FROM keelson.run_limits WHERE tenant_id = $1 ORDER BY name'
const QUEUED = `SELECT * FROM (SELECT r.*, row_number() OVER (PARTITION BY tenant_id ORDER BY run_key) AS turn
    FROM keelson.runs r WHERE status IN ('PENDING', 'APPROVED') AND engine_type = $2 AND quarantine IS NULL
      AND archived_at IS NULL AND next_wake_at IS NULL AND substatus IS DISTINCT FROM 'WAITING_APPROVAL'
      AND (lease_owner IS NULL OR lease_until <= ${NOW})
      AND NOT EXISTS (SELECT 1 FROM keelson.grant_waits w JOIN keelson.grant_wait_pools p ON p.place = w.place
        WHERE w.run_key = r.run_key AND w.slot = 'RUN' AND (p.offered_until IS NULL OR p.offered_until <= ${NOW}))
      AND run_key <> ALL ($3::bigint[])) AS queued
  ORDER BY turn, run_key LIMIT $4`
const ENDED = `SELECT * FROM keelson.runs WHERE run_key IN (SELECT run_key FROM keelson.grants WHERE slot = 'RUN'
    UNION SELECT run_key FROM keelson.grant_waits WHERE slot = 'RUN')
  AND status IN ('COMPLETED', 'FAILED', 'CANCELLED') AND archived_at IS NULL
  AND run_key <> ALL ($1::bigint[]) ORDER BY run_key LIMIT $2`

export function admissionOf(session: Session, clock: Clock | undefined): AdmissionStore {
  return {
    putLimit: async (limit) => void (await session.query(PUT, columnsOf(limit))),
    removeLimit: async (tenantId, name) => (await session.query(REMOVE, [requireTenant(tenantId), name])).length > 0,
    listLimits: async (tenantId) => (await session.query(LIST, [requireTenant(tenantId)])).map(limitOf),
    // The server's clock counts, as it does for leases and offers.
    queuedRuns: async (engineType, _now, { limit, without }) =>
      (await session.query(QUEUED, [clock?.now(), engineType, without, limit])).map(runRow),
    endedHolders: async ({ limit, without }) => (await session.query(ENDED, [without, limit])).map(runRow),
  }
}

function columnsOf(limit: RunLimit): readonly unknown[] {
  const { tenantId, name, maxRunning, ratePerMinute, whenFull, priority, maxConcurrentSteps, setBy, setAt } = limit
  const counted = [maxRunning, ratePerMinute, whenFull, priority, maxConcurrentSteps]
  return [requireTenant(tenantId), name, ...counted, setBy, setAt]
}

function limitOf(row: Columns): RunLimit {
  return {
    tenantId: text(row, 'tenant_id'),
    name: text(row, 'name'),
    ...(row['max_running'] === null ? {} : { maxRunning: number(row, 'max_running') }),
    ...(row['rate_per_minute'] === null ? {} : { ratePerMinute: number(row, 'rate_per_minute') }),
    whenFull: text(row, 'when_full') as WhenFull,
    priority: number(row, 'priority'),
    ...(row['max_concurrent_steps'] === null ? {} : { maxConcurrentSteps: number(row, 'max_concurrent_steps') }),
    setBy: text(row, 'set_by'),
    setAt: number(row, 'set_at'),
  }
}
