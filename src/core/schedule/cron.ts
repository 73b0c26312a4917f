/**
 * A cron line of five fields: minute, hour, day of month, month, day of week, with names, lists, ranges and steps, or a word such as
 * `@daily`. As in every cron, a line that restricts both kinds of day means either of them.
 */
import { appendAll } from '../collections/append-all.ts'
import { problem, type Problem } from '../problems/problem.ts'
import { okUnless, refused, type Result } from '../result.ts'

export interface Cron {
  /** Ascending. */
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** Sunday is 0. */
  readonly weekdays: ReadonlySet<number>
  /** Both kinds of day are restricted: one of them is enough. */
  readonly eitherDay: boolean
}

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 7, names: WEEKDAYS },
]
const WORDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}
/** The longest month of each number; a line that asks for 31 February never comes. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export function parseCron(text: string): Result<Cron> {
  const line = text.trim().toLowerCase()
  const fields = (Object.hasOwn(WORDS, line) ? (WORDS[line] ?? '') : line).split(/\s+/)
  if (fields.length !== FIELDS.length)
    return refused(wrong(`'${text}' has ${fields.length} fields; minute, hour, day, month and weekday are five`))
  const problems: Problem[] = []
  const read = (at: 0 | 1 | 2 | 3 | 4): readonly number[] => {
    const found = numbersOf(fields[at] ?? '', FIELDS[at])
    if (found.ok) return found.value
    appendAll(problems, found.problems)
    return []
  }
  const [minutes, hours, days, months, weekdays] = [read(0), read(1), read(2), read(3), read(4)]
  const cron: Cron = {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day % 7)),
    eitherDay: !isAny(fields[2]) && !isAny(fields[4]),
  }
  if (problems.length === 0 && !cron.eitherDay && !comes(days, months)) problems.push(wrong(`'${text}' never comes`))
  return okUnless(problems, cron)
}

function wrong(message: string): Problem {
  return problem('SCHEDULE_INVALID', message)
}

function isAny(field = ''): boolean {
  return field.startsWith('*')
}

function comes(days: readonly number[], months: readonly number[]): boolean {
  return months.some((month) => days.some((day) => day <= (LONGEST[month - 1] ?? 0)))
}

function numbersOf(text: string, field: Field): Result<readonly number[]> {
  const numbers = new Set<number>()
  const problems: Problem[] = []
  for (const part of text.split(',')) {
    const range = rangeOf(part, field)
    if (range === undefined) problems.push(wrong(`'${part}' is no ${field.name}: ${field.min} to ${field.max}`))
    else for (let at = range.from; at <= range.to; at += range.step) numbers.add(at)
  }
  return okUnless(
    problems,
    [...numbers].sort((a, b) => a - b),
  )
}

function rangeOf(
  part: string,
  field: Field,
): { readonly from: number; readonly to: number; readonly step: number } | undefined {
  const [, span = '', stepText] = /^([^/]+)(?:\/([0-9]{1,2}))?$/.exec(part) ?? []
  const step = stepText === undefined ? 1 : Number(stepText)
  if (span === '' || step === 0) return undefined
  if (span === '*') return { from: field.min, to: field.max, step }
  const ends = span.split('-')
  if (ends.length > 2) return undefined
  const from = numberOf(ends[0] ?? '', field)
  const last = ends.length === 1 ? (stepText === undefined ? from : field.max) : numberOf(ends[1] ?? '', field)
  return from === undefined || last === undefined || last < from ? undefined : { from, to: last, step }
}

function numberOf(text: string, { min, max, names = [] }: Field): number | undefined {
  const named = names.indexOf(text)
  if (named >= 0) return named + min
  if (!/^[0-9]{1,2}$/.test(text)) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}
