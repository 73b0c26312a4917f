/**
 * Fork: a new run that takes over recorded results of an ended one up to a point, and runs the rest. What the old run
 * undid is not taken over; each taken result names the run that owns its effect.
 */
import { TRAIT } from '../../core/plan/compile/graph.ts'
import { diffPlans, type PlanDiff } from '../../core/plan/write/diff-plans.ts'
import { fail } from '../../core/problems/problem.ts'
import { repeatedEffects, type RepeatedEffect } from '../../core/run/fork/repeated-effects.ts'
import type { ForkApproval } from '../../core/run/fork/approval.ts'
import { hasTrait } from '../../core/run/state/units.ts'
import type { AgainReason } from '../../core/run/fork/standing.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { approvalOfFork, forkAdmission, refuseUnapproved } from './fork-approval.ts'
import { forkableRun, type Forkable } from '../taken/forkable-run.ts'
import { mustFitNames } from '../log/fitting.ts'
import { planSourceOf } from '../loaded/plan-of-log.ts'
import type { Services } from '../services.ts'
import type { Principal } from '../principal.ts'
import { requestKey } from './new-run.ts'
import { startRun } from './start-run.ts'
import type { StartAnswer, StartRequest } from './start-request.ts'
import { otherRun, type OtherRun } from './other-run.ts'
import { droppedSteps } from '../../core/run/fork/dropped-steps.ts'
import { reusable, type Reusable } from '../taken/reusable-results.ts'

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
  /** Another input; default: that of the old run. */
  readonly input?: unknown
  /** Another plan under the same id and version is no obstacle. */
  readonly replaceVersion?: boolean
  readonly signalId?: string
  readonly lease?: StartRequest['lease']
  /** Irreversible steps that had their effect, or may have had it, are done again where they must. */
  readonly repeatIrreversible?: boolean
  /** Child plans are those published now; default: those the run was pinned to when it started. */
  readonly newChildren?: boolean
}

/** What a fork would take over and what it would do again. */
export interface ForkPreview {
  readonly taken: readonly string[]
  readonly again: ReadonlyMap<string, AgainReason>
  /** What was done and not undone, and would be done a second time. */
  readonly repeats: readonly RepeatedEffect[]
  /** Finished steps of the old plan that the new one does not have: what they did stays, and nothing undoes it. */
  readonly dropped: readonly string[]
  /** The old run was to wait for a person: does the fork wait in the queue for one (`waits`), or is it `refused`? */
  readonly approval: ForkApproval
  /** What another plan changes. */
  readonly plan?: PlanDiff
  /** Fields of the input that are not as they were: `amount`, or nothing where the whole of it is another. */
  readonly input?: readonly string[]
}

type Asked = Pick<ForkRequest, 'row' | 'atSeq' | 'from' | 'plan' | 'input' | 'newChildren'>

export async function previewFork(services: Services, advancer: RunAdvancer, request: Asked): Promise<ForkPreview> {
  const fork = await prepareFork(services, advancer, request)
  const { standing, old, plan, family } = fork
  const { blockOf, inputChanges } = fork.other
  return {
    taken: standing.taken.map(({ stepId }) => stepId),
    again: standing.again,
    repeats: repeatsOf(fork),
    dropped: droppedSteps(old.state, plan.plan, (stepId, ownerRunId) =>
      family.undoingOf(ownerRunId === '' ? old.identity.runId : ownerRunId, stepId),
    ),
    approval: approvalOfFork(fork),
    ...(plan.sha256 === old.plan.sha256 ? {} : { plan: diffPlans(old.plan.plan, plan.plan, { blockOf }) }),
    ...(inputChanges === undefined ? {} : { input: inputChanges }),
  }
}

