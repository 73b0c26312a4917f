/**
 * Finds the plan for a name within one tenant: by its hash if it is pinned, otherwise the one that was published last. A pin is
 * followed or refused. The bytes of the plan must contain the name by which it was found (PLN-05, PLN-12).
 */
import { childReferences, mismatch, pinnedHash, planName, type ChildPlan } from '../../core/plan/compile/child-plans.ts'
import { LIMITS } from '../../core/limits.ts'
import { uriFault } from '../../core/plan/format/plan-uri.ts'
import type { Plan, PlanReference } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import type { PlanStore } from '../../ports/plan-store.ts'
import type { LoadedPlan, PlanShelf } from './load.ts'

export interface PlanPlace {
  readonly store: Pick<PlanStore, 'findPlan'>
  readonly plans: PlanShelf
  readonly tenantId: string
  /** Plans that came with the one that is started, by hash: not stored yet. */
  readonly beside?: ReadonlyMap<string, LoadedPlan>
}

/** `runBy`: the plan of which it is a child. */
export async function resolvePlan(
  place: PlanPlace,
  ref: PlanReference,
  recorded: readonly ChildPlan[] = [],
  runBy?: LoadedPlan,
): Promise<LoadedPlan> {
  const fault = uriFault(ref)
  const told = planName(ref) + (runBy === undefined ? '' : `, which ${planName(runBy.plan.metadata)} runs as a child,`)
  if (fault !== undefined) fail(fault.code, `the plan ${told} cannot be determined: ${fault.message}`)
  const hash = pinnedHash(ref, recorded) ?? (await place.store.findPlan(place.tenantId, ref.planId, ref.planVersion))
  const found =
    hash === undefined ? undefined : (place.beside?.get(hash) ?? (await place.plans.find(place.tenantId, hash)))
  if (found === undefined) return missing(place, ref, told)
  const wrong = mismatch(ref, found.plan)
  if (wrong !== undefined)
    fail('PLAN_INTEGRITY_VALIDATION_FAILED', `the plan ${told} has the hash ${found.sha256}, but ${wrong}`, {
      details: { expectedSha256: found.sha256, planId: ref.planId },
    })
  return found
}

/** Says whether the pinned name leads to other bytes, or to no plan at all. */
async function missing(place: PlanPlace, ref: PlanReference, told: string): Promise<never> {
  const { planId, planVersion, sha256: expectedSha256 } = ref
  const actualSha256 = await place.store.findPlan(place.tenantId, planId, planVersion)
  if (expectedSha256 === undefined || actualSha256 === undefined)
    return fail('PLAN_NOT_FOUND', `no plan ${told} is published here`)
  return fail(
    'PLAN_INTEGRITY_VALIDATION_FAILED',
    `the plan ${told} is pinned to ${expectedSha256}, but what is published has the hash ${actualSha256}`,
    { details: { expectedSha256, actualSha256, planId } },
  )
}

/**
 * What the names of all plans that this one can start mean now, or meant at the time of `recorded`. A plan that is missing, or
 * does not match its pin, is reported before anything is written. A plan that starts itself need not be published for that.
 */
export async function resolveChildren(
  place: PlanPlace,
  root: LoadedPlan,
  recorded: readonly ChildPlan[] | null,
  /** Called once for each of them. */
  look: (child: Plan) => void = () => undefined,
): Promise<readonly ChildPlan[]> {
  const found: ChildPlan[] = []
  const seen = new Set([root.sha256])
  const open = [root]
  for (let runBy = open.pop(); runBy !== undefined; runBy = open.pop()) {
    for (const ref of childReferences(runBy.plan)) {
      const known = [...(recorded ?? []), ...found]
      const child = (await itself(place, root, ref, known)) ?? (await resolvePlan(place, ref, known, runBy))
      if (ref.sha256 === undefined && pinnedHash(ref, found) === undefined)
        found.push({ planId: ref.planId, ...versionOf(ref), sha256: child.sha256 })
      if (seen.has(child.sha256)) continue
      seen.add(child.sha256)
      open.push(child)
      look(child.plan)
      if (Math.max(seen.size, found.length) > LIMITS.childPlans)
        fail('PLAN_TOO_LARGE', `${planName(root.plan.metadata)} can reach more than ${LIMITS.childPlans} child plans`)
    }
  }
  return found.sort((a, b) => (planName(a) < planName(b) ? -1 : 1))
}

async function itself(
  { store, tenantId }: PlanPlace,
  root: LoadedPlan,
  ref: PlanReference,
  known: readonly ChildPlan[],
): Promise<LoadedPlan | undefined> {
  if (mismatch(ref, root.plan) !== undefined) return undefined
  const pinned = pinnedHash(ref, known)
  if (pinned !== undefined) return pinned === root.sha256 ? root : undefined
  return (await store.findPlan(tenantId, ref.planId, ref.planVersion)) === undefined ? root : undefined
}

function versionOf({ planVersion }: PlanReference): { readonly planVersion?: string } {
  return planVersion === undefined ? {} : { planVersion }
}
