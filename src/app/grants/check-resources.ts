/** Admission: resources that a plan wants must be declared here and large enough, or nothing starts (RES-06). */
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import { resourcePool } from '../../core/plan/compile/wants.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import type { GrantStore } from '../../ports/grants.ts'

export async function checkResources(store: GrantStore, graph: PlanGraph): Promise<void> {
  if (!graph.steps.some((step) => step.resources !== undefined)) return
  const asked = graph.steps.flatMap(({ resources }) => Object.keys(resources ?? {}).map(resourcePool))
  const capacities = new Map((await store.listPools(asked)).map(({ pool, capacity }) => [pool, capacity]))
  const problems = graph.steps.flatMap(({ stepId, resources }) =>
    Object.entries(resources ?? {}).flatMap(([name, amount]) => refusal(stepId, name, amount, capacities)),
  )
  const [first, ...rest] = problems
  if (first !== undefined) throw new KeelsonError([first, ...rest])
}

function refusal(stepId: string, name: string, amount: number, capacities: ReadonlyMap<string, number>): Problem[] {
  const capacity = capacities.get(resourcePool(name))
  if (capacity === undefined)
    return [problem('RESOURCE_UNKNOWN', `step '${stepId}' wants the resource '${name}', which is not declared`)]
  if (amount <= capacity) return []
  return [
    problem('RESOURCE_EXCEEDED', `step '${stepId}' wants ${amount} of '${name}', but there are ${capacity} in all`),
  ]
}
