/**
 * Instants as epoch milliseconds inside the core, RFC 3339 UTC text in events. Pure arithmetic on the
 * proleptic Gregorian calendar: the core has no Date, so that the same code runs in any sandbox.
 */
const MS_PER_DAY = 86_400_000

export function isoFromMs(ms: number): string {
  const days = Math.floor(ms / MS_PER_DAY)
  const rest = ms - days * MS_PER_DAY
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const hour = Math.floor(rest / 3_600_000)
  const minute = Math.floor((rest % 3_600_000) / 60_000)
  const second = Math.floor((rest % 60_000) / 1000)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}.${pad(Math.floor(rest % 1000), 3)}Z`
}

function pad(value: number, width: number): string {
  const text = String(value)
  return text.length >= width ? text : PADDING.slice(0, width - text.length) + text
}

const PADDING = '0000'

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** Undefined for text that is not an RFC 3339 instant; an offset is normalised to UTC. */
export function msFromIso(text: string): number | undefined {
  return (text.length === PLAIN_LENGTH ? msFromPlain(text) : undefined) ?? msFromAny(text)
}

const PLAIN_LENGTH = 24
const DAY_MAX = 28

/**
 * The form that we write, `2026-01-31T12:00:00.000Z`, read digit by digit; anything unusual is left to the full reader.
 */
function msFromPlain(text: string): number | undefined {
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 7)
  const day = digits(text, 8, 10)
  const hour = digits(text, 11, 13)
  const minute = digits(text, 14, 16)
  const second = digits(text, 17, 19)
  const ms = digits(text, 20, 23)
  const wellFormed =
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58 &&
    text.charCodeAt(19) === 46 &&
    text.charCodeAt(23) === 90
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= DAY_MAX && hour <= 23 && minute <= 59 && second <= 59
  // NaN, which comes from anything that is not a digit, is in no range.
  if (!wellFormed || !inRange || !(year >= 0) || !(ms >= 0)) return undefined
  return daysFromCivil(year, month, day) * MS_PER_DAY + hour * 3_600_000 + minute * 60_000 + second * 1000 + ms
}

function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

function msFromAny(text: string): number | undefined {
  const match = INSTANT.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((i) => Number(match[i])) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const fraction = match[7] === undefined ? 0 : Math.floor(Number(`0.${match[7]}`) * 1000)
  const offsetMinutes = match[8] === undefined ? 0 : Number(match[9]) * 60 + Number(match[10])
  const offset = (match[8] === '-' ? -offsetMinutes : offsetMinutes) * 60_000
  return (
    daysFromCivil(year, month, day) * MS_PER_DAY +
    hour * 3_600_000 +
    minute * 60_000 +
    second * 1000 +
    fraction -
    offset
  )
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}
