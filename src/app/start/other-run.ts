/**
 * How a fork differs from its old run before anything has happened: its plan, its input as the plan completes it, and the child
 * plans that names lead to now. From these alone follows which results it may take over.
 */
import type { ChildPlan } from '../../core/plan/compile/child-plans.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { StepChange } from '../../core/run/fork/standing.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { runInput } from '../loaded/run-outputs.ts'
import { admitPlan, loadBlocks, type PlanKeeping, type PlanToStart } from '../plans/admit.ts'
import type { PlanShelf } from '../plans/load.ts'
import type { Services } from '../services.ts'
import { changedSteps, otherFields } from '../taken/changed-steps.ts'
import { checkInput } from './check-start.ts'

export interface OtherRun {
  readonly input: unknown
  /** Undefined where the input is that of the old run; nothing named where the whole of it is another. */
  readonly inputChanges: readonly string[] | undefined
  readonly changed: ReadonlyMap<string, StepChange>
  readonly blockOf: (sha256: string) => Plan | undefined
}

export async function otherRun(
  { store }: Services,
  plans: PlanShelf,
  old: LoadedRun,
  { plan, input }: { readonly plan: PlanToStart; readonly input?: unknown },
): Promise<OtherRun> {
  const before = await runInput(store, old)
  const isSamePlan = plan.sha256 === old.plan.sha256
  const after = isSamePlan && input === undefined ? before : checkInput(plan.plan, input === undefined ? before : input)
  const fields = otherFields(before, after)
  const isSameInput = fields !== 'all' && fields.size === 0
  if (isSamePlan && isSameInput)
    return { input: before, inputChanges: undefined, changed: new Map(), blockOf: () => undefined }
  const { tenantId } = old.identity
  const known = new Map<string, Plan>(loadBlocks(plans, plan.blocks ?? []).map((block) => [block.sha256, block.plan]))
  const planOf = async (sha256: string): Promise<Plan | undefined> => {
    const found = known.get(sha256) ?? (await plans.find(tenantId, sha256))?.plan
    if (found !== undefined) known.set(sha256, found)
    return found
  }
  const children = isSamePlan ? old.state.children : await childrenNow({ store, plans }, tenantId, plan)
  const pinned = { plan: old.plan.plan, input: before, children: old.state.children }
  const changed = await changedSteps(pinned, { plan: plan.plan, input: after, children }, planOf)
  return {
    input: after,
    inputChanges: isSameInput ? undefined : fields === 'all' ? [] : [...fields],
    changed,
    blockOf: (sha256) => known.get(sha256),
  }
}

/** Where one is not there the start is refused; until then its step counts as changed. */
async function childrenNow(place: PlanKeeping, tenantId: string, plan: PlanToStart): Promise<readonly ChildPlan[]> {
  try {
    return (await admitPlan(place, plan, { tenantId, undoes: false })).children ?? []
  } catch (thrown) {
    if (thrown instanceof KeelsonError && thrown.code === 'PLAN_NOT_FOUND') return []
    throw thrown
  }
}
