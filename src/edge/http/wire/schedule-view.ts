/** A schedule as its routes show it: instants as text, no revisions. */
import { nextOf } from '../../../app/schedules/manage-schedules.ts'
import { SHOWN, type Backfill, type Happened, type Pause, type Schedule } from '../../../app/schedules/record.ts'
import type { RecentRuns } from '../../../app/schedules/start-occurrence.ts'
import { isoFromMs } from '../../../core/time.ts'

export function shownSchedule(schedule: Schedule, now: number): object {
  const { scheduleId, record } = schedule
  const { definition, paused, ofPlan = false, createdAt, createdBy, updatedAt, updatedBy } = record
  const [nextAt] = nextOf(schedule, now)
  return {
    scheduleId,
    ...definition,
    paused: paused !== undefined,
    ...(paused === undefined ? {} : shownPause(paused)),
    ofPlan,
    ...(nextAt === undefined ? {} : { nextAt: isoFromMs(nextAt) }),
    createdAt: isoFromMs(createdAt),
    createdBy,
    updatedAt: isoFromMs(updatedAt),
    updatedBy,
  }
}

function shownPause({ until, at, by, reason }: Pause): object {
  return {
    ...(until === undefined ? {} : { pausedUntil: isoFromMs(until) }),
    ...(at === undefined ? {} : { pausedAt: isoFromMs(at) }),
    ...(by === undefined ? {} : { pausedBy: by }),
    ...(reason === undefined ? {} : { pauseReason: reason }),
  }
}

/** With what has been and what comes. */
export function wholeSchedule(schedule: Schedule, runs: RecentRuns, now: number): object {
  const { recent, waiting, backfills } = schedule.record
  return {
    schedule: shownSchedule(schedule, now),
    last: recent.toReversed().map((one) => shownOccurrence(one, runs)),
    next: nextOf(schedule, now).map(isoFromMs),
    waiting: waiting.slice(0, SHOWN).map(isoFromMs),
    backfills: backfills.map(shownBackfill),
  }
}

function shownOccurrence({ at, runId, ...one }: Happened, runs: RecentRuns): object {
  const status = runs.get(runId ?? '')
  return {
    at: isoFromMs(at),
    ...one,
    ...(runId === undefined ? {} : { executionId: runId }),
    ...(status === undefined ? {} : { status }),
  }
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
