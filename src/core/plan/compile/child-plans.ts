/**
 * The plans of a run's `plan` steps. A plan is named by its id, by id and version, or by the hash of its bytes; the
 * first two are pinned when the run is admitted, so that nothing changes while it runs.
 */
import type { Payload } from '../../events/event.ts'
import type { Plan, PlanReference } from '../plan.ts'

export type ChildPlan = NonNullable<Payload<'RunStarted'>['children']>[number]

/** Each plan that some step of this one runs, once. */
export function childReferences({ steps }: Plan): readonly PlanReference[] {
  const found = new Map<string, PlanReference>()
  for (const step of steps) if ('plan' in step) found.set(JSON.stringify(step.plan), step.plan)
  return [...found.values()]
}

/** Whether a step starts the plan that was made of its own block: it has that derived name, and is pinned. */
export function isBlock(ref: PlanReference, { metadata }: Plan, stepId: string): boolean {
  const { planId, planVersion, sha256 } = ref
  return sha256 !== undefined && planVersion === metadata.planVersion && planId === `${metadata.planId}.${stepId}`
}

/** The hash a reference is pinned to: by the plan itself, or else by the record. */
export function pinnedHash(ref: PlanReference, recorded: readonly ChildPlan[]): string | undefined {
  if (ref.sha256 !== undefined) return ref.sha256
  return recorded.find(({ planId, planVersion }) => planId === ref.planId && planVersion === ref.planVersion)?.sha256
}

/** `order`, or `order@1.4.0`. */
export function planName({ planId, planVersion }: Pick<PlanReference, 'planId' | 'planVersion'>): string {
  return planVersion === undefined ? planId : `${planId}@${planVersion}`
}

/** Why a plan does not match a reference; undefined when it does. */
export function mismatch(ref: PlanReference, { metadata, schemaVersion }: Plan): string | undefined {
  const actual = { planId: metadata.planId, planVersion: metadata.planVersion, schemaVersion }
  for (const [name, value] of Object.entries(actual)) {
    const asked = ref[name as keyof typeof actual]
    if (asked !== undefined && asked !== value) return `its ${name} is '${value}', not '${asked}'`
  }
  return undefined
}

/** Why these bytes are not the ones a reference means; undefined when they are. */
export function notMeant(
  ref: PlanReference,
  { plan, sha256 }: { readonly plan: Plan; readonly sha256: string },
): string | undefined {
  const isOther = ref.sha256 !== undefined && ref.sha256 !== sha256
  return isOther ? `its bytes have the hash ${sha256}, not ${ref.sha256}` : mismatch(ref, plan)
}
