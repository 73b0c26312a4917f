/**
 * Starting the child run of a plan step: its id is derived from the parent's run, slot and attempt, so that starting
 * it twice is starting it once; its end comes back through the parent's inbox (P-29).
 */
import { compensationSlot } from '../core/events/slot.ts'
import { KeelsonError, problem } from '../core/problems/problem.ts'
import type { Effect } from '../core/run/effect.ts'
import { engineTypeOf, MAX_IN_FLIGHT } from '../core/run/engines.ts'
import { locate, stepAt } from '../core/run/units.ts'
import type { RunAdvancer } from './advance-run.ts'
import { childRunId } from './child-end.ts'
import type { ChildStart } from './child-start.ts'
import { correlationOf, type LoadedRun } from './load-run.ts'
import { mappingNeeds, mapValue } from './map-input.ts'
import type { Services } from './services.ts'
import { isDamage } from './set-aside.ts'
import { slotRoots } from './slot-roots.ts'
import { startRun, type StartRequest } from './start-run.ts'
import { undoChild } from './undo-child.ts'

type StartChild = Extract<Effect, { kind: 'StartChild' }>

export async function startChild(
  services: Services,
  advancer: RunAdvancer,
  run: LoadedRun,
  effect: StartChild,
  lease?: StartRequest['lease'],
): Promise<ChildStart> {
  try {
    if (effect.slot.startsWith(compensationSlot(''))) return await undoChild(services, advancer, run, effect, lease)
    const unit = locate(run.state, effect.slot)?.unit
    if (unit?.status !== 'RUNNING' || unit.attempt !== effect.attempt) return { kind: 'gone' }
    const answer = await startRun(services, advancer, await requestFor(services, advancer, run, effect, lease))
    return { kind: 'child', answer }
  } catch (thrown) {
    if (thrown instanceof KeelsonError && !isDamage(thrown) && thrown.problems.every((one) => !one.retryable)) {
      const result = { kind: 'failed', thrown, durationMs: 0 } as const
      return { kind: 'answered', report: { slot: effect.slot, attempt: effect.attempt, engineAttempt: 1, result } }
    }
    throw thrown
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
  const { planId, planVersion } = step.plan
  const stored = await services.store.findPlan(planId, planVersion)
  if (stored === undefined) {
    const name = planVersion === undefined ? planId : `${planId} ${planVersion}`
    throw new KeelsonError([problem('PLAN_NOT_FOUND', `no plan ${name} is published here`)])
  }
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
  const { tenantId, projectId, environmentId, runId } = run.identity
  const engineType = engineTypeOf(run.state.engineType)
  // The shelf checks the stored bytes against their hash: nothing is started from altered ones (P-45).
  const { plan } = await advancer.plans.get(stored.sha256)
  return {
    plan: { plan, text: stored.text, sha256: stored.sha256 },
    input: mapped.value,
    principal: { tenantId, projectId, environmentId, actorId: run.row.triggeredBy ?? 'local' },
    engine: { engineType, maxInFlight: MAX_IN_FLIGHT[engineType] },
    runId: childRunId(runId, effect.slot, effect.attempt),
    parent: { runId, slot: effect.slot, attempt: effect.attempt },
    correlationId: correlationOf(run),
    ...(lease === undefined ? {} : { lease }),
  }
}
