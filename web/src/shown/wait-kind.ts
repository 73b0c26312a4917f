/** Steps that do nothing but wait, by what the plan says of them: the log calls them running, and nobody at work does. */
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'

/** What an attempt that only waits is waiting for. */
export type WaitKind = 'person' | 'time' | 'run' | undefined

export function waitKind(graph: PlanGraph | undefined, slot: string): WaitKind {
  const stepId = slot.replace(/\[.*$/, '')
  const kind = graph?.kinds[graph.indexOf.get(stepId) ?? -1]
  if (kind === 'manual') return 'person'
  if (kind === 'wait') return 'time'
  return kind === 'plan' ? 'run' : undefined
}
