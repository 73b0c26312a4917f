/** Views of the list of runs that people saved. */
import type { SavedView, ViewStore } from '../../../ports/views.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const PUT = `INSERT INTO keelson.views AS v (tenant_id, view_id, owner_id, shared, name, filter, saved_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (tenant_id, view_id) DO UPDATE SET shared = excluded.shared, name = excluded.name, filter = excluded.filter,
    saved_at = excluded.saved_at WHERE v.owner_id = excluded.owner_id RETURNING 1`
const FIND = 'SELECT * FROM keelson.views WHERE tenant_id = $1 AND view_id = $2'
const LIST = 'SELECT * FROM keelson.views WHERE tenant_id = $1 AND (shared = 1 OR owner_id = $2) ORDER BY view_id'
const REMOVE = 'DELETE FROM keelson.views WHERE tenant_id = $1 AND view_id = $2 RETURNING 1'

export function viewsOf(session: Session): ViewStore {
  const rows = (sql: string, ...values: readonly unknown[]): Promise<readonly Columns[]> => session.query(sql, values)
  const changes = async (sql: string, ...values: readonly unknown[]): Promise<boolean> =>
    (await rows(sql, ...values)).length > 0
  return {
    putView: async ({ tenantId, viewId, ownerId, isShared, name, filter, savedAt }) =>
      changes(PUT, requireTenant(tenantId), viewId, ownerId, Number(isShared), name, filter, savedAt),
    findView: async (tenantId, viewId) => (await rows(FIND, requireTenant(tenantId), viewId)).map(viewOf)[0],
    listViews: async (tenantId, ownerId) => (await rows(LIST, requireTenant(tenantId), ownerId)).map(viewOf),
    removeView: async (tenantId, viewId) => changes(REMOVE, requireTenant(tenantId), viewId),
  }
}

function viewOf(row: Columns): SavedView {
  return {
    tenantId: text(row, 'tenant_id'),
    viewId: text(row, 'view_id'),
    ownerId: text(row, 'owner_id'),
    isShared: number(row, 'shared') === 1,
    name: text(row, 'name'),
    filter: text(row, 'filter'),
    savedAt: number(row, 'saved_at'),
  }
}
