/**
 * The plan of a run that is about to start. Its bytes match their hash, every plan that it can start exists and is pinned, and
 * its tenant has no other plan under the same id and version. Storing a plan does not publish it.
 */
import type { ChildPlan } from '../../core/plan/compile/child-plans.ts'
import { compileGraph } from '../../core/plan/compile/graph.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { PlanSource } from '../../core/run/input.ts'
import { checkedStep } from '../../core/run/people/duties.ts'
import { fail } from '../../core/problems/problem.ts'
import type { PlanStore, PutPlan } from '../../ports/plan-store.ts'
import type { LoadedPlan, PlanShelf } from './load.ts'
import { resolveChildren } from './resolve.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface PlanToStart {
  readonly plan: Plan
  readonly sha256: string
  /** Canonical JSON; absent for a plan that was read from the store. */
  readonly text?: string
  /** The plans of the steps under `forEach`, brought with it. */
  readonly blocks?: readonly PlanText[]
  readonly source?: PlanSource
}

/** A plan's bytes, which are its identity. */
export interface PlanText {
  readonly text: string
  readonly sha256: string
}

export interface AdmittedPlan {
  readonly plan: LoadedPlan
  readonly children?: readonly ChildPlan[]
  /** The bytes, unless it is known that the tenant has stored them. */
  readonly unstored?: string
  /** The plans of its blocks, which are stored with it. */
  readonly blocks?: readonly LoadedBlock[]
  /** The bytes it was made of, where they are others. */
  readonly source?: PlanSource
  /** Why the plan's bytes cannot be trusted; then they are not stored. Undefined when they can. */
  readonly altered?: string
  /** The first step, in this plan or in one that it can start, whose rule asks who made the run. */
  readonly makersAskedBy?: string
}

export interface PlanAdmission {
  readonly tenantId: string
  /** The run starts no step of its own, so it needs no child plan. */
  readonly undoes: boolean
  /** What the run it comes from was pinned to; null or absent: what is published now. */
  readonly children?: readonly ChildPlan[] | null
}

export interface PlanKeeping {
  readonly store: PlanStore
  readonly plans: PlanShelf
}

export interface LoadedBlock extends LoadedPlan {
  readonly text: string
}

/** Writes nothing. */
export async function admitPlan(
  { store, plans }: PlanKeeping,
  { plan, text, sha256, blocks: brought = [], source }: PlanToStart,
  { tenantId, undoes, children = null }: PlanAdmission,
): Promise<AdmittedPlan> {
  const stored = text === undefined ? await plans.get(tenantId, sha256) : plans.known(tenantId, sha256)
  const unstored = stored === undefined ? text : undefined
  if (unstored !== undefined && sha256Hex(unstored) !== sha256) {
    const altered = `the plan was pinned to ${sha256}, but its bytes have the hash ${sha256Hex(unstored)}`
    return { plan: { plan, graph: compileGraph(plan), sha256 }, altered }
  }
  const loaded = stored ?? plans.compile(unstored ?? '', sha256)
  const needsNone = undoes || !loaded.graph.anyChildren
  let makersAskedBy = checkedStep(loaded.plan)
  const look = (child: Plan): void => void (makersAskedBy ??= checkedStep(child))
  const blocks = unstored === undefined ? [] : loadBlocks(plans, brought)
  const place = { store, plans, tenantId, beside: new Map(blocks.map((block) => [block.sha256, block])) }
  const pinned = needsNone ? undefined : await resolveChildren(place, loaded, children, look)
  return {
    plan: loaded,
    ...(pinned === undefined ? {} : { children: pinned }),
    ...(makersAskedBy === undefined ? {} : { makersAskedBy }),
    ...(unstored === undefined ? {} : { unstored }),
    ...(blocks.length === 0 ? {} : { blocks }),
    ...(source === undefined ? {} : { source }),
  }
}

/** A block whose bytes do not match their hash is not used: it is looked for in the store, like any other plan. */
export function loadBlocks(plans: PlanShelf, brought: readonly PlanText[]): readonly LoadedBlock[] {
  return brought.flatMap(({ text, sha256 }) =>
    sha256Hex(text) === sha256 ? [{ ...plans.compile(text, sha256), text }] : [],
  )
}

/** Refused where the tenant has other bytes under the same id and version. */
export async function keepPlan(
  { store, plans }: PlanKeeping,
  { tenantId, plan, unstored, blocks = [] }: PlanToKeep,
  how: PutPlan,
): Promise<void> {
  await putPlan(store, tenantId, plan, unstored ?? '', how)
  // A block is a part of its plan's source, and has none of its own.
  const { source: _ofPlan, ...ofBlock } = how
  for (const block of blocks) await putPlan(store, tenantId, block, block.text, ofBlock)
  // Only at this point it is known that nothing is missing.
  for (const { sha256 } of [...blocks, plan]) plans.noteStored(tenantId, sha256)
}

type PlanToKeep = Pick<AdmittedPlan, 'plan' | 'unstored' | 'blocks'> & { readonly tenantId: string }

async function putPlan(
  store: PlanStore,
  tenantId: string,
  plan: LoadedPlan,
  text: string,
  how: PutPlan,
): Promise<void> {
  const { sha256 } = plan
  const { planId, planVersion } = plan.plan.metadata
  const answer = await store.putPlan({ tenantId, sha256, planId, planVersion, text }, how)
  if (answer.kind !== 'stored')
    fail(
      'PLAN_VERSION_EXISTS',
      `${planId} ${planVersion} is already published with the hash ${answer.sha256}; this one has ${sha256}`,
      { details: { planId, planVersion, storedSha256: answer.sha256, sha256 } },
    )
}
