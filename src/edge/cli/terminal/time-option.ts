/** A length of time on the command line, as a plan writes it: `500ms`, `30s`, `5m` (or `5min`), `2h`, `7d`. */
import { DURATION_EXAMPLES, durationMs, meantDuration } from '../../../core/duration.ts'
import { fail } from '../../../core/problems/problem.ts'

/** `bareMs`: a number alone is milliseconds, where the option always took these. */
export function timeOption(
  option: string,
  text: string,
  { bareMs = false }: { readonly bareMs?: boolean } = {},
): number {
  if (bareMs && /^[1-9]\d{0,14}$/.test(text)) return Number(text)
  const ms = durationMs(text.replace(/^(\d+)min$/, '$1m'))
  if (ms !== undefined && ms > 0) return ms
  const meant = meantDuration(text)
  const hint = meant === undefined ? {} : { hint: `write ${meant}` }
  return fail('USAGE', `${option} takes a time such as ${DURATION_EXAMPLES}, not '${text}'`, hint)
}
