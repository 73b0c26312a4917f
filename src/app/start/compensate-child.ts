/**
 * Undoing what a child run has finished: a run of the child's own plan with `compensationOf`, which takes its results over
 * and goes through its compensations, newest first. Its id is derived, so asking twice starts it once; its end comes back through
 * the inbox like a child's.
 */
import { compensationSlot } from '../../core/events/slot.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Effect } from '../../core/run/effect.ts'
import { engineTypeOf, MAX_IN_FLIGHT } from '../../core/engine/engine-type.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { EffectOutcome } from '../../ports/engine.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { childReport } from '../advance/child-end.ts'
import type { ChildStart } from './child-start.ts'
import { correlationOf, type LoadedRun } from '../loaded/load-run.ts'
import type { Services } from '../services.ts'
import { changedInput } from '../loaded/slot-roots.ts'
import { startRun } from './start-run.ts'
import type { StartAnswer, StartRequest } from './start-request.ts'
import { takenForCompensation } from '../taken/taken-for-compensation.ts'
import { compensatedChild } from '../loaded/compensation-run-id.ts'

type StartChild = Extract<Effect, { kind: 'StartChild' }>

export async function compensateChild(
  services: Services,
  advancer: RunAdvancer,
  run: LoadedRun,
  effect: StartChild,
  lease: StartRequest['lease'],
): Promise<ChildStart> {
  const current = run.state.compensation?.current
  const isOpen = current?.status === 'RUNNING' && compensationSlot(current.slot) === effect.slot
  if (!isOpen || current.attempt !== effect.attempt || isTerminalRun(run.state.status)) return { kind: 'gone' }
  const { tenantId, runId } = run.identity
  const ids = compensatedChild(runId, run.state, effect.slot)
  if (ids === undefined)
    return fail('CHILD_NOT_UNDONE', `the log does not tell which child run of '${current.slot}' is to be undone`)
  const child = await services.store.findRun({ tenantId, runId: ids.childRunId })
  // A step that was closed before its child was started, or a child that has undone its own work: there is nothing to do.
  if (child === undefined || child.status === 'FAILED') return { kind: 'answered', report: nothingToCompensate(effect) }
  if (!isTerminalRun(child.status)) return fail('CHILD_STILL_RUNNING', `child run ${child.runId} has not ended yet`)
  const request = await requestFor({ services, advancer, run, effect }, child, ids.compensationRunId)
  const answer = await startRun(services, advancer, { ...request, ...(lease === undefined ? {} : { lease }) })
  return answerFor(services, run, effect, answer)
}

function nothingToCompensate({ slot, attempt }: StartChild): EffectOutcome {
  return {
    slot,
    attempt,
    engineAttempt: 1,
    result: { kind: 'completed', output: null, artifactRefs: [], durationMs: 0 },
  }
}

interface Asked {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly run: LoadedRun
  readonly effect: StartChild
}

async function requestFor(
  { services, advancer, run, effect }: Asked,
  child: RunRow,
  compensationRunId: string,
): Promise<StartRequest> {
  const { store } = services
  // Another process may have driven it since this one last looked.
  advancer.forget(child.runKey)
  const old = await advancer.current(child.runKey)
  if (old.state.erasures > 0)
    return fail('CHILD_NOT_UNDONE', `what child run ${child.runId} did was erased, so it cannot be undone`)
  const taken = await takenForCompensation(store, old)
  const { tenantId, projectId, environmentId, runId } = run.identity
  const engineType = engineTypeOf(run.state.engineType)
  return {
    plan: old.plan,
    input: await changedInput({ store, run: old, state: old.state, seq: old.state.seq }),
    principal: { tenantId, projectId, environmentId, actorId: run.row.triggeredBy ?? 'local' },
    engine: { engineType, maxInFlight: MAX_IN_FLIGHT[engineType] },
    runId: compensationRunId,
    parent: { runId, slot: effect.slot, attempt: effect.attempt },
    originalRunId: child.runId,
    correlationId: correlationOf(run),
    lock: run.state.lock,
    reuse: taken.map(({ result }) => result),
    blobs: taken.flatMap(({ blobs }) => blobs),
    captured: new Map(taken.map(({ result, writes }) => [result.slot, writes])),
  }
}

/** Two forks may ask to undo the same work: it is undone for the first one, and the second one is told the result. */
async function answerFor(
  { store }: Services,
  run: LoadedRun,
  effect: StartChild,
  answer: StartAnswer,
): Promise<ChildStart> {
  const { row } = answer
  if (answer.kind === 'started' || row.parent?.runId === run.identity.runId) return { kind: 'child', answer }
  if (!isTerminalRun(row.status)) return fail('CHILD_STILL_RUNNING', `run ${row.runId} is undoing it for another run`)
  const { slot, attempt } = effect
  const status = row.status === 'COMPLETED' ? 'COMPLETED' : 'FAILED'
  return { kind: 'answered', report: await childReport(store, { slot, attempt, childRunId: row.runId, status }) }
}
