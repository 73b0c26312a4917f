/** Pauses that span runs (P-23). Each tenant has its own pause ids; a pause without a tenant is for the whole fleet. */
import type { ScopePause } from '../../../ports/scope-pauses.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session, TurnReads } from './session.ts'

const PUT = `INSERT INTO keelson.scope_pauses (tenant_id, pause_id, scope, reason, active, set_by, set_at, since)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (tenant_id, pause_id) DO UPDATE SET scope = excluded.scope, reason = excluded.reason,
    active = excluded.active, set_by = excluded.set_by, set_at = excluded.set_at, since = excluded.since`
const LAST = `SELECT * FROM keelson.scope_pauses WHERE tenant_id = $1 AND scope = $2
  ORDER BY active DESC, pause_pos DESC LIMIT 1`

export async function putScopePause(session: Session, pause: ScopePause): Promise<void> {
  const owner = pause.tenantId === undefined ? '' : requireTenant(pause.tenantId)
  const { pauseId, scope, reason, active, setBy, setAt, since } = pause
  await session.query(PUT, [owner, pauseId, scope, reason, active, setBy, setAt, since])
}

export async function readScopePauses(turns: TurnReads, tenantId: string): Promise<readonly ScopePause[]> {
  return turns.pauses(requireTenant(tenantId))
}

export async function lastScopePause(
  session: Session,
  tenantId: string,
  scope: string,
): Promise<ScopePause | undefined> {
  return (await session.query(LAST, [requireTenant(tenantId), scope])).map(pauseOf)[0]
}

export function pauseOf(row: Columns): ScopePause {
  return {
    pauseId: text(row, 'pause_id'),
    scope: text(row, 'scope'),
    ...(row['tenant_id'] === '' ? {} : { tenantId: text(row, 'tenant_id') }),
    ...(row['reason'] === null ? {} : { reason: text(row, 'reason') }),
    active: row['active'] === true,
    ...(row['set_by'] === null ? {} : { setBy: text(row, 'set_by') }),
    ...(row['set_at'] === null ? {} : { setAt: number(row, 'set_at') }),
    ...(row['since'] === null ? {} : { since: number(row, 'since') }),
  }
}
