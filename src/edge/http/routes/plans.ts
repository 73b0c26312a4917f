/** Plans: publish, list, read, draw, compare. */
import * as api from '../../../core/api/plans.ts'
import { fail } from '../../../core/problems/problem.ts'
import { graphSteps } from '../../../core/plan/compile/graph-steps.ts'
import { publishFor } from '../../../library/behalf/publish-for.ts'
import { compileAside } from '../../../library/plans/plan-catalogue.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import { executionOfRow } from '../wire/execution-view.ts'

const PAGE = 50
const RUNS_TOLD = 100
const LIVE = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const

export const PLANS: readonly BoundRoute[] = [
  bind(api.publishPlan, async ({ keelson, caller, world, correlationId, body }) => {
    const { plan, text, file, check = false } = body
    if ((plan === undefined) === (text === undefined))
      fail('BODY_INVALID', 'body: give the plan as a document in `plan`, or the text of its file in `text`')
    const compiled = await compileAside(text ?? JSON.stringify(plan), file)
    const { planId, planVersion } = compiled.plan.metadata
    await publishFor(keelson, { caller, authorizer: world.authorizer }, compiled, { check, correlationId })
    return { body: { planId, planVersion, sha256: compiled.sha256 } }
  }),
  bind(api.listPlans, async ({ keelson, query }) => {
    const { limit = PAGE, cursor = '' } = query
    const plans = await keelson.plans.list(cursor, limit)
    const next = plans.length < limit ? undefined : plans.at(-1)?.planId
    return { body: { plans, ...(next === undefined ? {} : { next }) } }
  }),
  bind(api.getPlanByHash, async ({ keelson, params }) => {
    const { plan, sha256 } = await keelson.plans.byHash(params.sha256)
    return { tag: 'strong', body: { sha256, plan } }
  }),
  bind(api.listPlanVersions, async ({ keelson, params }) => ({
    body: { versions: await keelson.plans.versions(params.planId) },
  })),
  bind(api.getPlan, async ({ keelson, params, query }) => {
    const { plan, sha256 } = await keelson.plans.get(nameOf(params.planId, query))
    const { planId, planVersion } = plan.metadata
    const inputs = plan.inputs === undefined ? {} : { inputs: plan.inputs }
    return { tag: 'strong', body: { planId, planVersion, sha256, plan, ...inputs } }
  }),
  bind(api.getPlanGraph, async ({ keelson, params, query }) => {
    const { plan, sha256 } = await keelson.plans.get(nameOf(params.planId, query))
    const { planId, planVersion } = plan.metadata
    return { body: { planId, planVersion, sha256, steps: graphSteps(plan) } }
  }),
  bind(api.diffPlanVersions, async ({ keelson, params, query }) => {
    const { from, to } = query
    const changes = await keelson.plans.diff(params.planId, from, to)
    return { body: { from, to, changes, executions: await runsInFlight(keelson, params.planId) } }
  }),
]

function nameOf(
  planId: string,
  { version, sha256 }: { readonly version?: string; readonly sha256?: string },
): { readonly planId: string; readonly planVersion?: string; readonly sha256?: string } {
  return {
    planId,
    ...(version === undefined ? {} : { planVersion: version }),
    ...(sha256 === undefined ? {} : { sha256 }),
  }
}

/** Runs that go on with the version they began with, the newest ones. */
async function runsInFlight(keelson: Keelson, planId: string): Promise<readonly object[]> {
  const { runs } = await keelson.list({ planId, status: LIVE }, { limit: RUNS_TOLD })
  return runs.map(executionOfRow)
}
