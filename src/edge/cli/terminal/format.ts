/** How times, ids and values are written for people: short, with a unit, the same everywhere. */
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `42 ms`, `1.9 s`, `2 min 5 s`, `3 h 4 min`, `2 d 3 h`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < HOUR) return pair(ms, MINUTE, 'min', SECOND, 's')
  return ms < DAY ? pair(ms, HOUR, 'h', MINUTE, 'min') : pair(ms, DAY, 'd', HOUR, 'h')
}

function pair(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`
}

/** Remaining time in whole units: nobody can read a countdown of tenths. */
export function countdown(ms: number): string {
  return ms < MINUTE ? `${Math.max(0, Math.ceil(ms / SECOND))} s` : duration(ms)
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Local time of day; with its date when that differs from `now`. */
export function timeOfDay(ms: number, now = Date.now()): string {
  const date = new Date(ms)
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return new Date(now).toDateString() === date.toDateString() ? time : `${day(date)} ${time}`
}

function day(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const SHORT_ID_CHARS = 8

/** Long enough to be unique, and accepted wherever a run is named. */
export function shortId(runId: string): string {
  return runId.slice(0, SHORT_ID_CHARS)
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Text that already is one line, cut to `width` characters. */
export function shown(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

/** A long name keeps both of its ends: `import-cust…-2026-11-16`. */
export function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text
  const rest = Math.max(0, width - 1)
  return `${text.slice(0, Math.ceil(rest / 2))}…${text.slice(text.length - Math.floor(rest / 2))}`
}

/** One line of at most `width` characters. */
export function oneLine(text: string, width: number): string {
  // Control characters of untrusted text would move the cursor.
  const flat = text.replace(/\p{Cc}+/gu, ' ').trim()
  return flat.length <= width ? flat : `${flat.slice(0, Math.max(0, width - 1))}…`
}
