/** Occurrences of a time that has passed, started so many at once. One that ran before is not run again. */
import { LIMITS } from '../../core/limits.ts'
import { nextOccurrence } from '../../core/schedule/occurrences.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { timingFor, type Backfill, type Schedule, type ScheduleRecord } from './record.ts'
import { isLive, isWithoutRoom, runOf, startOccurrence, type Starting } from './start-occurrence.ts'

export async function runBackfills(
  starting: Starting,
  schedule: Schedule,
  now: number,
  starts: number,
): Promise<ScheduleRecord> {
  const backfills: Backfill[] = []
  let left = starts
  for (const one of schedule.record.backfills) {
    const next = one.endedAt === undefined ? await runBackfill(starting, schedule, one, { now, starts: left }) : one
    left -= next.started - one.started
    backfills.push(next)
  }
  return { ...schedule.record, backfills }
}

interface Bounds {
  readonly now: number
  readonly starts: number
}

async function runBackfill(
  starting: Starting,
  schedule: Schedule,
  backfill: Backfill,
  { now, starts }: Bounds,
): Promise<Backfill> {
  const { store } = starting
  const { tenantId } = schedule
  const { rhythm } = timingFor(schedule)
  const running: string[] = []
  for (const runId of backfill.running) if (await isLive(store, tenantId, runId)) running.push(runId)
  let one: Backfill = { ...backfill, running }
  // Those that ran before cost a look each, so they are bounded too.
  for (let looks = 0; looks < LIMITS.scheduleCatchUp; looks += 1) {
    const at = nextOccurrence(rhythm, one.done)
    if (at === undefined || at > one.to) return one.running.length > 0 ? one : { ...one, endedAt: now }
    if (one.running.length >= one.concurrency || one.started - backfill.started >= starts) return one
    const existing = await runOf(store, schedule, at)
    if (existing === undefined) {
      const next = await startNext(starting, schedule, one, at)
      if (next === 'later') return one
      one = next
    } else {
      const live = await withLive(store, tenantId, one.running, existing)
      one = { ...one, done: at, existed: one.existed + 1, running: live }
    }
  }
  return one
}

/** A process that died may have started it a moment ago. */
async function withLive(
  store: RunStore,
  tenantId: string,
  running: readonly string[],
  runId: string,
): Promise<readonly string[]> {
  return !running.includes(runId) && (await isLive(store, tenantId, runId)) ? [...running, runId] : running
}

/** `later`: a limit has no room now. Somebody asked for all of these occurrences, so none is left out for that. */
async function startNext(
  starting: Starting,
  schedule: Schedule,
  one: Backfill,
  at: number,
): Promise<Backfill | 'later'> {
  const came = await startOccurrence(starting, schedule, at, one.askedBy)
  if (isWithoutRoom(came)) return 'later'
  const { runId } = came
  return runId === undefined
    ? { ...one, done: at, failed: one.failed + 1 }
    : { ...one, done: at, started: one.started + 1, running: [...one.running, runId] }
}
