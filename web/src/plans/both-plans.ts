/**
 * Two versions of a plan as one drawing: the steps of the newer one, and those that are gone in their old places. An edge of a step
 * that is gone is left out where it would lead in a circle: what was before something once may be after it now.
 */
import type { Plan, Step } from '../../../src/core/plan/plan.ts'
import { compileGraph, type PlanGraph } from '../../../src/core/plan/compile/graph.ts'

export function bothPlans(before: Plan, after: Plan): PlanGraph {
  const kept = new Set(after.steps.map(({ stepId }) => stepId))
  const gone = before.steps.filter(({ stepId }) => !kept.has(stepId))
  const needs = new Map(Object.entries(needsOf(after)))
  const old = new Map(Object.entries(needsOf(before)))
  const isGone = new Set(gone.map(({ stepId }) => stepId))
  for (const stepId of isGone) needs.set(stepId, [])
  for (const [to, those] of old)
    for (const from of those) {
      if ((!isGone.has(to) && !isGone.has(from)) || !needs.has(to) || !needs.has(from)) continue
      if (!leadsTo(needs, to, from)) needs.set(to, [...(needs.get(to) ?? []), from])
    }
  const steps = [...after.steps, ...gone].map((step, at): Step => ({
    ...step,
    order: at + 1,
    dependsOn: needs.get(step.stepId) ?? [],
  }))
  return compileGraph({ ...after, steps })
}

/** By step: what it waits for, also where the plan only has an order. */
function needsOf(plan: Plan): Readonly<Record<string, readonly string[]>> {
  const { stepIds, dependencies } = compileGraph(plan)
  return Object.fromEntries(
    stepIds.map((stepId, at) => [stepId, (dependencies[at] ?? []).map((one) => stepIds[one] ?? '')]),
  )
}

/** Whether `to` has to wait for `from`, directly or through others. */
function leadsTo(needs: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set<string>()
  const open = [to]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === from) return true
    if (seen.has(at)) continue
    seen.add(at)
    open.push(...(needs.get(at) ?? []))
  }
  return false
}
