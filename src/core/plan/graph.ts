/**
 * A plan compiled for running: steps by rank (`order`, then `stepId` by code point), edges as integers.
 * A plan without `dependsOn` anywhere is a sequence: its edges carry order only (X-60, P-46).
 */
import { actionKind, type ActionKind, type Plan, type Step } from './plan.ts'
import { stepWants, type Wants } from './wants.ts'

/** What the fold asks of a step on every event, one bit each, so that it need not touch the step itself. */
export const TRAIT = {
  /** It only waits: a wait or a manual task. */
  parked: 1,
  /** It is a forEach parent. */
  fan: 2,
  /** Its start may need facts first. */
  needs: 4,
  /** Its success can be undone by a hook. */
  undone: 8,
  /** Its success has an effect outside. */
  effect: 16,
  /** Its success is undone by a run of its own, which undoes what the child run has finished. */
  childUndone: 32,
} as const

export interface PlanGraph {
  readonly plan: Plan
  /** Steps in dispatch order; a step's position here is its index everywhere in the core. */
  readonly steps: readonly Step[]
  readonly kinds: readonly ActionKind[]
  /** By step: bits of TRAIT. */
  readonly traits: readonly number[]
  readonly stepIds: readonly string[]
  readonly timeoutMs: readonly number[]
  readonly indexOf: ReadonlyMap<string, number>
  readonly dependencies: readonly (readonly number[])[]
  readonly dependencyCount: readonly number[]
  readonly dependents: readonly (readonly number[])[]
  /** The same in one piece: the dependents of step i lie from `dependentsFrom[i]` to `dependentsFrom[i + 1]`. */
  readonly dependentsFlat: readonly number[]
  readonly dependentsFrom: readonly number[]
  /** Unit index of a plain step's fallback, after all steps; -1 where there is none (core/run/units.ts). */
  readonly fallbackIndex: readonly number[]
  /** By step: units of pools its attempts claim, and its fallback's; undefined where none do. */
  readonly wants: readonly (Wants | undefined)[]
  /** False for a plan no step of which claims anything: then nothing is asked about grants anywhere. */
  readonly anyWants: boolean
  /** Order only: a failed predecessor does not block its successor under `continue`. */
  readonly sequential: boolean
}

/** Dispatch order of two steps (GRF-06): code points, never a locale. */
export function compareSteps(a: { order: number; stepId: string }, b: { order: number; stepId: string }): number {
  if (a.order !== b.order) return a.order - b.order
  return compareCodePoints(a.stepId, b.stepId)
}

export function compareCodePoints(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function compileGraph(plan: Plan): PlanGraph {
  const steps = [...plan.steps].sort(compareSteps)
  const indexOf = new Map(steps.map((step, index) => [step.stepId, index]))
  const sequential = steps.every((step) => step.dependsOn === undefined)
  const dependencies = steps.map((step, index) => {
    if (sequential) return index === 0 ? [] : [index - 1]
    return (step.dependsOn ?? []).flatMap((id) => indexOf.get(id) ?? [])
  })
  const dependents: number[][] = steps.map(() => [])
  dependencies.forEach((needed, index) => {
    for (const dependency of needed) dependents[dependency]?.push(index)
  })
  let nextUnit = steps.length
  const fallbackIndex = steps.map((step) =>
    step.fallback === undefined || step.forEach !== undefined ? -1 : nextUnit++,
  )
  const kinds = steps.map(actionKind)
  const traits = steps.map(traitsOf)
  const dependencyCount = dependencies.map((needed) => needed.length)
  const wants = steps.map(stepWants)
  let end = 0
  const dependentsFrom = [0, ...dependents.map((those) => (end += those.length))]
  return {
    plan,
    steps,
    kinds,
    traits,
    stepIds: steps.map((step) => step.stepId),
    timeoutMs: steps.map((step) => step.timeoutMs),
    indexOf,
    dependencies,
    dependencyCount,
    dependents,
    dependentsFlat: dependents.flat(),
    dependentsFrom,
    fallbackIndex,
    wants,
    anyWants: wants.some((one) => one !== undefined),
    sequential,
  }
}

function traitsOf(step: Step): number {
  const kind = actionKind(step)
  const conditional = step.if !== undefined || step.unless !== undefined
  return (
    (kind === 'wait' || kind === 'manual' ? TRAIT.parked : 0) |
    (step.forEach === undefined ? 0 : TRAIT.fan) |
    (conditional || step.forEach !== undefined || kind === 'wait' || kind === 'manual' ? TRAIT.needs : 0) |
    (step.compensate === undefined ? 0 : TRAIT.undone) |
    (step.effect === 'none' ? 0 : TRAIT.effect) |
    (kind === 'plan' && step.effect === 'compensatable' && step.compensate === undefined ? TRAIT.childUndone : 0)
  )
}
