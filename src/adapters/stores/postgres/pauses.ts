/** Pauses that span runs (P-23). Each tenant has its own pause ids; a pause without a tenant is for the whole fleet. */
import type { ScopePause } from '../../../ports/run-store.ts'
import { text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session, TurnReads } from './session.ts'

const PUT = `INSERT INTO keelson.scope_pauses (tenant_id, pause_id, scope, reason, active) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, pause_id)
  DO UPDATE SET scope = excluded.scope, reason = excluded.reason, active = excluded.active`
export async function putScopePause(session: Session, pause: ScopePause): Promise<void> {
  const owner = pause.tenantId === undefined ? '' : requireTenant(pause.tenantId)
  await session.query(PUT, [owner, pause.pauseId, pause.scope, pause.reason, pause.active])
}

export async function readScopePauses(turns: TurnReads, tenantId: string): Promise<readonly ScopePause[]> {
  return turns.pauses(requireTenant(tenantId))
}

export function pauseOf(row: Columns): ScopePause {
  return {
    pauseId: text(row, 'pause_id'),
    scope: text(row, 'scope'),
    ...(row['tenant_id'] === '' ? {} : { tenantId: text(row, 'tenant_id') }),
    ...(row['reason'] === null ? {} : { reason: text(row, 'reason') }),
    active: row['active'] === true,
  }
}
