/**
 * One look at a schedule that is due: what it owes is written down first, then started, then written down as done. Whoever loses the
 * first write leaves it to the other process; whoever dies in between is followed by another, which finds the same request keys.
 */
import { LIMITS } from '../../core/limits.ts'
import { owedAt } from '../../core/schedule/owed.ts'
import { runBackfills } from './backfill.ts'
import { changed, happened, scheduleOf, timingFor, type Schedule, type ScheduleRecord } from './record.ts'
import { actorOf, isLive, runOf, startOccurrence, type Starting } from './start-occurrence.ts'

/** Starts of one look; the rest is done in the next, so that the claim lasts. */
const STARTS = 50

/** False: another process has it. */
export async function runSchedule(starting: Starting, due: Schedule, now: () => number): Promise<boolean> {
  const { store } = starting
  const at = now()
  const claimed = changed(due, withOwed(due, at), at)
  if (!(await store.putSchedule({ ...claimed, dueAt: at + LIMITS.scheduleClaimMs }))) return false
  const schedule = scheduleOf(claimed)
  const begun = await startWaiting(starting, schedule)
  const record = await runBackfills(starting, { ...schedule, record: begun }, now(), STARTS)
  // Lost to a person who changed it meanwhile: what was started is found again by its keys.
  return store.putSchedule(changed(schedule, record, now()))
}

function withOwed(schedule: Schedule, now: number): ScheduleRecord {
  const record = awake(schedule.record, now)
  if (record.paused !== undefined) return record
  const { occurrences, done } = owedAt(timingFor(schedule), record.done, now)
  return { ...record, done, waiting: [...record.waiting, ...occurrences].slice(-LIMITS.scheduleWaiting) }
}

/** A pause with an end: what came while it lasted is passed over. */
function awake(record: ScheduleRecord, now: number): ScheduleRecord {
  const until = record.paused?.until
  if (until === undefined || until > now) return record
  const { paused: _over, ...rest } = record
  return { ...rest, done: Math.max(rest.done, until) }
}

async function startWaiting(starting: Starting, schedule: Schedule): Promise<ScheduleRecord> {
  let { record } = schedule
  if (record.paused !== undefined) return record
  for (const at of record.waiting.slice(0, STARTS)) {
    const next = await startOne(starting, { ...schedule, record }, at)
    if (next === 'later') break
    record = { ...next, waiting: next.waiting.filter((one) => one !== at) }
  }
  return record
}

/** `later`: it waits for the run before it. */
async function startOne(starting: Starting, schedule: Schedule, at: number): Promise<ScheduleRecord | 'later'> {
  const { store, runs } = starting
  const { tenantId, scheduleId, record } = schedule
  const { overlap } = record.definition
  const existing = await runOf(store, schedule, at)
  if (existing !== undefined) return started(record, at, existing)
  const isBusy = overlap !== 'allow' && (await isLive(store, tenantId, record.lastRunId))
  if (isBusy && overlap === 'queue') return 'later'
  if (isBusy && overlap === 'skip')
    return happened(record, { at, outcome: 'skipped', reason: 'the run before it goes on', ...lastRun(record) })
  if (isBusy && record.lastRunId !== undefined)
    await runs.cancel(tenantId, record.lastRunId, actorOf(scheduleId), 'the next occurrence of its schedule has come')
  const one = await startOccurrence(starting, schedule, at)
  return one.runId === undefined ? happened(record, one) : started(record, at, one.runId)
}

function lastRun({ lastRunId }: ScheduleRecord): { readonly runId?: string } {
  return lastRunId === undefined ? {} : { runId: lastRunId }
}

function started(record: ScheduleRecord, at: number, runId: string): ScheduleRecord {
  return { ...happened(record, { at, outcome: 'started', runId }), lastRunId: runId }
}
