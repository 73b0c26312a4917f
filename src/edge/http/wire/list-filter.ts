/** The query of a list as the store takes it. */
import type { QueryOf } from '../../../core/api/contract.ts'
import type { listExecutions } from '../../../core/api/executions.ts'
import { fail } from '../../../core/problems/problem.ts'
import { msFromIso } from '../../../core/time.ts'
import type { ListFilter } from '../../../ports/run-store.ts'

/** Also where an operation on many runs says for which. */
type Query = Pick<
  QueryOf<typeof listExecutions>,
  'status' | 'planId' | 'createdFrom' | 'createdTo' | 'originalExecutionId' | 'label'
>

export function listFilter(query: Query, now: number): ListFilter {
  const { status, planId, createdFrom, createdTo, originalExecutionId } = query
  const labels = labelsOf(query)
  return {
    ...(status === undefined ? {} : { status }),
    ...(planId === undefined ? {} : { planId }),
    ...(createdFrom === undefined ? {} : { createdFrom: instantOf(createdFrom, 'createdFrom', now) }),
    ...(createdTo === undefined ? {} : { createdTo: instantOf(createdTo, 'createdTo', now) }),
    ...(originalExecutionId === undefined ? {} : { originalRunId: originalExecutionId }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  }
}

/** An RFC 3339 instant, or how long ago: `24h`, `7d`. */
export function instantOf(text: string, name: string, now: number): number {
  const ago = /^(\d{1,6})(s|m|h|d)$/.exec(text)
  if (ago !== null) return now - Number(ago[1]) * UNIT[ago[2] as keyof typeof UNIT]
  return (
    msFromIso(text) ?? fail('BODY_INVALID', `query: '${name}' must be an instant such as 2026-01-31T09:00:00Z, or 24h`)
  )
}

const UNIT = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function labelsOf({ label = [] }: Query): Readonly<Record<string, string>> {
  return Object.fromEntries(
    label.map((text) => {
      const at = text.indexOf('=')
      return at < 1
        ? fail('BODY_INVALID', `query: a label is name=value, not '${text}'`)
        : [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}