export async function forkRun(services: Services, advancer: RunAdvancer, request: ForkRequest): Promise<StartAnswer> {
  mustFitNames({ signalId: request.signalId, actorId: request.principal.actorId })
  const fork = await prepareFork(services, advancer, request)
  const { old, isSetAside, plan, taken, other } = fork
  const made = await madeBefore(services.store, request, plan)
  if (made !== undefined) return { kind: 'exists', row: made }
  refuseCompany(fork, request)
  refuseUnapproved(fork)
  if (request.repeatIrreversible !== true) refuseRepeats(repeatsOf(fork), request)
  const admission = forkAdmission(fork, request)
  const answer = await startRun(services, advancer, {
    plan: await withSource(services.store, request.row, plan),
    ...(request.replaceVersion === true ? { replaceVersion: true } : {}),
    input: other.input,
    principal: request.principal,
    engine: request.engine,
    originalRunId: request.row.runId,
    before: old.state.people,
    lock: old.state.lock,
    ...(old.state.correlationId === '' ? {} : { correlationId: old.state.correlationId }),
    // It goes on with what the old run was pinned to; another plan, or who asks for it, takes what is published now.
    ...(request.plan === undefined && request.newChildren !== true ? { children: old.state.children } : {}),
    // A run that waits starts later, when nothing of this is at hand; then there is nothing to take over either.
    ...(admission.admission === undefined ? { reuse: taken.map(({ result }) => result) } : {}),
    blobs: taken.flatMap(({ blobs }) => blobs),
    captured: new Map(taken.map(({ result, writes }) => [result.slot, writes])),
    ...(request.signalId === undefined ? {} : { runRequestId: requestIdOf(request.row, request.signalId) }),
    ...admission,
  })
  const pointers = taken.flatMap(({ result }) => result.artifactRefs)
  await services.artifacts?.hold(answer.row, pointers)
  if (isSetAside) return answer
  const payload = {
    newRunId: answer.row.runId,
    atSeq: Math.min(request.atSeq ?? old.state.seq, old.state.seq),
    planVersion: plan.plan.metadata.planVersion,
    ...(plan.sha256 === old.plan.sha256 ? {} : { planSha256: plan.sha256 }),
    ...(other.inputChanges === undefined ? {} : { otherInput: true }),
    ...(request.signalId === undefined ? {} : { signalId: request.signalId }),
  }
  const row = { inboxId: `fork:${answer.row.runId}`, kind: 'fork', body: JSON.stringify(payload) }
  await services.store.insertInbox({ tenantId: request.row.tenantId, runId: request.row.runId }, row)
  await advancer.advance(request.row.runKey)
  return answer
}

/** The same plan was made of the same bytes, unless somebody brings others of it. */
async function withSource(
  store: RunStore,
  { runKey, planSha256 }: RunRow,
  plan: StartRequest['plan'],
): Promise<StartRequest['plan']> {
  if (plan.source !== undefined || plan.sha256 !== planSha256) return plan
  const source = planSourceOf(await store.readEvents(runKey, { limit: 1 }))
  return source === undefined ? plan : { ...plan, source }
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
  readonly other: OtherRun
}

async function prepareFork(services: Services, advancer: RunAdvancer, request: Asked): Promise<PreparedFork> {
  const { old, isSetAside } = await forkableRun(services, advancer, request)
  if (old.state.compensationOf !== '')
    fail('RUN_NOT_FORKABLE', `run ${request.row.runId} only undid the work of run ${old.state.compensationOf}`)
  const plan = request.plan ?? old.plan
  const { planId } = old.plan.plan.metadata
  if (plan.plan.metadata.planId !== planId)
    fail('FORK_OTHER_PLAN', `run ${request.row.runId} is one of ${planId}, not of ${plan.plan.metadata.planId}`)
  if (request.from !== undefined && !plan.plan.steps.some(({ stepId }) => stepId === request.from))
    fail('STEP_UNKNOWN', `the plan has no step '${request.from}'`)
  const other = await otherRun(services, advancer.plans, old, { ...request, plan })
  const { changed } = other
  return {
    old,
    isSetAside,
    plan,
    other,
    ...(await reusable(services.store, old, { ...request, plan: plan.plan, changed })),
  }
}
