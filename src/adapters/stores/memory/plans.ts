/** Plans by tenant and by the hash of their bytes: stored once, never changed. A published plan is found by its id. */
import type { PutPlan, PutPlanAnswer, StoredPlan } from '../../../ports/plan-store.ts'
import type { PlanSource } from '../../../core/run/input.ts'
import { pair, type MemoryDisk } from './connect.ts'

export function putPlan(
  disk: MemoryDisk,
  { tenantId, sha256, planId, planVersion, text }: StoredPlan,
  { publish = false, replaceVersion = false, source }: PutPlan = {},
): PutPlanAnswer {
  const key = pair(tenantId, sha256)
  const isHere = disk.plans.has(key)
  const isSame = (one: Omit<StoredPlan, 'text'>): boolean =>
    one.tenantId === tenantId && one.planId === planId && one.planVersion === planVersion
  const other = isHere ? undefined : [...disk.plans.values()].findLast(isSame)
  const published = disk.publications.findLast(isSame)
  if (other !== undefined && !replaceVersion) return { kind: 'version-exists', sha256: other.sha256 }
  const isOther = publish && published !== undefined && published.sha256 !== sha256
  if (isOther && !replaceVersion) return { kind: 'version-exists', sha256: published.sha256 }
  if (!isHere) disk.plans.set(key, Object.freeze({ tenantId, sha256, planId, planVersion, text }))
  if (publish && published?.sha256 !== sha256) {
    const about = source === undefined ? {} : { source }
    disk.publications.push({ tenantId, sha256, planId, planVersion, ...about })
  }
  return { kind: 'stored' }
}

export function getPlan(disk: MemoryDisk, tenantId: string, sha256: string): string | undefined {
  return disk.plans.get(pair(tenantId, sha256))?.text
}

export function findPlanSource(disk: MemoryDisk, tenantId: string, sha256: string): PlanSource | undefined {
  return disk.publications.findLast((one) => one.tenantId === tenantId && one.sha256 === sha256)?.source
}

export function findPlan(
  disk: MemoryDisk,
  tenantId: string,
  planId: string,
  planVersion: string | undefined,
): string | undefined {
  return disk.publications.findLast(
    (one) =>
      one.tenantId === tenantId &&
      one.planId === planId &&
      (planVersion === undefined || one.planVersion === planVersion),
  )?.sha256
}
