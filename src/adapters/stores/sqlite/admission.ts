/** Limits for starts, the queue behind them, and ended runs that still count against them. */
import type { AdmissionStore, RunLimit, WhenFull } from '../../../ports/admission.ts'
import type { Connection } from './connect.ts'
import { number, runRow, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import { ENDED_STATUS } from './status.ts'

const PUT = `INSERT OR REPLACE INTO run_limits (tenant_id, name, max_running, rate_per_minute, when_full, priority,
  max_concurrent_steps, set_by, set_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const REMOVE = 'DELETE FROM run_limits WHERE tenant_id = ? AND name = ?'
const LIST = 'SELECT * FROM run_limits WHERE tenant_id = ? ORDER BY name'
const QUEUED = `SELECT * FROM (SELECT r.*, row_number() OVER (PARTITION BY tenant_id ORDER BY run_key) AS turn
    FROM runs r WHERE status IN ('PENDING', 'APPROVED') AND engine_type = ?1 AND quarantine IS NULL
      AND archived_at IS NULL AND next_wake_at IS NULL AND substatus IS NOT 'WAITING_APPROVAL'
      AND (lease_owner IS NULL OR leased_until <= ?2)
      AND NOT EXISTS (SELECT 1 FROM grant_waits w WHERE w.run_key = r.run_key AND w.slot = 'RUN'
        AND (w.offered_until IS NULL OR w.offered_until <= ?2))
      AND run_key NOT IN (SELECT value FROM json_each(?3)))
  ORDER BY turn, run_key LIMIT ?4`
const ENDED = `SELECT * FROM runs WHERE run_key IN (SELECT run_key FROM grant_holds WHERE slot = 'RUN'
    UNION SELECT run_key FROM grant_waits WHERE slot = 'RUN')
  AND ${ENDED_STATUS} AND archived_at IS NULL
  AND run_key NOT IN (SELECT value FROM json_each(?)) ORDER BY run_key LIMIT ?`

export function admissionOf(connection: Connection): AdmissionStore {
  return {
    putLimit: async (limit) => {
      const values = columnsOf(limit)
      await connection.write(() => connection.sql(PUT).run(...values))
    },
    removeLimit: async (tenantId, name) => {
      const own = requireTenant(tenantId)
      return connection.write(() => Number(connection.sql(REMOVE).run(own, name).changes) > 0)
    },
    listLimits: async (tenantId) => {
      const own = requireTenant(tenantId)
      return connection.read(() => connection.sql(LIST).all(own).map(limitOf))
    },
    queuedRuns: async (engineType, now, { limit, without }) =>
      connection.read(() => connection.sql(QUEUED).all(engineType, now, JSON.stringify(without), limit).map(runRow)),
    endedHolders: async ({ limit, without }) =>
      connection.read(() => connection.sql(ENDED).all(JSON.stringify(without), limit).map(runRow)),
  }
}

function columnsOf(limit: RunLimit): readonly (string | number | null)[] {
  const { tenantId, name, maxRunning = null, ratePerMinute = null, whenFull, priority } = limit
  const { maxConcurrentSteps = null, setBy, setAt } = limit
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
