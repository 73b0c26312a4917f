/** Views of the list of runs that people saved. */
import type { SavedView, ViewStore } from '../../../ports/views.ts'
import type { Connection } from './connect.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const PUT = `INSERT INTO views (tenant_id, view_id, owner_id, shared, name, filter, saved_at) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, view_id) DO UPDATE SET shared = excluded.shared, name = excluded.name, filter = excluded.filter,
    saved_at = excluded.saved_at WHERE owner_id = excluded.owner_id`
const FIND = 'SELECT * FROM views WHERE tenant_id = ? AND view_id = ?'
const LIST = 'SELECT * FROM views WHERE tenant_id = ? AND (shared = 1 OR owner_id = ?) ORDER BY view_id'
const REMOVE = 'DELETE FROM views WHERE tenant_id = ? AND view_id = ?'

export function viewsOf(connection: Connection): ViewStore {
  const changes = async (sql: string, ...values: readonly (string | number)[]): Promise<boolean> =>
    connection.write(() => Number(connection.sql(sql).run(...values).changes) > 0)
  const rows = async (sql: string, ...values: readonly string[]): Promise<readonly Columns[]> =>
    connection.read(() => connection.sql(sql).all(...values))
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
