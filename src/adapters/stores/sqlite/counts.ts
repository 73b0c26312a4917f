/**
 * How many runs a tenant has in each status (P-41). SQLite has one writer at a time, so plain rows make nobody wait; a
 * batch changes each row once, and a commit that keeps its status touches none.
 */
import type { RunStatus } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { number, text } from './run-row.ts'
import { requireTenant } from './scope.ts'

const ADD = `INSERT INTO status_counts (tenant_id, status, runs) VALUES (?, ?, ?)
  ON CONFLICT (tenant_id, status) DO UPDATE SET runs = runs + excluded.runs`
export const COUNTS = 'SELECT status, runs FROM status_counts WHERE tenant_id = ? AND runs > 0'

/** What a batch adds, by tenant, then by status. */
export type StatusMoves = Map<string, Map<string, number>>

/** `from` is undefined for a new run; otherwise it differs from `to`. */
export function moveStatus(moves: StatusMoves, tenantId: string, from: string | undefined, to: string): void {
  const tenant = moves.get(tenantId) ?? new Map<string, number>()
  moves.set(tenantId, tenant)
  tenant.set(to, (tenant.get(to) ?? 0) + 1)
  if (from !== undefined) tenant.set(from, (tenant.get(from) ?? 0) - 1)
}

/** Within the transaction of the commits that moved them. */
export function writeMoves(connection: Connection, moves: StatusMoves): void {
  for (const [tenantId, statuses] of moves)
    for (const [status, by] of statuses) if (by !== 0) connection.sql(ADD).run(tenantId, status, by)
}

export async function countRuns(connection: Connection, tenantId: string): Promise<ReadonlyMap<RunStatus, number>> {
  requireTenant(tenantId)
  const rows = await connection.read(() => connection.sql(COUNTS).all(tenantId))
  return new Map(rows.map((row) => [text(row, 'status') as RunStatus, number(row, 'runs')]))
}
