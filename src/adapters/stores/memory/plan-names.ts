/** Published plans by name, for lists: of each name the newest publication. */
import type { PublishedName } from '../../../ports/plan-store.ts'
import type { MemoryDisk } from './connect.ts'

export function listPlans(disk: MemoryDisk, tenantId: string, after: string, limit: number): readonly PublishedName[] {
  const newest = new Map<string, PublishedName>()
  for (const one of disk.publications)
    if (one.tenantId === tenantId && one.planId > after) newest.set(one.planId, nameOf(one))
  return [...newest.values()].toSorted((a, b) => (a.planId < b.planId ? -1 : 1)).slice(0, limit)
}

export function listPlanVersions(
  disk: MemoryDisk,
  tenantId: string,
  planId: string,
  limit: number,
): readonly PublishedName[] {
  const newest = new Map<string, PublishedName>()
  for (const one of disk.publications.toReversed())
    if (one.tenantId === tenantId && one.planId === planId && !newest.has(one.planVersion))
      newest.set(one.planVersion, nameOf(one))
  return [...newest.values()].slice(0, limit)
}

function nameOf({ planId, planVersion, sha256 }: PublishedName): PublishedName {
  return { planId, planVersion, sha256 }
}
