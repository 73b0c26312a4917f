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
  readonly errors: readonly string[]
}

/** An id is covered when a passing test names it and no failing one does. */
export function traceReport(report: Pick<TestReport, 'outcomes'>, ids: AreaIds, deferred: Deferred): Trace {
  const known = knownIds(ids)
  const proven = new Set<string>()
  const broken = new Set<string>()
  const errors: string[] = []
  for (const { title, status } of report.outcomes) {
    const named = idsOfTitle(title, known)
    for (const id of named.unknown) errors.push(`unknown id ${id} in the title “${title}”`)
    if (status === 'passed') for (const id of named.ids) proven.add(id)
    if (status === 'failed') for (const id of named.ids) broken.add(id)
  }
  for (const id of broken) proven.delete(id)
  for (const id of Object.keys(deferred)) {
    if (!known.has(id)) errors.push(`unknown id ${id} in test/trace/deferred.json`)
    else if (proven.has(id)) errors.push(`${id} is deferred and yet a passing test names it`)
  }
  const areas = Object.fromEntries(
    Object.entries(ids).map(([area, all]) => [area, traceArea(area, all, proven, deferred)]),
  )
  return { areas, errors: [...new Set(errors)] }
}

function traceArea(area: string, all: readonly string[], proven: ReadonlySet<string>, deferred: Deferred): AreaTrace {
  return {
    covered: all.filter((id) => proven.has(id)).length,
    total: all.length,
    missing: all.filter((id) => !proven.has(id) && !Object.hasOwn(deferred, id)),
    deferred: Object.fromEntries(Object.entries(deferred).filter(([id]) => areaOf(id) === area)),
  }
}
