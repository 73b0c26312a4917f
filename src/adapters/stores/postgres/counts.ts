/**
 * Runs per status (P-41): each connection has its own deltas, written with the commits that cause them and summed here,
 * so that writers do not compete for a row. The deltas of closed connections are merged when a store is opened.
 */
import type { RunStatus } from '../../../ports/run-store.ts'
import { number, text } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const COUNT = `SELECT status, sum(runs) AS runs FROM keelson.status_counts WHERE tenant_id = $1
  GROUP BY status HAVING sum(runs) > 0`
const GATHER = 'SELECT keelson.gather_counts()'

export async function countRuns(session: Session, tenantId: string): Promise<ReadonlyMap<RunStatus, number>> {
  const rows = await session.query(COUNT, [requireTenant(tenantId)])
  return new Map(rows.map((row) => [text(row, 'status') as RunStatus, number(row, 'runs')]))
}

export async function gatherCounts(session: Session): Promise<void> {
  await session.query(GATHER)
}
