/** Triggers, and their newest deliveries. */
import type { StoredDelivery, StoredTrigger, TriggerStore } from '../../../ports/triggers.ts'
import { pair, type MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

export function triggersOf(disk: () => MemoryDisk): TriggerStore {
  return {
    putTrigger: async (trigger) => putTrigger(disk(), trigger),
    findTrigger: async (tenantId, name) => disk().triggers.get(keyOf(tenantId, name)),
    findTriggerAt: async (address) => [...disk().triggers.values()].find((one) => one.address === address),
    listTriggers: async (tenantId, after, limit) => listTriggers(disk(), tenantId, after, limit),
    deleteTrigger: async (tenantId, name) => deleteTrigger(disk(), tenantId, name),
    noteDelivery: async (tenantId, name, delivery, keep) => noteDelivery(disk(), tenantId, name, delivery, keep),
    listDeliveries: async (tenantId, name, limit) =>
      (disk().deliveries.get(keyOf(tenantId, name)) ?? []).toReversed().slice(0, limit),
  }
}

function keyOf(tenantId: string, name: string): string {
  return pair(requireTenant(tenantId), name)
}

/** By code points, as the databases order them. */
function byText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function putTrigger({ triggers }: MemoryDisk, trigger: StoredTrigger): boolean {
  const { tenantId, name, address, revision } = trigger
  const key = keyOf(tenantId, name)
  const before = triggers.get(key)
  if ((before?.revision ?? 0) !== revision - 1) return false
  if (before === undefined && [...triggers.values()].some((one) => one.address === address)) return false
  triggers.set(key, Object.freeze({ ...trigger, address: before?.address ?? address }))
  return true
}

function listTriggers({ triggers }: MemoryDisk, tenantId: string, after: string, limit: number): StoredTrigger[] {
  requireTenant(tenantId)
  return [...triggers.values()]
    .filter((one) => one.tenantId === tenantId && byText(one.name, after) > 0)
    .sort((a, b) => byText(a.name, b.name))
    .slice(0, limit)
}

function deleteTrigger({ triggers, deliveries }: MemoryDisk, tenantId: string, name: string): boolean {
  const key = keyOf(tenantId, name)
  deliveries.delete(key)
  return triggers.delete(key)
}

function noteDelivery(
  { triggers, deliveries }: MemoryDisk,
  tenantId: string,
  name: string,
  delivery: StoredDelivery,
  keep: number,
): void {
  const key = keyOf(tenantId, name)
  if (!triggers.has(key)) return
  const known = deliveries.get(key) ?? []
  deliveries.set(key, [...known, Object.freeze({ ...delivery })].slice(-keep))
}
