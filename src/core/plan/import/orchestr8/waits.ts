/**
 * What a step of orchestr8 reads without depending on it. There a step starts after all steps of the levels before its own,
 * so it may read them, and whether they failed; in a plan it waits for them, and is not skipped with them.
 */
import { appendAll } from '../../../collections/append-all.ts'
import type { Flow, FlowStep } from './flow.ts'

/** Of what was read: the steps to wait for. What is no earlier level is left to the plan, which refuses it. */
export function waitsOf(flow: Flow, step: FlowStep, read: ReadonlySet<string>): readonly string[] {
  const before = ancestorsOf(flow, step)
  const levels = levelsOf(flow)
  const own = levels.get(step.id) ?? 0
  return [...read].filter((id) => id !== step.id && !before.has(id) && (levels.get(id) ?? own) < own)
}

function ancestorsOf({ steps }: Flow, step: FlowStep): ReadonlySet<string> {
  const byId = new Map(steps.map((one) => [one.id, one]))
  const found = new Set<string>()
  const open = [...step.dependsOn]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    appendAll(open, byId.get(id)?.dependsOn ?? [])
  }
  return found
}

/** A step in a circle, or after one, has none. */
function levelsOf({ steps }: Flow): ReadonlyMap<string, number> {
  const levels = new Map<string, number>()
  for (let open = [...steps], level = 0; open.length > 0; level += 1) {
    const ready = open.filter(({ dependsOn }) => dependsOn.every((id) => levels.has(id)))
    if (ready.length === 0) return levels
    for (const { id } of ready) levels.set(id, level)
    open = open.filter(({ id }) => !levels.has(id))
  }
  return levels
}
