/** How durations, times and ids are written: as the command line writes them. */
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `42 ms`, `1.9 s`, `2 min 5 s`, `3 h 4 min`, `2 d 3 h`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < HOUR) return inTwo(ms, [MINUTE, 'min'], [SECOND, 's'])
  return ms < DAY ? inTwo(ms, [HOUR, 'h'], [MINUTE, 'min']) : inTwo(ms, [DAY, 'd'], [HOUR, 'h'])
}

type Unit = readonly [ms: number, name: string]

function inTwo(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}

/** `just now`, `12 s ago`, `3 h ago`. */
export function ago(ms: number, now: number): string {
  const passed = now - ms
  if (passed < SECOND) return 'just now'
  const [size, name] = UNITS.find(([unit]) => passed >= unit) ?? [SECOND, 's']
  return `${Math.floor(passed / size)} ${name} ago`
}

/** `in 12 s`, `in 3 h`. */
export function ahead(ms: number, now: number): string {
  const [size, name] = UNITS.find(([unit]) => ms - now >= unit) ?? [SECOND, 's']
  return `in ${Math.max(1, Math.floor((ms - now) / size))} ${name}`
}

const UNITS: readonly Unit[] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
]

const two = (value: number): string => String(value).padStart(2, '0')

/** Local time of day; with its date on another day than `now`. */
export function timeOfDay(ms: number, now = Date.now()): string {
  const date = new Date(ms)
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  if (new Date(now).toDateString() === date.toDateString()) return time
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`
}

/** The same where there is little room: `23:14:58`, `11-20 00:20` on another day, `2027-03-01` in another year. */
export function shortTime(ms: number, now: number): string {
  const text = timeOfDay(ms, now)
  if (!text.includes(' ')) return text
  return new Date(ms).getFullYear() === new Date(now).getFullYear() ? text.slice(5, 16) : text.slice(0, 10)
}

const SHORT_ID_CHARS = 8

export function shortId(runId: string): string {
  return runId.slice(0, SHORT_ID_CHARS)
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

const KIB = 1024

/** `812 bytes`, `64 KiB`, `1.4 MiB`. */
export function sizeOf(bytes: number): string {
  if (bytes < KIB) return plural(bytes, 'byte')
  return bytes < KIB * KIB ? `${rounded(bytes / KIB)} KiB` : `${rounded(bytes / (KIB * KIB))} MiB`
}

const rounded = (value: number): string => String(Math.round(value * 10) / 10)
