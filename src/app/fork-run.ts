/**
 * Fork: a new run that takes over recorded results of an ended one up to a point, and runs the rest. What the old run
 * undid is not taken over; each taken result names the run that owns its effect (DESIGN §5, P-31).
 */
import { compileGraph, TRAIT, type PlanGraph } from '../core/plan/graph.ts'
import type { Plan } from '../core/plan/plan.ts'
import { fail } from '../core/problems/problem.ts'
import { repeatedEffects, type RepeatedEffect } from '../core/run/repeated-effects.ts'
import { hasTrait } from '../core/run/units.ts'
import { standingSteps, type AgainReason, type Standing } from '../core/run/standing.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import { FamilyEffects } from './family-effects.ts'
import { forkableRun, type Forkable } from './forkable-run.ts'
import type { LoadedRun } from './load-run.ts'
import { recordOf } from './read-events.ts'
import type { ContextVariables } from './run-context.ts'
import { runInput } from './run-outputs.ts'
import type { Services } from './services.ts'
import type { Principal } from './principal.ts'
import { requestKey, startRun, type StartAnswer, type StartRequest } from './start-run.ts'
import { storedEvents } from './stored-events.ts'
import { capturesOf, takenCaptures, type OldCapture } from './taken-captures.ts'
import { fanToTake, takenItems } from './taken-items.ts'
import { takenOver, type TakenOver } from './taken-over.ts'

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
  /** Irreversible steps that had their effect, or may have had it, are done again where they must. */
  readonly repeatIrreversible?: boolean
}

/** What a fork would take over and what it would do again. */
export interface ForkPreview {
  readonly taken: readonly string[]
  readonly again: ReadonlyMap<string, AgainReason>
  /** What was done and not undone, and would be done a second time. */
  readonly repeats: readonly RepeatedEffect[]
}

export async function previewFork(
  services: Services,
  advancer: RunAdvancer,
  request: Pick<ForkRequest, 'row' | 'atSeq' | 'from' | 'plan'>,
): Promise<ForkPreview> {
  const fork = await prepareFork(services, advancer, request)
  const { standing } = fork
  return {
    taken: standing.taken.map(({ stepId }) => stepId),
    again: standing.again,
    repeats: repeatsOf(fork),
  }
}

export async function forkRun(services: Services, advancer: RunAdvancer, request: ForkRequest): Promise<StartAnswer> {
  const fork = await prepareFork(services, advancer, request)
  const { old, isSetAside, plan, taken } = fork
  const made = await madeBefore(services.store, request, plan)
  if (made !== undefined) return { kind: 'exists', row: made }
  refuseCompany(fork, request)
  if (request.repeatIrreversible !== true) refuseRepeats(repeatsOf(fork), request)
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
    ...(request.signalId === undefined ? {} : { runRequestId: requestIdOf(request.row, request.signalId) }),
    ...(request.lease === undefined ? {} : { lease: request.lease }),
  })
  const pointers = taken.flatMap(({ result }) => result.artifactRefs)
  await services.artifacts?.hold(answer.row, pointers)
  if (isSetAside) return answer
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

function requestIdOf({ runId }: RunRow, signalId: string): string {
  return `fork:${runId}:${signalId}`
}

/** The fork that the same signal asked for before: a repeat is answered with it, whatever it has done since (SIG-07). */
async function madeBefore(
  store: RunStore,
  { row, principal, signalId }: ForkRequest,
  { plan }: StartRequest['plan'],
): Promise<RunRow | undefined> {
  if (signalId === undefined) return undefined
  return store.findRunByRequest(principal.tenantId, requestKey(principal, plan, requestIdOf(row, signalId)))
}

/** A run that has not ended may yet undo what it shares with a new fork, which would go on as if it were still there. */
function refuseCompany({ standing, graph, family }: PreparedFork, { row }: ForkRequest): void {
  const [other] = family.live
  const shared = standing.taken.find(({ stepId, skipped }) => {
    return !skipped && hasTrait(graph, graph.indexOf.get(stepId) ?? -1, TRAIT.undone | TRAIT.childUndone)
  })
  if (other === undefined || shared === undefined) return
  fail(
    'FORK_UNDER_WAY',
    `run ${other.runId} has not ended, and may undo '${shared.stepId}', which a fork of run ${row.runId} takes over`,
    { details: { runId: other.runId, stepId: shared.stepId } },
  )
}

function repeatsOf({ old, isSetAside, standing, family }: PreparedFork): readonly RepeatedEffect[] {
  const { runId } = old.identity
  return repeatedEffects(old.state, standing, {
    isPart: isSetAside,
    isUndone: (slot, stepId, ownerRunId) => family.isUndone(ownerRunId === '' ? runId : ownerRunId, stepId, slot),
    doneElsewhere: (stepId) => family.doneElsewhere(stepId),
  })
}

