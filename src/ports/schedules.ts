/**
 * Schedules as a store keeps them: their text, and the instant at which somebody must look at them again. Whoever changes one names the
 * revision that they have read, so that of two processes one succeeds.
 */
export interface StoredSchedule {
  readonly tenantId: string
  /** Unique within its tenant. */
  readonly scheduleId: string
  /** From 1. */
  readonly revision: number
  /** Epoch milliseconds; absent: nobody has to look. */
  readonly dueAt?: number
  /** JSON. */
  readonly body: string
}

export interface ScheduleStore {
  /** Stores it as the revision after `revision - 1`, or as the first. False: there is another revision, or none. */
  putSchedule(schedule: StoredSchedule): Promise<boolean>
  findSchedule(tenantId: string, scheduleId: string): Promise<StoredSchedule | undefined>
  /** By id, strictly after the id `after`. */
  listSchedules(tenantId: string, after: string, limit: number): Promise<readonly StoredSchedule[]>
  /** False when the tenant has no such schedule. */
  deleteSchedule(tenantId: string, scheduleId: string): Promise<boolean>
  /** For whoever keeps the clock: of all tenants, those due at `now`, the longest due first. */
  dueSchedules(now: number, limit: number): Promise<readonly StoredSchedule[]>
  /** The first instant at which one of them is due. */
  nextScheduleDue(): Promise<number | undefined>
}
