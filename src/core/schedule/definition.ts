/** What a schedule says: when it comes, what it starts, and what happens when it was missed or when the run before goes on. */
import { DURATION_EXAMPLES, durationMs } from '../duration.ts'
import { LIMITS } from '../limits.ts'
import { problem, type Problem } from '../problems/problem.ts'
import { okUnless, type Result } from '../result.ts'
import { parseCron } from './cron.ts'
import type { Rhythm, ZoneOffset } from './occurrences.ts'
import type { CatchUp, Timing } from './owed.ts'

/** Of two runs of one schedule: both; not the new one; the new one later; the old one is cancelled. */
export const OVERLAPS = ['allow', 'skip', 'queue', 'cancelOld'] as const
export type Overlap = (typeof OVERLAPS)[number]

/** As a person gives it; every field that may be absent has a default. */
export interface ScheduleAsked {
  readonly planId: string
  /** Absent: the newest version at each start. */
  readonly planVersion?: string | undefined
  readonly cron?: string | undefined
  readonly every?: string | undefined
  readonly zone?: string | undefined
  /** Its `${input.at}` is the instant of the occurrence, `${input.scheduleId}` the name of the schedule. */
  readonly input?: unknown
  readonly overlap?: Overlap | undefined
  readonly catchUp?: CatchUp | undefined
  readonly catchUpMax?: number | undefined
  readonly jitter?: string | undefined
}

export interface ScheduleDefinition extends ScheduleAsked {
  readonly zone: string
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  readonly catchUpMax: number
}

const CATCH_UP_MAX = 100

/** With its defaults; or what is wrong with it. `offsetOf` knows the zones. */
export function readDefinition(
  asked: ScheduleAsked,
  offsetOf: (zone: string) => ZoneOffset | undefined,
): Result<ScheduleDefinition> {
  const { overlap = 'skip', catchUp = 'latest', catchUpMax = CATCH_UP_MAX, zone = 'UTC' } = asked
  const problems: Problem[] = []
  const wrong = (pointer: string, message: string): void =>
    void problems.push(problem('SCHEDULE_INVALID', message, { pointer }))
  if ((asked.cron === undefined) === (asked.every === undefined)) wrong('', 'a schedule has either `cron` or `every`')
  const cron = asked.cron === undefined ? undefined : parseCron(asked.cron)
  if (cron?.ok === false) for (const { message } of cron.problems) wrong('/cron', message)
  if (asked.every !== undefined && !(msOf(asked.every) >= LIMITS.scheduleEveryMs))
    wrong('/every', `'${asked.every}' is no time of one second or more, such as 30s, 15m or 2h`)
  if (offsetOf(zone) === undefined) wrong('/zone', `'${zone}' is no time zone; one is Europe/Berlin`)
  if (asked.jitter !== undefined && !(msOf(asked.jitter) <= LIMITS.scheduleJitterMs))
    wrong('/jitter', `'${asked.jitter}' is no time of at most a day: ${DURATION_EXAMPLES}`)
  if (!(catchUpMax >= 1 && catchUpMax <= LIMITS.scheduleCatchUp))
    wrong('/catchUpMax', `catchUpMax is 1 to ${LIMITS.scheduleCatchUp}`)
  return okUnless(problems, { ...asked, overlap, catchUp, catchUpMax, zone })
}

function msOf(text: string): number {
  return durationMs(text) ?? Number.NaN
}

/** Of a definition that was read. */
export function timingOf(
  scheduleId: string,
  { cron, every, zone, catchUp, catchUpMax, jitter }: ScheduleDefinition,
  offsetOf: (zone: string) => ZoneOffset | undefined,
): Timing {
  return {
    scheduleId,
    rhythm: rhythmOf(cron, every, offsetOf(zone)),
    catchUp,
    catchUpMax,
    jitterMs: jitter === undefined ? 0 : (durationMs(jitter) ?? 0),
  }
}

function rhythmOf(cron: string | undefined, every: string | undefined, offset: ZoneOffset | undefined): Rhythm {
  if (every !== undefined) return { everyMs: Math.max(durationMs(every) ?? 0, LIMITS.scheduleEveryMs) }
  const read = parseCron(cron ?? '')
  if (!read.ok || offset === undefined) throw new RangeError('a schedule is read before it is kept')
  return { cron: read.value, offset }
}
