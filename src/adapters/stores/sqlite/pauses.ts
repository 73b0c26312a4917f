/** Pauses that span runs (P-23). Each tenant has its own pause ids; a pause without a tenant is for the whole fleet. */
import type { ScopePause } from '../../../ports/scope-pauses.ts'
import type { Connection } from './connect.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const PUT = `INSERT INTO scope_pauses (tenant_id, pause_id, scope, reason, active, set_by, set_at, since)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, pause_id) DO UPDATE SET scope = excluded.scope, reason = excluded.reason,
    active = excluded.active, set_by = excluded.set_by, set_at = excluded.set_at, since = excluded.since`
/** Pauses that are over stay, and no turn pays for them: those that hold have an index of their own. */
export const ANY_PAUSE = 'SELECT 1 FROM scope_pauses WHERE active = 1 LIMIT 1'
const READ = `SELECT * FROM scope_pauses WHERE active = 1 AND tenant_id IN (?, '') ORDER BY pause_pos`
const LAST = `SELECT * FROM scope_pauses WHERE tenant_id = ? AND scope = ? ORDER BY active DESC, pause_pos DESC LIMIT 1`

export async function putScopePause(connection: Connection, pause: ScopePause): Promise<void> {
  const owner = pause.tenantId === undefined ? '' : requireTenant(pause.tenantId)
  const { pauseId, scope, reason = null, active, setBy = null, setAt = null, since = null } = pause
  const values = [owner, pauseId, scope, reason, active ? 1 : 0, setBy, setAt, since]
  await connection.write(() => connection.sql(PUT).run(...values))
}

export async function readScopePauses(connection: Connection, tenantId: string): Promise<readonly ScopePause[]> {
  requireTenant(tenantId)
  return connection.read(() => (anyScopePause(connection) ? pausesOf(connection, tenantId) : []))
}

export async function lastScopePause(
  connection: Connection,
  tenantId: string,
  scope: string,
): Promise<ScopePause | undefined> {
  return connection.read(() => connection.sql(LAST).all(requireTenant(tenantId), scope).map(pauseOf)[0])
}

/** Looked for at every turn of every run; there is hardly ever a pause. */
export function anyScopePause(connection: Connection): boolean {
  return connection.sql(ANY_PAUSE).get() !== undefined
}

/** Within the caller's transaction. */
export function pausesOf(connection: Connection, tenantId: string): readonly ScopePause[] {
  return connection.sql(READ).all(tenantId).map(pauseOf)
}

function pauseOf(row: Columns): ScopePause {
  return {
    pauseId: text(row, 'pause_id'),
    scope: text(row, 'scope'),
    ...(row['tenant_id'] === '' ? {} : { tenantId: text(row, 'tenant_id') }),
    ...(row['reason'] === null ? {} : { reason: text(row, 'reason') }),
    active: number(row, 'active') === 1,
    ...(row['set_by'] === null ? {} : { setBy: text(row, 'set_by') }),
    ...(row['set_at'] === null ? {} : { setAt: number(row, 'set_at') }),
    ...(row['since'] === null ? {} : { since: number(row, 'since') }),
  }
}
