/**
 * The instants of a schedule, in order. A local time that the clocks skip comes at the next valid instant; one that they show twice
 * comes once, the first time. The zone is given as a function, because the core knows no time zones.
 */
import { least } from '../collections/extremes.ts'
import { isoFromMs } from '../time.ts'
import type { Cron } from './cron.ts'

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
export type ZoneOffset = (instant: number) => number

export type Rhythm =
  /** Multiples of it since 1970, in whatever zone. */
  { readonly everyMs: number } | { readonly cron: Cron; readonly offset: ZoneOffset }

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** 29 February may be eight years away. */
const MOST_DAYS = 366 * 8 + 2

/** Strictly after an instant. */
function* occurrencesAfter(rhythm: Rhythm, after: number): Generator<number, void> {
  if ('everyMs' in rhythm) yield* multiplesAfter(rhythm.everyMs, after)
  else yield* cronAfter(rhythm.cron, rhythm.offset, after)
}

/** The first after an instant; undefined when there is none within eight years. */
export function nextOccurrence(rhythm: Rhythm, after: number): number | undefined {
  const { value } = occurrencesAfter(rhythm, after).next()
  return typeof value === 'number' ? value : undefined
}

/** At most `limit` of those in the span, `from` exclusive and `to` inclusive. */
export function occurrencesWithin(rhythm: Rhythm, from: number, to: number, limit: number): readonly number[] {
  const found: number[] = []
  for (const at of occurrencesAfter(rhythm, from)) {
    if (at > to || found.length >= limit) break
    found.push(at)
  }
  return found
}

/** The newest of those in the span, oldest first. It looks back further and further, so that a year of minutes costs little. */
export function newestWithin(rhythm: Rhythm, from: number, to: number, limit: number): readonly number[] {
  for (let span = HOUR_MS; ; span *= 2) {
    const start = Math.max(from, to - span)
    const found = occurrencesWithin(rhythm, start, to, Number.MAX_SAFE_INTEGER)
    if (found.length >= limit || start <= from) return limit <= 0 ? [] : found.slice(-limit)
  }
}

function* multiplesAfter(everyMs: number, after: number): Generator<number, void> {
  for (let at = (Math.floor(after / everyMs) + 1) * everyMs; ; at += everyMs) yield at
}

function* cronAfter(cron: Cron, offset: ZoneOffset, after: number): Generator<number, void> {
  // One day earlier, because the clocks may have been set back over midnight.
  const first = Math.floor((after + offset(after)) / DAY_MS) - 1
  let last = after
  for (let day = first, empty = 0; empty < MOST_DAYS; day += 1, empty += 1) {
    if (!isDay(cron, day)) continue
    for (const hour of cron.hours)
      for (const minute of cron.minutes) {
        const at = instantOf(day * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS, offset)
        if (at <= last) continue
        last = at
        empty = 0
        yield at
      }
  }
}

function isDay({ days, months, weekdays, eitherDay }: Cron, day: number): boolean {
  const date = isoFromMs(day * DAY_MS)
  if (!months.has(Number(date.slice(5, 7)))) return false
  const isDate = days.has(Number(date.slice(8, 10)))
  // 1 January 1970 was a Thursday.
  const isWeekday = weekdays.has((((day + 4) % 7) + 7) % 7)
  return eitherDay ? isDate || isWeekday : isDate && isWeekday
}

/** `local`: what the clocks show, as if it were UTC. */
function instantOf(local: number, offset: ZoneOffset): number {
  const [before, later] = [offset(local - DAY_MS), offset(local + DAY_MS)]
  const found = [local - before, local - later].filter((at) => at + offset(at) === local)
  if (found.length > 0) return least(found)
  // Skipped: the first instant at which the clocks show more.
  let [low, high] = [local - Math.max(before, later), local - Math.min(before, later)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (middle + offset(middle) > local) high = middle
    else low = middle
  }
  return high
}
