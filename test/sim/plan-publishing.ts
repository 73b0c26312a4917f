/**
 * Who publishes plans while runs are under way: their own people before a start, and newer versions right after it; and a
 * stranger, whose plans have the same names. A run must go on with what was there when it was admitted (I18).
 */
import type { CompiledPlan } from '../../src/app/plans/compile.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { publishPlan } from '../../src/app/plans/publish.ts'
import type { ChildPlan } from '../../src/core/plan/compile/child-plans.ts'
import { innerStepSlot } from '../../src/core/events/slot.ts'
import type { RunTrack } from './run-track.ts'
import type { SimProcess } from './sim-process.ts'

export interface Published {
  readonly children: readonly CompiledPlan[]
  /** The same plans under later versions. */
  readonly newer: readonly CompiledPlan[]
  /** Those of another tenant, under later versions yet. */
  readonly foreign: readonly CompiledPlan[]
}

export async function publishBefore(process: SimProcess, { children, foreign }: Published): Promise<void> {
  await publishAll(process, children, LOCAL_PRINCIPAL.tenantId)
  await publishAll(process, foreign, 'stranger')
}

export async function publishAfter(process: SimProcess, { newer }: Published): Promise<void> {
  await publishAll(process, newer, LOCAL_PRINCIPAL.tenantId)
}

async function publishAll(process: SimProcess, plans: readonly CompiledPlan[], tenantId: string): Promise<void> {
  const place = { store: process.services.store, plans: process.advancer.plans }
  for (const plan of plans) await publishPlan(place, plan, { tenantId, replaceVersion: false })
}

/** A child runs the plan that its parent was pinned to when it was admitted, which says the same at its start. */
export function checkPinned(child: RunTrack, parent: RunTrack, complain: (what: string) => void): void {
  const { parent: place, planId, planSha256, originalRunId } = child.create
  const stepId = innerStepSlot(place?.slot ?? '')?.stepId
  const isUndone = originalRunId !== undefined
  const said = parent.events.flatMap(({ payload }) => (payload['children'] as ChildPlan[] | undefined) ?? [])
  const pinned = new Set(said.filter((one) => one.planId === planId).map(({ sha256 }) => sha256))
  if (!isUndone && (pinned.size !== 1 || !pinned.has(planSha256)))
    complain(`I18 ${stepId} runs ${planSha256.slice(0, 8)}, its run was pinned to ${[...pinned].join(' and ')}`)
}
