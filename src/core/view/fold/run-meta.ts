/**
 * What a view knows of a run before its first event: the ids of its steps and the edges between them, from run metadata
 * (SSM-22, PRJ-27). Without edges causal detection is off; without step ids, steps appear when events name them.
 */
import type { FailurePolicy } from '../../plan/plan.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'

export interface RunMeta {
  readonly runId: string
  /** In the order people see them. */
  readonly stepIds: readonly string[]
  /** [predecessor, successor]. */
  readonly edges?: readonly (readonly [string, string])[]
  readonly onFailure?: FailurePolicy
  /** Names the engine in a substatus before RunStarted does. */
  readonly engineType?: string
}

export function runMetaOf(runId: string, graph: PlanGraph, engineType?: string): RunMeta {
  const id = (index: number): string => graph.steps[index]?.stepId ?? ''
  return {
    runId,
    stepIds: graph.steps.map((step) => step.stepId),
    edges: graph.dependencies.flatMap((needed, index) => needed.map((from) => [id(from), id(index)] as const)),
    onFailure: graph.plan.policy.onFailure,
    ...(engineType === undefined ? {} : { engineType }),
  }
}
