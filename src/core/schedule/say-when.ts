/** When a schedule comes, in the words of a person: `30 2 * * 1-5` is `at 02:30 on Monday to Friday`. A line that is not understood stays as it is. */
import { durationMs } from '../duration.ts'
import { parseCron, type Cron } from './cron.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
/** Longer lists of clock times say less than their parts. */
const MOST_TIMES = 6

export function sayWhen({
  cron,
  every,
}: {
  readonly cron?: string | undefined
  readonly every?: string | undefined
}): string {
  if (every !== undefined) return sayEvery(every)
  const read = parseCron(cron ?? '')
  return read.ok ? sayCron(read.value) : (cron ?? '')
}

const UNITS: readonly (readonly [ms: number, one: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

function sayEvery(every: string): string {
  const ms = durationMs(every)
  const [size, one] = UNITS.find(([unit]) => ms !== undefined && ms >= unit && ms % unit === 0) ?? []
  return ms === undefined || size === undefined ? `every ${every}` : often(ms / size, one ?? '')
}

function often(count: number, one: string): string {
  return count === 1 ? `every ${one}` : `every ${count} ${one}s`
}

function sayCron(cron: Cron): string {
  const times = clockTimes(cron)
  const days = sayDays(cron)
  const months =
    cron.months.size === 12 ? '' : ` in ${sayNumbers([...cron.months], (month) => MONTHS[month - 1] ?? '')}`
  if (days === '') return `${times ?? sayMinutes(cron)}${times === undefined ? '' : ' every day'}${months}`
  return `${times ?? sayMinutes(cron)} ${days}${months}`
}

/** Undefined where there are too many of them to be listed. */
function clockTimes({ minutes, hours }: Cron): string | undefined {
  if (minutes.length * hours.length > MOST_TIMES) return undefined
  return `at ${listed(hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`)))}`
}

function sayMinutes({ minutes, hours }: Cron): string {
  const minuteStep = stepOf(minutes, 60)
  const hourStep = stepOf(hours, 24)
  const whole = minutes.length === 1 && minutes[0] === 0
  if (whole && hourStep !== undefined) return often(hourStep, 'hour')
  const past =
    minuteStep === undefined ? `at ${sayNumbers(minutes, String)} minutes past the hour` : often(minuteStep, 'minute')
  if (hourStep === 1) return past
  if (hourStep !== undefined) return `${past}, ${often(hourStep, 'hour')}`
  const when = sayNumbers(hours, (hour) => `${two(hour)}:00`)
  return whole ? `every hour of ${when}` : `${past}, in the hours of ${when}`
}

/** The distance between numbers that fill the whole circle evenly from 0. */
function stepOf(numbers: readonly number[], circle: number): number | undefined {
  const step = circle / numbers.length
  return Number.isInteger(step) && numbers.every((one, at) => one === at * step) ? step : undefined
}

function sayDays({ days, weekdays, eitherDay }: Cron): string {
  const dates = days.size === 31 ? '' : `on day ${sayNumbers([...days], String)} of the month`
  const names = weekdays.size === 7 ? '' : `on ${sayWeekdays(weekdays)}`
  if (dates === '' || names === '') return `${dates}${names}`
  return `${dates} ${eitherDay ? 'or' : 'if it is'} ${eitherDay ? names : names.slice('on '.length)}`
}

/** A week of people begins on Monday. */
function sayWeekdays(weekdays: ReadonlySet<number>): string {
  const fromMonday = [1, 2, 3, 4, 5, 6, 7].filter((day) => weekdays.has(day % 7))
  return sayNumbers(fromMonday, (day) => DAYS[day % 7] ?? '')
}

/** Three and more in a row are told by their ends. */
function sayNumbers(numbers: readonly number[], name: (number: number) => string): string {
  const sorted = [...numbers].sort((a, b) => a - b)
  const parts: string[] = []
  for (let from = 0, to = 0; from < sorted.length; from = to = to + 1) {
    while (sorted[to + 1] === (sorted[to] ?? 0) + 1) to += 1
    const [first, last] = [name(sorted[from] ?? 0), name(sorted[to] ?? 0)]
    if (to - from >= 2) parts.push(`${first} to ${last}`)
    else {
      parts.push(first)
      if (to > from) parts.push(last)
    }
  }
  return listed(parts)
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
