/**
 * Every field of milliseconds has a twin that takes text: `timeoutMs: 30000` is `timeout: 30s`. Both compile to the
 * field of milliseconds, so the plan and its hash are the same; both at once are refused.
 */
import { DURATION_EXAMPLES, DURATION_PATTERN, durationMs, durationText, meantDuration } from '../../duration.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import { refuse } from '../read/reading.ts'
import { describe, mustBe, type Kind } from './kind.ts'

/** From the name of a twin to its field; only fields of milliseconds have one. */
export function durationTwins(
  fields: Readonly<Record<string, { readonly kind: Kind<unknown> }>>,
): ReadonlyMap<string, string> {
  const named = Object.entries(fields).filter(([, { kind }]) => kind.leastMs !== undefined)
  return new Map(named.map(([name]) => [name.replace(/Ms$/, ''), name]))
}

/** The kind of a twin, for a field of at least so many milliseconds. */
export function durationKind(leastMs: number): Kind<number> {
  const most = PLAN_LIMITS.durationMsMax
  const kind: Kind<number> = {
    what: `a duration such as ${DURATION_EXAMPLES}`,
    schema: { type: 'string', pattern: DURATION_PATTERN },
    read: (value, place, reading) => {
      const ms = typeof value === 'string' ? durationMs(value) : undefined
      if (ms !== undefined && ms >= leastMs && ms <= most) return ms
      const name = String(place?.key ?? '')
      if (ms !== undefined) {
        const bound = ms > most ? `at most ${durationText(most)}` : `at least ${durationText(leastMs)}`
        refuse(reading, reading.codes.invalid, place, `'${name}' must be ${bound}, not ${describe(value)}`)
        return undefined
      }
      const hint = durationHint(value, name)
      return mustBe(kind, value, place, reading, hint === undefined ? {} : { hint })
    },
  }
  return kind
}

function durationHint(value: unknown, name: string): string | undefined {
  if (typeof value === 'number') return `a number needs its unit: ${value}s, or ${name}Ms: ${value} for milliseconds`
  if (typeof value !== 'string') return undefined
  if (value.includes('${')) return `a computed time is given in milliseconds, where the field takes one: ${name}Ms`
  const meant = meantDuration(value)
  return meant === undefined ? undefined : `write ${meant}`
}
