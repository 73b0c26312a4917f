/** Plans by the hash of their bytes: stored once, never changed. */
import type { MemoryDisk, MemoryPlan } from './connect.ts'

export function putPlan(disk: MemoryDisk, plan: MemoryPlan): void {
  if (!disk.plans.has(plan.sha256)) disk.plans.set(plan.sha256, Object.freeze({ ...plan }))
}

export function findPlan(
  disk: MemoryDisk,
  planId: string,
  planVersion: string | undefined,
): { readonly sha256: string; readonly text: string } | undefined {
  const fits = (plan: MemoryPlan): boolean =>
    plan.planId === planId && (planVersion === undefined || plan.planVersion === planVersion)
  const newest = [...disk.plans.values()].findLast(fits)
  return newest === undefined ? undefined : { sha256: newest.sha256, text: newest.text }
}
