/** Pauses that span runs (P-23). Each tenant has its own pause ids; a pause without a tenant is for the whole fleet. */
import type { ScopePause } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { number, text } from './run-row.ts'
import { requireTenant } from './scope.ts'

const PUT = `INSERT INTO scope_pauses (tenant_id, pause_id, scope, reason, active) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, pause_id)
  DO UPDATE SET scope = excluded.scope, reason = excluded.reason, active = excluded.active`
const ANY = 'SELECT 1 FROM scope_pauses LIMIT 1'
const READ = `SELECT * FROM scope_pauses WHERE tenant_id IN (?, '') ORDER BY pause_pos`

export async function putScopePause(connection: Connection, pause: ScopePause): Promise<void> {
  const owner = pause.tenantId === undefined ? '' : requireTenant(pause.tenantId)
  const { pauseId, scope, reason = null, active } = pause
  await connection.write(() => connection.sql(PUT).run(owner, pauseId, scope, reason, active ? 1 : 0))
}

export async function readScopePauses(connection: Connection, tenantId: string): Promise<readonly ScopePause[]> {
  requireTenant(tenantId)
  return connection.read(() => (anyScopePause(connection) ? pausesOf(connection, tenantId) : []))
}

/** Looked for at every turn of every run; there is hardly ever a pause. */
export function anyScopePause(connection: Connection): boolean {
  return connection.sql(ANY).get() !== undefined
}

/** Within the caller's transaction. */
export function pausesOf(connection: Connection, tenantId: string): readonly ScopePause[] {
  return connection
    .sql(READ)
    .all(tenantId)
    .map((row) => ({
      pauseId: text(row, 'pause_id'),
      scope: text(row, 'scope'),
      ...(row['tenant_id'] === '' ? {} : { tenantId: text(row, 'tenant_id') }),
      ...(row['reason'] === null ? {} : { reason: text(row, 'reason') }),
      active: number(row, 'active') === 1,
    }))
}
