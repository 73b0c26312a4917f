/** Views of the list of runs that people saved. */
import type { SavedView, ViewStore } from '../../../ports/views.ts'
import { pair, type MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

export function viewsOf(disk: () => MemoryDisk): ViewStore {
  return {
    putView: async (view) => {
      const key = pair(requireTenant(view.tenantId), view.viewId)
      const before = disk().views.get(key)
      if (before !== undefined && before.ownerId !== view.ownerId) return false
      disk().views.set(key, Object.freeze({ ...view }))
      return true
    },
    findView: async (tenantId, viewId) => disk().views.get(pair(requireTenant(tenantId), viewId)),
    listViews: async (tenantId, ownerId) => listViews(disk(), requireTenant(tenantId), ownerId),
    removeView: async (tenantId, viewId) => disk().views.delete(pair(requireTenant(tenantId), viewId)),
  }
}

function listViews({ views }: MemoryDisk, tenantId: string, ownerId: string): readonly SavedView[] {
  return (
    [...views.values()]
      .filter((view) => view.tenantId === tenantId && (view.isShared || view.ownerId === ownerId))
      // By code points, as the databases order them.
      .sort((a, b) => Buffer.compare(Buffer.from(a.viewId), Buffer.from(b.viewId)))
  )
}
