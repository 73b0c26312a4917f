/** A moment as people write it: an age such as `2h` or `7d`, a day, or an instant. */
import { fail } from '../../../core/problems/problem.ts'
import { msFromIso } from '../../../core/time.ts'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 24 * 3_600_000 }

/** `option` is named in the refusal. An age counts back from now; with `ahead`, the same text counts forward. */
export function instantOf(text: string, option: string, now: number, ahead = false): number {
  const [, amount, unit = ''] = /^(\d{1,6})(s|min|m|h|d)$/.exec(text) ?? []
  if (amount !== undefined) return now + (ahead ? 1 : -1) * Number(amount) * (UNITS_MS[unit] ?? 0)
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  // A day begins in the reader's time zone.
  const at = year === undefined ? msFromIso(text) : new Date(Number(year), Number(month) - 1, Number(day)).getTime()
  return (
    at ??
    fail('USAGE', `${option} takes ${ahead ? 'a time' : 'an age'} such as 2h or 7d, a day or an instant, not '${text}'`)
  )
}
