/**
 * A plan compiled for running: steps by rank (`order`, then `stepId` by code point), edges as integers.
 * A plan without `dependsOn` anywhere is a sequence: its edges carry order only (X-60, P-46).
 */
import { appendAll } from '../../collections/append-all.ts'
import { actionKind, eventOf, type ActionKind, type Plan, type SkipPolicy, type Step } from '../plan.ts'
import { stepWants, type Wants } from './wants.ts'

/** What the fold asks of a step on every event, one bit each, so that it need not read the step itself. */
export const TRAIT = {
  /** It only waits: a wait or a manual task. */
  parked: 1,
  /** It is a forEach parent. */
  fan: 2,
  /** Facts may be needed before its start. */
  needs: 4,
  /** A compensation can undo its success. */
  undone: 8,
  /** Its success has an outside effect. */
  effect: 16,
  /** A separate run undoes its success: it undoes what the child run has finished. */
  childUndone: 32,
  /** It is irreversible and follows a manual step: an approval releases it (core/run/people/approvals.ts). */
  released: 64,
  /** It is skipped when a predecessor was skipped by its condition. */
  cascades: 128,
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
  /** The same in one list: the dependents of step i are from `dependentsFrom[i]` to `dependentsFrom[i + 1]`. */
  readonly dependentsFlat: readonly number[]
  readonly dependentsFrom: readonly number[]
  /** Unit index of a plain step's fallback, after all steps; -1 where there is none (core/run/state/units.ts). */
  readonly fallbackIndex: readonly number[]
  /** By step: how many items of a forEach may be at work at once, where it has a limit of its own; else infinite. */
  readonly itemLimits: readonly number[]
  /** By step: units of pools that its attempts claim, and its fallback's; undefined where none do. */
  readonly wants: readonly (Wants | undefined)[]
  /** False for a plan whose steps claim nothing: then grants are never asked about. */
  readonly anyWants: boolean
  /** False for a plan without plan steps: then no plan is looked up at its start. */
  readonly anyChildren: boolean
  /** False for a plan without waits for events: then its drafts are not searched for them. */
  readonly anyEvents: boolean
  /** Order only: under `continue` a failed predecessor does not block its successor. */
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
  const afterPeople = descendants(dependents, (index) => kinds[index] === 'manual')
  const traits = steps.map((step, index) => {
    const isReleased = step.effect === 'irreversible' && afterPeople.has(index)
    return traitsOf(step, plan.policy.onSkip) | (isReleased ? TRAIT.released : 0)
  })
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
    itemLimits: steps.map(({ forEach }) => (typeof forEach === 'object' ? forEach.concurrency : Infinity)),
    wants,
    anyWants: wants.some((one) => one !== undefined),
    anyChildren: kinds.includes('plan'),
    anyEvents: steps.some((step) => eventOf(step) !== undefined),
    sequential,
  }
}

/** All steps that follow one of these, directly or through others. */
function descendants(
  dependents: readonly (readonly number[])[],
  isOne: (index: number) => boolean,
): ReadonlySet<number> {
  const found = new Set<number>()
  const open = dependents.flatMap((those, index) => (isOne(index) ? those : []))
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue
    found.add(at)
    appendAll(open, dependents[at] ?? [])
  }
  return found
}

function traitsOf(step: Step, onSkip: SkipPolicy = 'satisfy'): number {
  const kind = actionKind(step)
  const conditional = step.if !== undefined || step.unless !== undefined
  const cascades = (step.onSkip ?? onSkip) === 'cascade'
  return (
    (kind === 'wait' || kind === 'manual' ? TRAIT.parked : 0) |
    (step.forEach === undefined ? 0 : TRAIT.fan) |
    (conditional || cascades || step.forEach !== undefined || kind === 'wait' || kind === 'manual' ? TRAIT.needs : 0) |
    (cascades ? TRAIT.cascades : 0) |
    (step.compensate === undefined ? 0 : TRAIT.undone) |
    (step.effect === 'none' ? 0 : TRAIT.effect) |
    (kind === 'plan' && step.effect === 'compensatable' && step.compensate === undefined ? TRAIT.childUndone : 0)
  )
}
