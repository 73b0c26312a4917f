/** The query of a list as the store takes it. */
import type { QueryOf } from '../../../core/api/contract.ts'
import type { listExecutions } from '../../../core/api/executions.ts'
import { readRunFilter } from '../../../core/filter/run-filter.ts'
import { fail } from '../../../core/problems/problem.ts'
import { msFromIso } from '../../../core/time.ts'
import type { ListFilter } from '../../../ports/run-store.ts'

/** Also where an operation on many runs says for which. */
type Query = Pick<
  QueryOf<typeof listExecutions>,
  'status' | 'planId' | 'createdFrom' | 'createdTo' | 'originalExecutionId' | 'errorCode' | 'triggeredBy' | 'label'
>

/** A filter as people type it; a field of its own beside it wins. */
export function typedFilter<T extends Query & { readonly filter?: string | undefined }>(query: T): T {
  if (query.filter === undefined) return query
  const { asked, words, unknown } = readRunFilter(query.filter)
  for (const { part, why } of unknown)
    fail('BODY_INVALID', `query: 'filter' has '${part}', which means nothing: ${why}`)
  for (const word of words) fail('BODY_INVALID', `query: 'filter' has '${word}' without a name, such as plan:${word}`)
  return { ...asked, ...query }
}

export function listFilter(query: Query, now: number): ListFilter {
  const { status, planId, createdFrom, createdTo, originalExecutionId, errorCode, triggeredBy } = query
  const labels = labelsOf(query)
  return {
    ...(status === undefined ? {} : { status }),
    ...(planId === undefined ? {} : { planId }),
    ...(createdFrom === undefined ? {} : { createdFrom: instantOf(createdFrom, 'createdFrom', now) }),
    ...(createdTo === undefined ? {} : { createdTo: instantOf(createdTo, 'createdTo', now) }),
    ...(originalExecutionId === undefined ? {} : { originalRunId: originalExecutionId }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(triggeredBy === undefined ? {} : { triggeredBy }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  }
}

/** An RFC 3339 instant, or how long ago: `24h`, `7d`. */
export function instantOf(text: string, name: string, now: number): number {
  const ago = /^(\d{1,6})(s|m|h|d)$/.exec(text)
  if (ago !== null) return now - Number(ago[1]) * UNIT[ago[2] as keyof typeof UNIT]
  return (
    msFromIso(text) ??
    fail('BODY_INVALID', `'${name}' must be an instant such as 2026-01-31T09:00:00Z, or an age such as 24h`)
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