/** Who names a step to run again has said that its effect may be repeated; of what follows it nothing was said. */
function refuseRepeats(repeats: readonly RepeatedEffect[], { row, from }: ForkRequest): void {
  const refused = repeats.filter(({ effect, stepId }) => effect === 'irreversible' && stepId !== from)
  if (refused.length === 0) return
  const names = refused.map(({ stepId, inDoubt, inRunId }) => {
    return `'${stepId}' (${inDoubt ? 'may have been done' : 'done'}${inRunId === undefined ? '' : ` by run ${inRunId}`})`
  })
  fail(
    'FORK_REPEATS_IRREVERSIBLE',
    `a fork of run ${row.runId} would do again what cannot be undone: ${names.join(', ')}`,
    { details: { steps: refused.map(({ stepId }) => stepId) } },
  )
}

interface PreparedFork extends Reusable, Forkable {
  readonly plan: StartRequest['plan']
}

async function prepareFork(
  services: Services,
  advancer: RunAdvancer,
  request: Pick<ForkRequest, 'row' | 'atSeq' | 'from' | 'plan'>,
): Promise<PreparedFork> {
  const { old, isSetAside } = await forkableRun(services, advancer, request)
  if (old.state.compensationOf !== '')
    fail('RUN_NOT_FORKABLE', `run ${request.row.runId} only undid run ${old.state.compensationOf}`)
  if (request.from !== undefined && !old.state.graph.indexOf.has(request.from))
    fail('STEP_UNKNOWN', `the plan has no step '${request.from}'`)
  const text = await services.store.getPlan(request.row.planSha256)
  const plan = request.plan ?? { plan: old.plan.plan, text: text ?? '', sha256: old.plan.sha256 }
  return { old, isSetAside, plan, ...(await reusable(services.store, old, request, plan.plan)) }
}

/** What is taken over, in the order in which it came about. */
async function reusable(
  store: RunStore,
  old: LoadedRun,
  request: Pick<ForkRequest, 'row' | 'atSeq' | 'from'>,
  plan: Plan,
): Promise<Reusable> {
  const { captures, skips } = await readOldLog(store, old)
  const { runId } = old.identity
  const family = await FamilyEffects.read(store, request.row)
  const graph = sameGraph(old, plan)
  const standing = standingSteps(graph, {
    state: old.state,
    upTo: request.atSeq ?? old.state.seq,
    from: request.from,
    undoingOf: (stepId, ownerRunId) => family.undoingOf(ownerRunId === '' ? runId : ownerRunId, stepId),
    skips,
  })
  const taken: TakenOver[] = []
  let context: ContextVariables = plan.context
  for (const step of standing.taken) {
    const recorded = (captures.get(step.stepId) ?? []).filter(({ seq }) => seq <= step.seq)
    const captured = await takenCaptures(store, old.row.runKey, recorded, context)
    context = captured.context
    const whole = await takenOver(store, old, step, captured)
    const fan = step.skipped ? undefined : fanToTake(graph, old, step.stepId)
    if (fan !== undefined) taken.push(...(await takenItems(store, old, whole.result, fan)), closing(whole))
    else taken.push(whole)
  }
  return { taken, standing, graph, family }
}

/** Ends a step whose items were taken over: their results are its list. */
function closing({ result, writes, blobs }: TakenOver): TakenOver {
  const { resultRef, data: { result: _list, ...rest } = {}, ...others } = result
  const kept = blobs.filter(({ sha256 }) => sha256 !== resultRef?.sha256)
  return { result: { ...others, ...(Object.keys(rest).length === 0 ? {} : { data: rest }) }, writes, blobs: kept }
}

interface Reusable {
  readonly taken: readonly TakenOver[]
  readonly standing: Standing
  readonly graph: PlanGraph
  readonly family: FamilyEffects
}

/** Compiled anew only where the plan is another one. */
function sameGraph(old: LoadedRun, plan: Plan): PlanGraph {
  return plan === old.plan.plan ? old.plan.graph : compileGraph(plan)
}

interface OldLog {
  readonly captures: ReadonlyMap<string, readonly OldCapture[]>
  readonly skips: ReadonlyMap<string, { readonly seq: number; readonly byHand: boolean }>
}

async function readOldLog(store: RunStore, old: LoadedRun): Promise<OldLog> {
  const captures = new Map<string, OldCapture[]>()
  const skips = new Map<string, { readonly seq: number; readonly byHand: boolean }>()
  for await (const stored of storedEvents(store, old.row.runKey)) {
    // Of a run that was set aside only the sound part counts.
    if (stored.runSeq > old.state.seq) break
    if (stored.eventType !== 'StepSkipped' && stored.eventType !== 'StepCompleted') continue
    const record = recordOf(stored)
    const stepId = record.ok ? record.value.stepId : undefined
    if (!record.ok || stepId === undefined) continue
    if (stored.eventType === 'StepSkipped') {
      skips.set(stepId, { seq: stored.runSeq, byHand: record.value.payload?.['reasonCode'] !== 'CONDITION_FALSE' })
      continue
    }
    const found = captures.get(stepId) ?? []
    found.push(...capturesOf(record.value))
    captures.set(stepId, found)
  }
  return { captures, skips }
}
