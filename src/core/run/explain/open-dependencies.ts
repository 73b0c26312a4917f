/** What a step that has not started still waits for among the steps of its plan. */
import { appendAll } from '../../collections/append-all.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { stepUnit } from '../state/units.ts'

export function isSettled(unit: Unit): boolean {
  return unit.status === 'SUCCESS' || unit.status === 'SKIPPED' || unit.recovered
}

/**
 * Steps that a step waits for. A step that was skipped early keeps its place: the steps that it would have waited for are waited
 * for.
 */
export function openDependencies(graph: PlanGraph, state: RunState, step: number): readonly number[] {
  const found = new Set<number>()
  const seen = new Set<number>()
  const look = [...(graph.dependencies[step] ?? [])]
  for (let at = look.shift(); at !== undefined; at = look.shift()) {
    if (seen.has(at)) continue
    seen.add(at)
    const other = stepUnit(state, at)
    const orderOnly = other.status === 'FAILED' && graph.sequential && graph.plan.policy.onFailure === 'continue'
    if (other.status === 'SKIPPED') appendAll(look, graph.dependencies[at] ?? [])
    else if (!isSettled(other) && !orderOnly) found.add(at)
  }
  return [...found]
}
