/** Pauses that span runs (P-23). Each tenant has its own pause ids; a pause without a tenant is for the whole fleet. */
import type { ScopePause } from '../../../ports/scope-pauses.ts'
import { pair, type MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

export function putScopePause(disk: MemoryDisk, pause: ScopePause): void {
  const owner = pause.tenantId === undefined ? '' : requireTenant(pause.tenantId)
  disk.pauses.set(pair(owner, pause.pauseId), Object.freeze({ ...pause }))
}

export function readScopePauses(disk: MemoryDisk, tenantId: string): readonly ScopePause[] {
  requireTenant(tenantId)
  const isMeant = (pause: ScopePause): boolean => pause.tenantId === undefined || pause.tenantId === tenantId
  return [...disk.pauses.values()].filter((pause) => pause.active && isMeant(pause))
}

export function lastScopePause(disk: MemoryDisk, tenantId: string, scope: string): ScopePause | undefined {
  requireTenant(tenantId)
  const known = [...disk.pauses.values()].filter((pause) => pause.tenantId === tenantId && pause.scope === scope)
  return known.findLast(({ active }) => active) ?? known.at(-1)
}
