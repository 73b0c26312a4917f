/** Schedules: their text, and when somebody must look at them. */
import type { ScheduleStore, StoredSchedule } from '../../../ports/schedules.ts'
import { pair, type MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

export function schedulesOf(disk: () => MemoryDisk): ScheduleStore {
  return {
    putSchedule: async (schedule) => putSchedule(disk(), schedule),
    findSchedule: async (tenantId, scheduleId) => disk().schedules.get(keyOf(tenantId, scheduleId)),
    listSchedules: async (tenantId, after, limit) => listSchedules(disk(), tenantId, after, limit),
    deleteSchedule: async (tenantId, scheduleId) => disk().schedules.delete(keyOf(tenantId, scheduleId)),
    dueSchedules: async (now, limit) => dueSchedules(disk(), now, limit),
    nextScheduleDue: async () => dueSchedules(disk(), Infinity, 1)[0]?.dueAt,
  }
}

function keyOf(tenantId: string, scheduleId: string): string {
  return pair(requireTenant(tenantId), scheduleId)
}

/** By code points, as the databases order them. */
function byText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function putSchedule({ schedules }: MemoryDisk, schedule: StoredSchedule): boolean {
  const { tenantId, scheduleId, revision } = schedule
  const key = keyOf(tenantId, scheduleId)
  if ((schedules.get(key)?.revision ?? 0) !== revision - 1) return false
  schedules.set(key, Object.freeze({ ...schedule }))
  return true
}

function listSchedules(
  { schedules }: MemoryDisk,
  tenantId: string,
  after: string,
  limit: number,
): readonly StoredSchedule[] {
  requireTenant(tenantId)
  return [...schedules.values()]
    .filter((one) => one.tenantId === tenantId && byText(one.scheduleId, after) > 0)
    .sort((a, b) => byText(a.scheduleId, b.scheduleId))
    .slice(0, limit)
}

function dueSchedules({ schedules }: MemoryDisk, now: number, limit: number): readonly StoredSchedule[] {
  return [...schedules.values()]
    .filter(({ dueAt = Infinity }) => dueAt <= now && dueAt < Infinity)
    .sort(
      (a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || byText(a.tenantId, b.tenantId) || byText(a.scheduleId, b.scheduleId),
    )
    .slice(0, limit)
}
