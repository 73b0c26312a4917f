/** The layers of a plan: what has no layer before it is in the first; steps of one layer may run in parallel. */
import type { PlanGraph } from './graph.ts'

/** By step: the minimum number of steps before it; steps of one layer may run in parallel. */
export function layersOf({ steps, dependents, dependencyCount }: PlanGraph): readonly number[] {
  const layers: number[] = steps.map(() => 0)
  const missing = [...dependencyCount]
  const ready = steps.flatMap((_step, index) => (missing[index] === 0 ? [index] : []))
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    for (const next of dependents[at] ?? []) {
      layers[next] = Math.max(layers[next] ?? 0, (layers[at] ?? 0) + 1)
      missing[next] = (missing[next] ?? 0) - 1
      if (missing[next] === 0) ready.push(next)
    }
  }
  return layers
}
