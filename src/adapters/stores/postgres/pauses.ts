/** Pauses that span runs (P-23). A tenant's pause ids are its own; without a tenant a pause is the fleet's. */
import type { ScopePause } from '../../../ports/run-store.ts'
import { text } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const PUT = `INSERT INTO keelson.scope_pauses (tenant_id, pause_id, scope, reason, active) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, pause_id)
  DO UPDATE SET scope = excluded.scope, reason = excluded.reason, active = excluded.active`
const READ = `SELECT * FROM keelson.scope_pauses WHERE tenant_id IN ($1, '') ORDER BY pause_pos`

export async function putScopePause(session: Session, pause: ScopePause): Promise<void> {
  const owner = pause.tenantId === undefined ? '' : requireTenant(pause.tenantId)
  await session.query(PUT, [owner, pause.pauseId, pause.scope, pause.reason, pause.active])
}

export async function readScopePauses(session: Session, tenantId: string): Promise<readonly ScopePause[]> {
  const rows = await session.query(READ, [requireTenant(tenantId)])
  return rows.map((row) => ({
    pauseId: text(row, 'pause_id'),
    scope: text(row, 'scope'),
    ...(row['tenant_id'] === '' ? {} : { tenantId: text(row, 'tenant_id') }),
    ...(row['reason'] === null ? {} : { reason: text(row, 'reason') }),
    active: row['active'] === true,
  }))
}
