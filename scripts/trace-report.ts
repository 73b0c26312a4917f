/** From a test report to what it proves: per area the covered, missing and deferred ids, and the defects of titles. */
import { areaOf, idsOfTitle, knownIds, type AreaIds } from './requirement-ids.ts'
import type { TestReport } from './test-report.ts'
import type { WaitsFor } from './waiting-proofs.ts'

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

/**
 * An id is covered when a passing test names it and no failing one does; one that is named only where no door leads to yet is deferred.
 * One that is neither is missing, which is a defect.
 */
export function traceReport(
  report: Pick<TestReport, 'outcomes'>,
  ids: AreaIds,
  byHand: Deferred,
  waitsFor: WaitsFor = () => undefined,
): Trace {
  const known = knownIds(ids)
  const proven = new Set<string>()
  const broken = new Set<string>()
  const waiting = new Map<string, string>()
  const all = new Set<string>()
  const errors: string[] = []
  for (const { title, status, path } of report.outcomes) {
    const named = idsOfTitle(title, known)
    for (const id of named.unknown) errors.push(`unknown id ${id} in the title “${title}”`)
    for (const id of named.ids) all.add(id)
    const door = waitsFor(path, title)
    if (status === 'passed')
      for (const id of named.ids)
        if (door === undefined) proven.add(id)
        else waiting.set(id, door)
    if (status === 'failed') for (const id of named.ids) broken.add(id)
  }
  for (const id of broken) proven.delete(id)
  const computed = [...waiting].filter(([id]) => !proven.has(id) && !broken.has(id))
  const deferred = { ...Object.fromEntries(computed), ...byHand }
  for (const id of Object.keys(byHand)) {
    if (!known.has(id)) errors.push(`unknown id ${id} in test/trace/deferred.json`)
    else if (proven.has(id) || waiting.has(id)) errors.push(`${id} is deferred and yet a passing test names it`)
  }
  const areas = Object.fromEntries(
    Object.entries(ids).map(([area, members]) => [area, traceArea(area, members, proven, deferred)]),
  )
  for (const { missing } of Object.values(areas))
    for (const id of missing)
      errors.push(`${id} is proved by no passing test, and test/trace/deferred.json does not say what it waits for`)
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
