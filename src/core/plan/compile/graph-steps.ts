/** A plan as the list of its steps, each with its layer and what it waits for: for drawings and scripts. */
import type { Plan } from '../plan.ts'
import { compileGraph } from './graph.ts'
import { layersOf } from './layers.ts'

export interface GraphStep {
  readonly stepId: string
  readonly kind: string
  /** From 1. */
  readonly layer: number
  readonly after: readonly string[]
}

export function graphSteps(plan: Plan): readonly GraphStep[] {
  const graph = compileGraph(plan)
  const layers = layersOf(graph)
  return graph.steps.map(({ stepId }, index) => ({
    stepId,
    kind: graph.kinds[index] ?? '',
    layer: (layers[index] ?? 0) + 1,
    after: (graph.dependencies[index] ?? []).map((one) => graph.stepIds[one] ?? ''),
  }))
}
