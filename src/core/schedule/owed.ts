/**
 * Which occurrences a schedule still owes at an instant. Those that are due within the last minute are on time and always owed; of older
 * ones, missed while no process looked or while the clock jumped, the schedule says how many are made up for.
 */
import { LIMITS } from '../limits.ts'
import { newestWithin, nextOccurrence, occurrencesWithin, type Rhythm } from './occurrences.ts'

export const CATCH_UPS = ['none', 'latest', 'all'] as const
export type CatchUp = (typeof CATCH_UPS)[number]

export interface Timing {
  readonly scheduleId: string
  readonly rhythm: Rhythm
  readonly catchUp: CatchUp
  /** Of `all`: no more than so many, the newest. */
  readonly catchUpMax: number
  readonly jitterMs: number
}

/** The run's request key: whoever starts the occurrence a second time finds the run. */
export function occurrenceKey(scheduleId: string, at: string): string {
  return `schedule:${scheduleId}:${at}`
}

/** The run's id, so that a new version of the plan makes no second run of an occurrence either. */
export function occurrenceRunId(scheduleId: string, at: string): string {
  return `${scheduleId}-${at.replaceAll(/[-:.]/g, '')}`
}

/** How much later than its instant an occurrence fires: always the same for one occurrence, and different for its neighbours. */
function jitterOf({ scheduleId, jitterMs }: Pick<Timing, 'scheduleId' | 'jitterMs'>, at: number): number {
  return jitterMs === 0 ? 0 : hashOf(`${scheduleId}@${at}`) % jitterMs
}

/** FNV-1a: spreads well, and is the same everywhere. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** When the next occurrence after `done` fires. */
export function nextFiring(timing: Timing, done: number): number | undefined {
  const at = nextOccurrence(timing.rhythm, done)
  return at === undefined ? undefined : at + jitterOf(timing, at)
}

export interface Owed {
  /** Oldest first. */
  readonly occurrences: readonly number[]
  /** Everything up to here is dealt with once these are. */
  readonly done: number
}

/** `done`: the last instant that was dealt with. A clock that was set back begins again at now; the request keys keep it from doubling. */
export function owedAt(timing: Timing, done: number, now: number): Owed {
  const { rhythm, catchUp, catchUpMax } = timing
  const from = Math.min(done, now)
  const until = firedUntil(timing, from, now)
  if (until <= from) return { occurrences: [], done: from }
  const onTime = occurrencesWithin(rhythm, Math.max(from, onTimeSince(timing, now)), until, LIMITS.scheduleCatchUp)
  const newest = (limit: number): readonly number[] => newestWithin(rhythm, from, until, limit)
  switch (catchUp) {
    case 'none':
      return { occurrences: onTime, done: until }
    case 'latest':
      return { occurrences: onTime.length > 0 ? onTime : newest(1), done: until }
    case 'all':
      return { occurrences: newest(Math.max(catchUpMax, onTime.length)), done: until }
    default: {
      const never: never = catchUp
      return never
    }
  }
}

function onTimeSince({ jitterMs }: Timing, now: number): number {
  return now - LIMITS.scheduleOnTimeMs - jitterMs
}

/** With jitter the last ones wait: an occurrence never overtakes the one before it. */
function firedUntil(timing: Timing, from: number, now: number): number {
  if (timing.jitterMs === 0) return now
  const waiting = occurrencesWithin(timing.rhythm, Math.max(from, now - timing.jitterMs), now, Number.MAX_SAFE_INTEGER)
  const first = waiting.find((at) => at + jitterOf(timing, at) > now)
  return first === undefined ? now : first - 1
}
