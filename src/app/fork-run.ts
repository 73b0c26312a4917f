/**
 * Fork: a new run that takes over recorded results of an ended one up to a point, and runs the rest. What the old run
 * undid is not taken over; each taken result names the run that owns its effect (DESIGN §5, P-31).
 */
import type { Plan } from '../core/plan/plan.ts'
import { fail } from '../core/problems/problem.ts'
import type { RunState } from '../core/run/state.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import { stepAt, stepUnit } from '../core/run/units.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import type { LoadedRun } from './load-run.ts'
import { recordOf } from './read-events.ts'
import type { ContextVariables } from './run-context.ts'
import { runInput } from './run-outputs.ts'
import type { Services } from './services.ts'
import type { Principal } from './principal.ts'
import { startRun, type StartAnswer, type StartRequest } from './start-run.ts'
import { storedEvents } from './stored-events.ts'
import { capturesOf, takenCaptures, type OldCapture } from './taken-captures.ts'
import { takenOver, type OldStep, type TakenOver } from './taken-over.ts'

export interface ForkRequest {
  readonly row: RunRow
  readonly principal: Principal
  readonly engine: StartRequest['engine']
  /** Take over results recorded up to this seq; default: all of them. */
  readonly atSeq?: number
  /** Run this step and everything after it again. */
  readonly from?: string
  /** Another version of the plan; default: the one the run had. */
  readonly plan?: StartRequest['plan']
  readonly signalId?: string
  readonly lease?: StartRequest['lease']
}

export async function forkRun(services: Services, advancer: RunAdvancer, request: ForkRequest): Promise<StartAnswer> {
  // Another process may have driven it since this one last looked.
  advancer.forget(request.row.runKey)
  const old = await advancer.current(request.row.runKey)
  if (!isTerminalRun(old.state.status)) fail('RUN_NOT_TERMINAL', `run ${request.row.runId} has not ended`)
  if (old.state.compensationOf !== '')
    fail('RUN_NOT_FORKABLE', `run ${request.row.runId} only undid run ${old.state.compensationOf}`)
  if (request.from !== undefined && !old.state.graph.indexOf.has(request.from))
    fail('STEP_UNKNOWN', `the plan has no step '${request.from}'`)
  const text = await services.store.getPlan(request.row.planSha256)
  const plan = request.plan ?? { plan: old.plan.plan, text: text ?? '', sha256: old.plan.sha256 }
  const taken = await reusable(services.store, old, request, plan.plan)
  const answer = await startRun(services, advancer, {
    plan,
    input: await runInput(services.store, old),
    principal: request.principal,
    engine: request.engine,
    originalRunId: request.row.runId,
    ...(old.state.correlationId === '' ? {} : { correlationId: old.state.correlationId }),
    reuse: taken.map(({ result }) => result),
    blobs: taken.flatMap(({ blobs }) => blobs),
    captured: new Map(taken.map(({ result, writes }) => [result.slot, writes])),
    ...(request.signalId === undefined ? {} : { runRequestId: `fork:${request.row.runId}:${request.signalId}` }),
    ...(request.lease === undefined ? {} : { lease: request.lease }),
  })
  const pointers = taken.flatMap(({ result }) => result.artifactRefs)
  await services.artifacts?.hold(answer.row, pointers)
  const payload = {
    newRunId: answer.row.runId,
    atSeq: Math.min(request.atSeq ?? old.state.seq, old.state.seq),
    planVersion: plan.plan.metadata.planVersion,
    ...(request.signalId === undefined ? {} : { signalId: request.signalId }),
  }
  const row = { inboxId: `fork:${answer.row.runId}`, kind: 'fork', body: JSON.stringify(payload) }
  await services.store.insertInbox({ tenantId: request.row.tenantId, runId: request.row.runId }, row)
  await advancer.advance(request.row.runKey)
  return answer
}

/** What is taken over, in the order in which it came about. */
async function reusable(
  store: RunStore,
  old: LoadedRun,
  request: ForkRequest,
  plan: Plan,
): Promise<readonly TakenOver[]> {
  const { undone, captures } = await readOldLog(store, old)
  const known = new Set(plan.steps.map(({ stepId }) => stepId))
  const taken: TakenOver[] = []
  let context: ContextVariables = plan.context
  for (const step of reusedSteps(old, request, undone)) {
    if (!known.has(step.stepId)) continue
    const recorded = (captures.get(step.stepId) ?? []).filter(({ seq }) => seq <= step.seq)
    const captured = await takenCaptures(store, old.row.runKey, recorded, context)
    context = captured.context
    taken.push(await takenOver(store, old, step, captured))
  }
  return taken
}

function reusedSteps(old: LoadedRun, request: ForkRequest, undone: ReadonlySet<string>): readonly OldStep[] {
  const again = request.from === undefined ? new Set<number>() : downstream(old.state, request.from)
  const steps: OldStep[] = []
  for (let index = 0; index < old.state.graph.steps.length; index += 1) {
    const unit = stepUnit(old.state, index)
    const { stepId } = stepAt(old.state.graph, index)
    const kept = unit.status === 'SUCCESS' && unit.outputSeq <= (request.atSeq ?? old.state.seq)
    if (!kept || undone.has(stepId) || again.has(index)) continue
    steps.push({ stepId, seq: unit.outputSeq, ownerRunId: unit.ownerRunId })
  }
  return steps.toSorted((a, b) => a.seq - b.seq)
}

interface OldLog {
  /** Steps of which anything was undone, be it one item or what a fallback did: their results are gone from the world. */
  readonly undone: ReadonlySet<string>
  readonly captures: ReadonlyMap<string, readonly OldCapture[]>
}

async function readOldLog(store: RunStore, old: LoadedRun): Promise<OldLog> {
  const undone = new Set<string>()
  const captures = new Map<string, OldCapture[]>()
  for await (const stored of storedEvents(store, old.row.runKey)) {
    if (stored.eventType !== 'CompensationStarted' && stored.eventType !== 'StepCompleted') continue
    const record = recordOf(stored)
    const stepId = record.ok ? record.value.stepId : undefined
    if (!record.ok || stepId === undefined) continue
    if (stored.eventType === 'CompensationStarted') {
      undone.add(stepId)
      continue
    }
    const found = captures.get(stepId) ?? []
    found.push(...capturesOf(record.value))
    captures.set(stepId, found)
  }
  return { undone, captures }
}

/** The step itself and everything that depends on it. */
function downstream(state: RunState, stepId: string): ReadonlySet<number> {
  const found = new Set<number>()
  const open = [state.graph.indexOf.get(stepId) ?? -1]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue
    found.add(at)
    open.push(...(state.graph.dependents[at] ?? []))
  }
  return found
}
