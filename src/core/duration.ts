/** Durations as people write them: `500ms`, `30s`, `5m`, `2h`, `7d`. A whole number and one unit, nothing else. */

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
type Unit = keyof typeof UNITS

export type Duration = `${number}${Unit}`

export const DURATION_PATTERN = '^[0-9]{1,15}(ms|s|m|h|d)$'
const DURATION = new RegExp(DURATION_PATTERN)

export const DURATION_EXAMPLES = '500ms, 30s, 5m, 2h or 7d'

/** Milliseconds; undefined when the text is no duration. */
export function durationMs(text: string): number | undefined {
  const unit = DURATION.exec(text)?.[1] as Unit | undefined
  return unit === undefined ? undefined : Number.parseInt(text, 10) * UNITS[unit]
}

/** The shortest text of the same length of time: 90,000 ms is `90s`. */
export function durationText(ms: number): Duration {
  const units = Object.entries(UNITS).reverse() as readonly (readonly [Unit, number])[]
  const [unit, length] = units.find(([, size]) => ms >= size && ms % size === 0) ?? ['ms', 1]
  return `${ms / length}${unit}`
}

const WORDS: readonly (readonly [RegExp, Unit])[] = [
  [/^(?:ms|msecs?|millis|milliseconds?)$/, 'ms'],
  [/^(?:s|secs?|seconds?)$/, 's'],
  [/^(?:m|mins?|minutes?)$/, 'm'],
  [/^(?:h|hrs?|hours?)$/, 'h'],
  [/^(?:d|days?)$/, 'd'],
]
/** No such unit here, but a whole number of days. */
const WEEK = /^(?:w|weeks?)$/

/** What was probably meant by `7 days`, `1.5h` or `1h30m`; undefined when nobody can tell. */
export function meantDuration(text: string): Duration | undefined {
  const parts = [
    ...text
      .slice(0, 100)
      .toLowerCase()
      .matchAll(/(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]+)[\s,]*/g),
  ]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text.toLowerCase()) return undefined
  let sum = 0
  for (const [, amount = '', word = ''] of parts) {
    const unit = WEEK.test(word) ? 7 * UNITS.d : lengthOf(word)
    if (unit === undefined) return undefined
    sum += Number(amount) * unit
  }
  return Number.isSafeInteger(sum) && sum > 0 ? durationText(sum) : undefined
}

function lengthOf(word: string): number | undefined {
  const unit = WORDS.find(([pattern]) => pattern.test(word))?.[1]
  return unit === undefined ? undefined : UNITS[unit]
}
