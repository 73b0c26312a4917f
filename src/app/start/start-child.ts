/**
 * Starting the child run of a plan step: its id is derived from the parent's run, slot and attempt, so that starting
 * it twice is starting it once; its end comes back through the parent's inbox (P-29).
 */
import { compensationSlot } from '../../core/events/slot.ts'
import { LIMITS } from '../../core/limits.ts'
import { isBlock, type ChildPlan } from '../../core/plan/compile/child-plans.ts'
import type { PlanReference } from '../../core/plan/plan.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import { approvedFor } from '../../core/run/people/approvals.ts'
import { namesAskedOfChild } from '../../core/run/people/named-people.ts'
import type { Effect } from '../../core/run/effect.ts'
import { engineTypeOf, MAX_IN_FLIGHT } from '../../core/engine/engine-type.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { childRunId } from '../log/derived-uuid.ts'
import type { ChildStart } from './child-start.ts'
import { noting } from '../deaths/last-words.ts'
import { correlationOf, type LoadedRun } from '../loaded/load-run.ts'
import { mappingNeeds, mapValue } from '../expressions/map-input.ts'
import { resolvePlan } from '../plans/resolve.ts'
import { refusePlan } from '../plans/run-lock.ts'
import type { Services } from '../services.ts'
import { isDamage } from '../loaded/set-aside.ts'
import { slotRoots } from '../loaded/slot-roots.ts'
import { needUnspent } from './spent-children.ts'
import { startRun } from './start-run.ts'
import type { StartRequest } from './start-request.ts'
import { compensateChild } from './compensate-child.ts'

type StartChild = Extract<Effect, { kind: 'StartChild' }>

export async function startChild(
  services: Services,
  advancer: RunAdvancer,
  run: LoadedRun,
  effect: StartChild,
  lease?: StartRequest['lease'],
): Promise<ChildStart> {
  try {
    if (effect.slot.startsWith(compensationSlot('')))
      return await compensateChild(services, advancer, run, effect, lease)
    const unit = locate(run.state, effect.slot)?.unit
    if (unit?.status !== 'RUNNING' || unit.attempt !== effect.attempt) return { kind: 'gone' }
    await needShallow(services.store, run)
    await needUnspent(services, advancer, run, effect)
    const request = (): Promise<StartRequest> => requestFor(services, advancer, run, effect, lease)
    const asked = await noting(services, run.row, `preparing the child run of '${effect.slot}'`, request)
    const answer = await startRun(services, advancer, asked)
    return { kind: 'child', answer }
  } catch (thrown) {
    if (thrown instanceof KeelsonError && !isDamage(thrown) && thrown.problems.every((one) => !one.retryable)) {
      const result = { kind: 'failed', thrown, durationMs: 0 } as const
      return { kind: 'answered', report: { slot: effect.slot, attempt: effect.attempt, engineAttempt: 1, result } }
    }
    throw thrown
  }
}

/** A plan may start itself; without a limit such runs would fill the store. For a child of a root run nothing is read. */
async function needShallow(store: Pick<RunStore, 'findRun'>, { row }: LoadedRun): Promise<void> {
  let above = 1
  for (let parent = row.parent; parent !== undefined; above += 1) {
    if (above >= LIMITS.childDepth)
      fail('CHILD_TOO_DEEP', `run ${row.runId} has ${LIMITS.childDepth} parent runs above it, the most that is allowed`)
    const found = await store.findRun({ tenantId: row.tenantId, runId: parent.runId })
    parent = found?.parent
  }
}

async function requestFor(
  services: Services,
  advancer: RunAdvancer,
  run: LoadedRun,
  effect: StartChild,
  lease: StartRequest['lease'],
): Promise<StartRequest> {
  const found = locate(run.state, effect.slot)
  const step = stepAt(run.state.graph, found?.unit.step ?? 0)
  if (found === undefined || !('plan' in step))
    throw new KeelsonError([problem('INPUT_INVALID', `'${effect.slot}' is not a plan step`)])
  const { tenantId, projectId, environmentId, runId } = run.identity
  const childId = childRunId(runId, effect.slot, effect.attempt)
  const place = { store: services.store, plans: advancer.plans, tenantId }
  const child = await resolvePlan(place, step.plan, await pinsOf(services.store, run, step.plan, childId), run.plan)
  const isOwn = isBlock(step.plan, run.plan.plan, step.stepId) && child.plan.forItem !== undefined
  if (run.state.lock !== undefined && !isOwn) refusePlan(step.plan, run.state.lock)
  const needs = mappingNeeds(step.with)
  const at = {
    store: services.store,
    run,
    state: run.state,
    unit: found.unit,
    seq: found.unit.inputSeq,
    outputsUpTo: found.unit.inputSeq,
    attempt: effect.attempt,
  }
  const mapped = needs.ok ? mapValue(step.with, await slotRoots(at, needs.value)) : needs
  if (!mapped.ok)
    throw new KeelsonError([problem('INPUT_INVALID', mapped.problems.map((one) => one.message).join('; '))])
  const engineType = engineTypeOf(run.state.engineType)
  return {
    plan: child,
    children: run.state.children,
    input: mapped.value,
    principal: { tenantId, projectId, environmentId, actorId: run.row.triggeredBy ?? 'local' },
    engine: { engineType, maxInFlight: MAX_IN_FLIGHT[engineType] },
    runId: childId,
    parent: { runId, slot: effect.slot, attempt: effect.attempt },
    correlationId: correlationOf(run),
    before: run.state.people,
    lock: run.state.lock,
    approved: approvedFor(run.state, runId, found.unit),
    namesAsked: namesAskedOfChild(run.state, runId),
    ...(lease === undefined ? {} : { lease }),
  }
}

/**
 * What the run was pinned to when it was admitted. An older log does not record this: then the published plan of now counts, or
 * the plan with which the child was already started.
 */
async function pinsOf(
  store: Pick<RunStore, 'findRun'>,
  { state, identity }: LoadedRun,
  { planId, planVersion }: PlanReference,
  childId: string,
): Promise<readonly ChildPlan[]> {
  if (state.children !== null) return state.children
  const begun = await store.findRun({ tenantId: identity.tenantId, runId: childId })
  if (begun === undefined) return []
  return [{ planId, ...(planVersion === undefined ? {} : { planVersion }), sha256: begun.planSha256 }]
}
