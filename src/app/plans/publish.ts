/**
 * Publishing is separate from storing: only a published plan is found by its id, by `plan` steps and by callers that start a plan
 * by name. The bytes must match the given hash and contain the plan's own id.
 */
import type { PlanRef } from '../../core/plan/compile/plan-ref.ts'
import { storedPlanUri } from '../../core/plan/format/plan-uri.ts'
import { fail } from '../../core/problems/problem.ts'
import { keepPlan, loadBlocks, type PlanKeeping } from './admit.ts'
import type { CompiledPlan } from './compile.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface Publishing {
  readonly tenantId: string
  readonly replaceVersion: boolean
}

export async function publishPlan(
  place: PlanKeeping,
  { text, sha256, blocks: brought = [], source }: CompiledPlan,
  { tenantId, replaceVersion }: Publishing,
): Promise<PlanRef> {
  const actualSha256 = sha256Hex(text)
  if (actualSha256 !== sha256)
    fail(
      'PLAN_INTEGRITY_VALIDATION_FAILED',
      `the plan is said to have the hash ${sha256}, but its bytes have the hash ${actualSha256}`,
      {
        details: { expectedSha256: sha256, actualSha256 },
      },
    )
  const plan = place.plans.compile(text, sha256)
  const blocks = loadBlocks(place.plans, brought)
  await keepPlan(
    place,
    { tenantId, plan, unstored: text, blocks },
    { publish: true, replaceVersion, ...(source === undefined ? {} : { source }) },
  )
  return planRefOf({ plan: plan.plan, text, sha256 })
}

/** The reference to a plan that was stored here. */
function planRefOf({ plan, text, sha256 }: CompiledPlan): PlanRef {
  const { planId, planVersion } = plan.metadata
  const { schemaVersion } = plan
  return {
    uri: storedPlanUri(sha256),
    sha256,
    schemaVersion,
    planId,
    planVersion,
    sizeBytes: Buffer.byteLength(text),
  }
}
