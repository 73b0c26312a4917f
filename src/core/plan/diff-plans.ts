/**
 * What changed between two plans: steps added, removed, or changed field by field, and what changed around them. A step
 * keeps its identity by its id; its position counts only where steps that both plans have changed places.
 */
import type { Plan, Step } from './plan.ts'

export interface FieldChange {
  /** Dotted path, such as `retry.maxAttempts`. */
  readonly path: string
  /** Absent where the field was not there. */
  readonly from?: unknown
  /** Absent where the field is gone. */
  readonly to?: unknown
}

export interface PlanDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly { readonly stepId: string; readonly fields: readonly FieldChange[] }[]
  /** Outside the steps: version, inputs, policy, output. */
  readonly plan: readonly FieldChange[]
}

export function diffPlans(before: Plan, after: Plan): PlanDiff {
  const { steps: oldSteps, ...oldRest } = before
  const { steps: newSteps, ...newRest } = after
  const known = new Map(oldSteps.map((step) => [step.stepId, step]))
  const kept = new Set(newSteps.map(({ stepId }) => stepId))
  const oldRank = ranks(oldSteps, (stepId) => kept.has(stepId))
  const newRank = ranks(newSteps, (stepId) => known.has(stepId))
  const changed = newSteps.flatMap((step) => {
    const old = known.get(step.stepId)
    if (old === undefined) return []
    const fields = diffValues(withoutOrder(old), withoutOrder(step), '')
    const from = oldRank.get(step.stepId)
    const to = newRank.get(step.stepId)
    const all = from === to ? fields : [...fields, { path: 'order', from, to }]
    return all.length === 0 ? [] : [{ stepId: step.stepId, fields: all }]
  })
  return {
    added: newSteps.flatMap(({ stepId }) => (known.has(stepId) ? [] : [stepId])),
    removed: oldSteps.flatMap(({ stepId }) => (kept.has(stepId) ? [] : [stepId])),
    changed,
    plan: diffValues(oldRest, newRest, ''),
  }
}

export function isEmptyDiff({ added, removed, changed, plan }: PlanDiff): boolean {
  return added.length + removed.length + changed.length + plan.length === 0
}

/** Places among the steps that both plans have, from 1. */
function ranks(steps: readonly Step[], isKept: (stepId: string) => boolean): ReadonlyMap<string, number> {
  const ordered = steps.filter(({ stepId }) => isKept(stepId)).sort((a, b) => a.order - b.order)
  return new Map(ordered.map(({ stepId }, index) => [stepId, index + 1]))
}

function withoutOrder({ order: _order, ...step }: Step): object {
  return step
}

/** Objects are compared field by field; anything else, lists too, as a whole. */
function diffValues(from: unknown, to: unknown, path: string): readonly FieldChange[] {
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    return names.flatMap((name) => diffValues(from[name], to[name], path === '' ? name : `${path}.${name}`))
  }
  if (isEqual(from, to)) return []
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => isEqual(one, b[at]))
  if (isObject(a) && isObject(b)) return diffValues(a, b, '').length === 0
  return a === b
}
