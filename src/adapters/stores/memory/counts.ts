/** Runs per status (P-41): counted on demand, so that no counter can drift. */
import type { RunStatus } from '../../../ports/run-store.ts'
import type { MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

export function countRuns(disk: MemoryDisk, tenantId: string): ReadonlyMap<RunStatus, number> {
  requireTenant(tenantId)
  const counts = new Map<RunStatus, number>()
  for (const { row } of disk.runs)
    if (row.tenantId === tenantId) counts.set(row.status, (counts.get(row.status) ?? 0) + 1)
  return counts
}
