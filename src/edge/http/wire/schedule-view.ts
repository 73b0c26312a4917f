/** A schedule as its routes show it: instants as text, no revisions. */
import { nextOf } from '../../../app/schedules/manage-schedules.ts'
import { SHOWN, type Backfill, type Happened, type Schedule } from '../../../app/schedules/record.ts'
import { isoFromMs } from '../../../core/time.ts'

export function shownSchedule(schedule: Schedule, now: number): object {
  const { scheduleId, record } = schedule
  const { definition, paused, ofPlan = false, createdAt, createdBy, updatedAt, updatedBy } = record
  const [nextAt] = nextOf(schedule, now)
  return {
    scheduleId,
    ...definition,
    paused: paused !== undefined,
    ...(paused?.until === undefined ? {} : { pausedUntil: isoFromMs(paused.until) }),
    ofPlan,
    ...(nextAt === undefined ? {} : { nextAt: isoFromMs(nextAt) }),
    createdAt: isoFromMs(createdAt),
    createdBy,
    updatedAt: isoFromMs(updatedAt),
    updatedBy,
  }
}

/** With what has been and what comes. */
export function wholeSchedule(schedule: Schedule, now: number): object {
  const { recent, waiting, backfills } = schedule.record
  return {
    schedule: shownSchedule(schedule, now),
    last: recent.toReversed().map(shownOccurrence),
    next: nextOf(schedule, now).map(isoFromMs),
    waiting: waiting.slice(0, SHOWN).map(isoFromMs),
    backfills: backfills.map(shownBackfill),
  }
}

function shownOccurrence({ at, runId, ...one }: Happened): object {
  return { at: isoFromMs(at), ...one, ...(runId === undefined ? {} : { executionId: runId }) }
}

/** Within, `from` is exclusive. */
function shownBackfill({ from, to, done: _done, endedAt, ...one }: Backfill): object {
  return {
    ...one,
    from: isoFromMs(from + 1),
    to: isoFromMs(to),
    ...(endedAt === undefined ? {} : { endedAt: isoFromMs(endedAt) }),
  }
}
