/** A schedule as it is kept: what it says, what it has done, and when somebody must look at it again. */
import { least } from '../../core/collections/extremes.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { timingOf, type ScheduleDefinition } from '../../core/schedule/definition.ts'
import { nextFiring, type Timing } from '../../core/schedule/owed.ts'
import type { StoredSchedule } from '../../ports/schedules.ts'
import { offsetOf } from './zones.ts'

/** What became of an occurrence. */
export interface Happened {
  /** Epoch milliseconds. */
  readonly at: number
  readonly outcome: 'started' | 'skipped' | 'failed'
  readonly runId?: string
  readonly code?: string
  readonly reason?: string
}

export interface Backfill {
  readonly backfillId: string
  /** Exclusive and inclusive, as occurrences are counted. */
  readonly from: number
  readonly to: number
  readonly concurrency: number
  /** Everything up to here was started. */
  readonly done: number
  readonly started: number
  /** They had run before. */
  readonly existed: number
  readonly failed: number
  readonly running: readonly string[]
  readonly askedBy: string
  readonly endedAt?: number
}

export interface Pause {
  readonly until?: number
  readonly at?: number
  readonly by?: string
  readonly reason?: string
}

export interface ScheduleRecord {
  readonly definition: ScheduleDefinition
  /** Occurrences up to this instant are dealt with. */
  readonly done: number
  readonly paused?: Pause
  /** Those that are owed and not started yet. */
  readonly waiting: readonly number[]
  readonly lastRunId?: string
  /** The last ten, oldest first. */
  readonly recent: readonly Happened[]
  readonly backfills: readonly Backfill[]
  /** Published with a plan, and changed with it alone. */
  readonly ofPlan?: true
  readonly createdAt: number
  readonly createdBy: string
  /** Who said last what is started and when; absent in records of earlier versions. */
  readonly definedBy?: string
  readonly updatedAt: number
  readonly updatedBy: string
}

/** One schedule as it was read. */
export interface Schedule {
  readonly tenantId: string
  readonly scheduleId: string
  readonly revision: number
  readonly dueAt?: number
  readonly record: ScheduleRecord
}

/** How many occurrences a person is shown, and how many backfills that have ended. */
export const SHOWN = 10
const ENDED_BACKFILLS = 5

export function scheduleOf({ body, ...stored }: StoredSchedule): Schedule {
  return { ...stored, record: JSON.parse(body) as ScheduleRecord }
}

export function timingFor({ scheduleId, record }: Pick<Schedule, 'scheduleId' | 'record'>): Timing {
  return timingOf(scheduleId, record.definition, offsetOf)
}

/** The next revision, due when something is to be done. */
export function changed(schedule: Schedule, record: ScheduleRecord, now: number): StoredSchedule {
  const { tenantId, scheduleId, revision } = schedule
  const body = JSON.stringify({ ...record, backfills: kept(record.backfills) })
  if (Buffer.byteLength(body) > LIMITS.scheduleBytes)
    fail('SCHEDULE_INVALID', `the schedule has more than ${LIMITS.scheduleBytes} bytes`)
  const dueAt = dueOf({ scheduleId, record }, now)
  return { tenantId, scheduleId, revision: revision + 1, body, ...(dueAt === undefined ? {} : { dueAt }) }
}

function kept(backfills: readonly Backfill[]): readonly Backfill[] {
  const ended = backfills.filter(({ endedAt }) => endedAt !== undefined).slice(-ENDED_BACKFILLS)
  return backfills.filter((one) => one.endedAt === undefined || ended.includes(one))
}

/** When somebody must look at it; undefined: never. What waits for the end of a run is looked at soon. */
export function dueOf(schedule: Pick<Schedule, 'scheduleId' | 'record'>, now: number): number | undefined {
  const { done, paused, waiting, backfills } = schedule.record
  const isOpen = ({ endedAt }: Backfill): boolean => endedAt === undefined
  const soon = backfills.some(isOpen) || (waiting.length > 0 && paused === undefined)
  const next = paused === undefined ? nextFiring(timingFor(schedule), Math.min(done, now)) : paused.until
  const due = [soon ? now + LIMITS.scheduleWaitMs : undefined, next].filter((at) => at !== undefined)
  return due.length === 0 ? undefined : least(due)
}

export function happened(record: ScheduleRecord, one: Happened): ScheduleRecord {
  return { ...record, recent: [...record.recent, one].slice(-SHOWN) }
}
