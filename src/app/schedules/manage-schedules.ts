/** What people do with schedules: make, change, pause, look ahead, and fill in what was not run. Everything within their tenant. */
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import { readDefinition, timingOf, type ScheduleAsked } from '../../core/schedule/definition.ts'
import { occurrencesWithin } from '../../core/schedule/occurrences.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { changed, scheduleOf, SHOWN, timingFor, type Pause, type Schedule, type ScheduleRecord } from './record.ts'
import { runOf } from './start-occurrence.ts'
import { offsetOf } from './zones.ts'

export interface Managing {
  readonly store: RunStore
  readonly tenantId: string
  readonly actorId: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** How often a change is made anew when others were faster. */
const TRIES = 100
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/

export interface CreateAsked {
  readonly scheduleId: string
  readonly asked: ScheduleAsked
  /** Paused from the beginning, until then. */
  readonly pausedUntil?: number | undefined
  readonly ofPlan?: true
}

export async function createSchedule(
  managing: Managing,
  { scheduleId, asked, pausedUntil, ofPlan }: CreateAsked,
): Promise<Schedule> {
  const { store, tenantId, actorId, now } = managing
  if (!ID.test(scheduleId)) fail('SCHEDULE_INVALID', 'the name of a schedule has letters, digits, `_`, `.` and `-`')
  await needPlan(managing, asked)
  const record: ScheduleRecord = {
    definition: unwrap(readDefinition(asked, offsetOf)),
    done: now,
    waiting: [],
    recent: [],
    backfills: [],
    createdAt: now,
    createdBy: actorId,
    definedBy: actorId,
    updatedAt: now,
    updatedBy: actorId,
    ...(pausedUntil === undefined ? {} : { paused: { until: pausedUntil, at: now, by: actorId } }),
    ...(ofPlan === undefined ? {} : { ofPlan }),
  }
  const stored = changed({ tenantId, scheduleId, revision: 0, record }, record, now)
  if (!(await store.putSchedule(stored))) fail('SCHEDULE_EXISTS', `there is a schedule ${scheduleId} already`)
  return scheduleOf(stored)
}

/** Known now; later it may be published anew or not be found, and each occurrence says so. */
async function needPlan({ store, tenantId }: Managing, { planId, planVersion }: ScheduleAsked): Promise<void> {
  const found = await store.findPlan(tenantId, planId, planVersion)
  if (found === undefined) fail('PLAN_NOT_FOUND', `no plan ${planId} is published here`)
}

export async function findSchedule({ store, tenantId }: Managing, scheduleId: string): Promise<Schedule> {
  const stored = await store.findSchedule(tenantId, scheduleId)
  return stored === undefined ? fail('SCHEDULE_NOT_FOUND', 'there is no such schedule') : scheduleOf(stored)
}

export async function listSchedules(
  { store, tenantId }: Managing,
  after: string,
  limit: number,
): Promise<readonly Schedule[]> {
  return (await store.listSchedules(tenantId, after, limit)).map(scheduleOf)
}

/** The change is made anew on what another process wrote meanwhile. */
async function change(
  managing: Managing,
  scheduleId: string,
  made: (schedule: Schedule) => ScheduleRecord,
): Promise<Schedule> {
  const { store, actorId, now } = managing
  for (let tries = 0; tries < TRIES; tries += 1) {
    const schedule = await findSchedule(managing, scheduleId)
    const record = { ...made(schedule), updatedAt: now, updatedBy: actorId }
    const stored = changed(schedule, record, now)
    if (await store.putSchedule(stored)) return scheduleOf(stored)
  }
  return fail('STORE_UNAVAILABLE', 'the schedule is changed by others all the time')
}

/** Occurrences of the new times begin now; what has run stays. */
export async function updateSchedule(
  managing: Managing,
  scheduleId: string,
  asked: ScheduleAsked,
  ofPlan = false,
): Promise<Schedule> {
  const definition = unwrap(readDefinition(asked, offsetOf))
  const before = await findSchedule(managing, scheduleId)
  await needPlan(managing, asked)
  // A plan is published again whenever a server starts.
  if (ofPlan && JSON.stringify(before.record.definition) === JSON.stringify(definition)) return before
  return change(managing, scheduleId, ({ record }) => {
    if (!ofPlan) needOwn(record)
    const isSame = JSON.stringify(record.definition) === JSON.stringify(definition)
    if (isSame) return record
    return { ...record, definition, definedBy: managing.actorId, done: Math.max(record.done, managing.now) }
  })
}

export async function deleteSchedule(managing: Managing, scheduleId: string, ofPlan = false): Promise<void> {
  const { record } = await findSchedule(managing, scheduleId)
  if (!ofPlan) needOwn(record)
  await managing.store.deleteSchedule(managing.tenantId, scheduleId)
}

function needOwn({ ofPlan, definition }: ScheduleRecord): void {
  if (ofPlan === true) fail('SCHEDULE_OF_PLAN', `it is the schedule of the plan ${definition.planId}`)
}

export async function pauseSchedule(
  managing: Managing,
  scheduleId: string,
  asked: Pick<Pause, 'until' | 'reason'>,
): Promise<Schedule> {
  const { now, actorId } = managing
  if (asked.until !== undefined && asked.until <= now) fail('SCHEDULE_INVALID', 'a pause ends after now')
  const paused: Pause = { ...asked, at: now, by: actorId }
  return change(managing, scheduleId, ({ record }) => ({ ...record, paused, waiting: [] }))
}

/** What came while it was paused is passed over. */
export async function resumeSchedule(managing: Managing, scheduleId: string): Promise<Schedule> {
  return change(managing, scheduleId, ({ record }) => {
    const { paused, ...rest } = record
    return paused === undefined ? record : { ...rest, done: Math.max(rest.done, managing.now) }
  })
}

/** The next ten instants of times that nobody has made a schedule of yet; or what is wrong with them. */
export function comingOf(times: Pick<ScheduleAsked, 'cron' | 'every' | 'zone'>, now: number): readonly number[] {
  const definition = unwrap(readDefinition({ ...times, planId: '' }, offsetOf))
  return occurrencesWithin(timingOf('', definition, offsetOf).rhythm, now, Infinity, SHOWN)
}

/** The next ten instants; none while it is paused without an end. */
export function nextOf(schedule: Schedule, now: number): readonly number[] {
  const { paused, done } = schedule.record
  const from = Math.max(Math.min(done, now), paused?.until ?? 0)
  if (paused !== undefined && paused.until === undefined) return []
  return occurrencesWithin(timingFor(schedule).rhythm, from, Infinity, SHOWN)
}

export interface BackfillSpan {
  /** Both inclusive. */
  readonly from: number
  readonly to: number
}

export interface BackfillPreview {
  readonly occurrences: number
  /** Of these, those that ran already. */
  readonly existed: number
  readonly first: readonly number[]
}

const LOOKED_UP = 1_000

export async function previewBackfill(
  managing: Managing,
  scheduleId: string,
  span: BackfillSpan,
): Promise<BackfillPreview> {
  const schedule = await findSchedule(managing, scheduleId)
  const found = occurrencesOf(schedule, span, managing.now)
  let existed = 0
  for (const at of found.slice(0, LOOKED_UP))
    if ((await runOf(managing.store, schedule, at)) !== undefined) existed += 1
  return { occurrences: found.length, existed, first: found.slice(0, SHOWN) }
}

export async function startBackfill(
  managing: Managing,
  scheduleId: string,
  asked: BackfillSpan & { readonly backfillId: string; readonly concurrency: number },
): Promise<{ readonly schedule: Schedule; readonly occurrences: number }> {
  const { from, to, backfillId, concurrency } = asked
  let occurrences = 0
  const schedule = await change(managing, scheduleId, (read) => {
    occurrences = occurrencesOf(read, asked, managing.now).length
    const counts = { started: 0, existed: 0, failed: 0, running: [] }
    const one = { backfillId, from: from - 1, to, done: from - 1, concurrency, askedBy: managing.actorId, ...counts }
    return { ...read.record, backfills: [...read.record.backfills, one] }
  })
  return { schedule, occurrences }
}

/** What is to come is started in its time, and not by a backfill. */
function occurrencesOf(schedule: Schedule, { from, to }: BackfillSpan, now: number): readonly number[] {
  if (to < from || to > now) fail('SCHEDULE_INVALID', 'a backfill is of a time that has passed: `from` to `to`')
  const found = occurrencesWithin(timingFor(schedule).rhythm, from - 1, to, LIMITS.scheduleBackfill + 1)
  if (found.length > LIMITS.scheduleBackfill)
    fail('SCHEDULE_INVALID', `a backfill has at most ${LIMITS.scheduleBackfill} occurrences`)
  return found
}
