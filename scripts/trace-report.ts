/** From a test report to what it proves: per area the covered, missing and deferred ids, and the defects of titles. */
import { areaOf, idsOfTitle, knownIds, type AreaIds } from './requirement-ids.ts'
import type { TestReport } from './test-report.ts'

export type Deferred = Readonly<Record<string, string>>

export interface AreaTrace {
  readonly covered: number
  readonly total: number
  readonly missing: readonly string[]
  readonly deferred: Deferred
}

export interface Trace {
  readonly areas: Readonly<Record<string, AreaTrace>>
  /** Every id a test of the report names, whatever came of it. */
  readonly named: readonly string[]
  readonly errors: readonly string[]
}

/** An id is covered when a passing test names it and no failing one does. */
export function traceReport(report: Pick<TestReport, 'outcomes'>, ids: AreaIds, deferred: Deferred): Trace {
  const known = knownIds(ids)
  const proven = new Set<string>()
  const broken = new Set<string>()
  const all = new Set<string>()
  const errors: string[] = []
  for (const { title, status } of report.outcomes) {
    const named = idsOfTitle(title, known)
    for (const id of named.unknown) errors.push(`unknown id ${id} in the title “${title}”`)
    for (const id of named.ids) all.add(id)
    if (status === 'passed') for (const id of named.ids) proven.add(id)
    if (status === 'failed') for (const id of named.ids) broken.add(id)
  }
  for (const id of broken) proven.delete(id)
  for (const id of Object.keys(deferred)) {
    if (!known.has(id)) errors.push(`unknown id ${id} in test/trace/deferred.json`)
    else if (proven.has(id)) errors.push(`${id} is deferred and yet a passing test names it`)
  }
  const areas = Object.fromEntries(
    Object.entries(ids).map(([area, members]) => [area, traceArea(area, members, proven, deferred)]),
  )
  return { areas, named: [...all].sort(), errors: [...new Set(errors)] }
}

function traceArea(area: string, ids: readonly string[], proven: ReadonlySet<string>, deferred: Deferred): AreaTrace {
  return {
    covered: ids.filter((id) => proven.has(id)).length,
    total: ids.length,
    missing: ids.filter((id) => !proven.has(id) && !Object.hasOwn(deferred, id)),
    deferred: Object.fromEntries(Object.entries(deferred).filter(([id]) => areaOf(id) === area)),
  }
}
