/**
 * Starting a run: the input is checked against the plan, the plan is published by its hash, and metadata, approval,
 * RunStarted and the first StepStarteds are one append (P-45). A second request under one key or run id finds
 * the first run, if it is the same.
 */
import type { Payload, RunIdentity } from '../core/events/event.ts'
import { LIMITS } from '../core/limits.ts'
import { compileGraph } from '../core/plan/graph.ts'
import type { Plan } from '../core/plan/plan.ts'
import { fail, KeelsonError, type Problem } from '../core/problems/problem.ts'
import { isOutside } from '../core/run/engines.ts'
import type { InputBody, ReusedResult, StartLater } from '../core/run/input.ts'
import { initialState } from '../core/run/state.ts'
import { summaryOf } from '../core/run/summary.ts'
import { isoFromMs } from '../core/time.ts'
import type { AdvanceReport, EngineCapabilities } from '../ports/engine.ts'
import type { CommitResult, NewRun, RunCommit, RunParent, RunRow } from '../ports/run-store.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import type { RunAdvancer } from './advance-run.ts'
import { canonicalText } from './canonical.ts'
import { needEngine } from './check-engine.ts'
import { checkResources } from './check-resources.ts'
import { childEndNotice } from './child-end.ts'
import { CommittedValues } from './committed-values.ts'
import { DecisionRound } from './decision-round.ts'
import { FIRST_PREVIOUS } from './event-hashes.ts'
import { applyDefaults } from './json-schema.ts'
import type { LoadedRun } from './load-run.ts'
import { mustBeRecordable } from './recordable.ts'
import type { ContextChange } from './run-context.ts'
import { nothingAtHand } from './run-grants.ts'
import { scopePauseFor } from './scope-pauses.ts'
import type { Principal } from './principal.ts'
import { checkSameRequest, checkSameRun } from './same-request.ts'
import { sealEvents } from './seal-events.ts'
import type { Services } from './services.ts'
import { startInput } from './start-input.ts'
import { sha256Hex } from './sha256.ts'
import { compensationOf } from './undo-run-id.ts'

export interface StartRequest {
  readonly plan: { readonly plan: Plan; readonly text: string; readonly sha256: string }
  readonly input?: unknown
  readonly principal: Principal
  readonly engine: EngineCapabilities
  readonly triggerSource?: 'manual' | 'schedule' | 'webhook' | 'api'
  /** The client's own id for this request: the same id starts one run (BPQ-10). */
  readonly runRequestId?: string
  readonly runId?: string
  readonly parent?: RunParent
  readonly originalRunId?: string
  readonly reuse?: readonly ReusedResult[]
  readonly admission?: {
    readonly policy: 'QUEUE' | 'DELAY'
    readonly notBefore?: number
    readonly autoApprove: boolean
  }
  readonly lease?: { readonly owner: string; readonly until: number } | undefined
  /** Ties the run to the request that caused it; default: its own id (CTX-05). */
  readonly correlationId?: string
  /** What was found when the plan was held against its engine; the run keeps it, and with errors it ends before it began. */
  readonly report?: Payload<'RunValidated'>
  /** What taken-over results name by hash, written with the run. */
  readonly blobs?: readonly { readonly sha256: string; readonly text: string }[]
  /** The variables that taken-over results leave behind, by slot. */
  readonly captured?: ReadonlyMap<string, readonly ContextChange[]>
}

export type StartAnswer =
  | { readonly kind: 'started'; readonly row: RunRow; readonly report: AdvanceReport }
  | { readonly kind: 'exists'; readonly row: RunRow }

export function requestKey(principal: Principal, plan: Plan, runRequestId: string): string {
  const { tenantId, projectId, environmentId } = principal
  return sha256Hex(
    [tenantId, projectId, environmentId, plan.metadata.planId, plan.metadata.planVersion, runRequestId].join('|'),
  )
}

export async function startRun(services: Services, advancer: RunAdvancer, given: StartRequest): Promise<StartAnswer> {
  const request = heldAgainstEngine(given, services.clock.now())
  // It runs no step, and its input was checked when the run it undoes was started.
  const undoes = compensationOf(request) !== undefined
  if (services.refusesManual === true && !undoes) refuseManual(request.plan.plan)
  const checked = undoes ? request.input : checkInput(request.plan.plan, request.input)
  const { run, newRun, altered } = await prepareRun(services, advancer, request)
  if (!undoes) await checkResources(services.store, run.plan.graph)
  const { admit, blobs } = admission(request, checked)
  const grants = undoes ? undefined : nothingAtHand(run.plan.graph)
  const round = new DecisionRound(services.store, run, { now: services.clock.now(), lead: 0 }, 1, grants)
  await round.take(admit)
  if (request.admission === undefined && startsHere(request, altered)) {
    const pause = await scopePauseFor(services.store, run.identity, run.state)
    const start = {
      ...startInput({ ...request, intentLate: services.failOpen !== undefined }, newRun),
      ...(pause === undefined ? {} : { pausedBy: pausedBy(pause) }),
      ...(altered === undefined ? {} : { integrityFailure: { message: altered } }),
    }
    await round.take(start, { facts: false })
    round.noteTakenOver(request.captured ?? new Map())
    // What wants grants starts with the first advance, which is due at once.
    if (grants !== undefined && !isTerminalRun(round.state.status)) round.cut = true
  }
  // Due from now on, so that a workflow that could not be started is made up for.
  if (request.admission === undefined && !startsHere(request, altered) && !isTerminalRun(round.state.status))
    round.cut = true
  const sealed = sealEvents({
    identity: run.identity,
    drafts: round.drafts,
    firstSeq: 1,
    previousHash: FIRST_PREVIOUS,
    emittedAt: isoFromMs(round.now),
    random: services.random,
  })
  const commit: RunCommit = {
    create: newRun,
    expected: { epoch: 1, nextSeq: 1 },
    events: sealed.events,
    summary: summaryOf(round.state, round.cut),
    context: round.context,
    ...(blobs.length + round.blobs.length === 0 ? {} : { blobs: [...blobs, ...round.blobs] }),
    ...(request.lease === undefined ? {} : { lease: request.lease }),
    // A child that ends as it begins (its plan is refused, there is nothing to undo) tells its parent in the same commit.
    ...(isTerminalRun(round.state.status) ? { notify: childEndNotice(run, round) } : {}),
  }
  const result = await advancer.queue.submit(commit)
  if (result.kind === 'run-exists' || result.kind === 'request-exists')
    return existing(services, newRun, result, checked)
  if (result.kind !== 'committed') return fail('STORE_UNAVAILABLE', `the run could not be created (${result.kind})`)
  const row = rowOf(newRun, commit, result, sealed.headHash, round.nextSeq)
  advancer.own(result.runKey, { ...run, row, state: round.state, nextSeq: round.nextSeq, headHash: sealed.headHash })
  return { kind: 'started', row, report: reportOf(round) }
}

/** A caller that brings a report has looked already. */
function heldAgainstEngine(request: StartRequest, now: number): StartRequest {
  const report = request.report ?? needEngine(request.plan.plan, request.engine.engineType, now)
  return report === undefined ? request : { ...request, report }
}

/**
 * On an outside engine the worker starts the run, once it has the plan's bytes before it (P-45); but what a fork takes over
 * is at hand here only.
 */
function startsHere({ engine, reuse }: StartRequest, altered: string | undefined): boolean {
  return !isOutside(engine.engineType) || reuse !== undefined || altered !== undefined
}

function refuseManual({ steps, metadata }: Plan): void {
  const step = steps.find((one) => 'manual' in one)
  if (step !== undefined)
    fail('KEYS_NOT_CONFIGURED', `step '${step.stepId}' of ${metadata.planId} waits for a person; its token needs a key`)
}

/** The row as the store has just written it: reading it back would cost as much as half the start. */
function rowOf(
  newRun: NewRun,
  { summary, lease }: RunCommit,
  { runKey, persistedAt }: Extract<CommitResult, { kind: 'committed' }>,
  headHash: Uint8Array,
  nextSeq: number,
): RunRow {
  return {
    ...newRun,
    ...summary,
    runKey,
    epoch: 1,
    nextSeq,
    headHash,
    createdAt: persistedAt,
    updatedAt: persistedAt,
    ...(lease === undefined ? {} : { lease }),
  }
}

interface PreparedRun {
  readonly run: LoadedRun
  readonly newRun: NewRun
  /** Why the plan's bytes are not to be trusted; undefined when they are. */
  readonly altered: string | undefined
}

async function prepareRun(services: Services, advancer: RunAdvancer, request: StartRequest): Promise<PreparedRun> {
  const { plan, sha256, text } = request.plan
  const { planId, planVersion } = plan.metadata
  const altered = alteredPlan(advancer, request.plan)
  // A plan this process knows it has published or read before.
  if (altered === undefined && advancer.plans.known(sha256) === undefined)
    await services.store.putPlan({ sha256, planId, planVersion, text })
  const loaded = altered === undefined ? advancer.plans.put(text, sha256) : { plan, graph: compileGraph(plan), sha256 }
  const { tenantId, projectId, environmentId } = request.principal
  const runId = request.runId ?? services.random.uuid()
  const identity: RunIdentity = { runId, tenantId, projectId, environmentId, planId, planVersion }
  const newRun = newRunOf(request, identity, sha256)
  return { run: unsavedRun(newRun, identity, loaded, services.clock.now()), newRun, altered }
}

function reportOf(round: DecisionRound): AdvanceReport {
  const { state, effects } = round
  const terminal = isTerminalRun(state.status)
  const { nextWakeAt, owed } = summaryOf(state, round.cut)
  return {
    epoch: 1,
    headSeq: round.nextSeq - 1,
    status: state.status,
    effects,
    ...(owed === undefined ? {} : { owed }),
    wakeAt: terminal ? undefined : nextWakeAt,
    terminal,
  }
}

/** Bytes that do not have the pinned hash are neither published nor run: the run ends before it began (P-45). */
function alteredPlan(advancer: RunAdvancer, { text, sha256 }: StartRequest['plan']): string | undefined {
  if (advancer.plans.known(sha256) !== undefined) return undefined
  const actual = sha256Hex(text)
  return actual === sha256 ? undefined : `the plan was pinned to ${sha256}, but its bytes have the hash ${actual}`
}

function pausedBy({ scope, reason }: Extract<InputBody, { kind: 'scope' }>): { scope: string; reason?: string } {
  return { scope, ...(reason === undefined ? {} : { reason }) }
}

/** The run that is there already, if it is the very one that is asked for now. */
async function existing(
  services: Services,
  newRun: NewRun,
  found: Extract<CommitResult, { kind: 'run-exists' | 'request-exists' }>,
  input: unknown,
): Promise<StartAnswer> {
  const { tenantId } = newRun
  const isNamed = found.kind === 'run-exists'
  const row = await services.store.findRun({ tenantId, runId: isNamed ? newRun.runId : found.runId })
  // It is another tenant's: nothing is said of it but that the id is taken.
  if (row === undefined) return fail('RUN_ALREADY_EXISTS', 'this run id is taken')
  const check = isNamed ? checkSameRun : checkSameRequest
  await check(services.store, row, newRun, input)
  return { kind: 'exists', row }
}

function checkInput(plan: Plan, input: unknown): unknown {
  const given = input === undefined ? {} : input
  mustBeRecordable(given, 'RUN_INPUT_INVALID', 'the input')
  if (plan.inputs === undefined) return given
  const checked = applyDefaults(plan.inputs, given, 'RUN_INPUT_INVALID')
  if (checked.ok) return checked.value
  const [first, ...rest] = checked.problems
  throw new KeelsonError([first as Problem, ...rest])
}

function newRunOf(request: StartRequest, identity: RunIdentity, planSha256: string): NewRun {
  const { plan } = request.plan
  return {
    ...identity,
    planSha256,
    engineType: request.engine.engineType,
    engineRunRef: request.engine.runRef?.(identity.runId) ?? `${request.engine.engineType}://${identity.runId}`,
    triggeredBy: request.principal.actorId,
    ...(request.runRequestId === undefined
      ? {}
      : { requestKey: requestKey(request.principal, plan, request.runRequestId) }),
    ...(request.originalRunId === undefined ? {} : { originalRunId: request.originalRunId }),
    ...(request.parent === undefined ? {} : { parent: request.parent }),
  }
}

function unsavedRun(newRun: NewRun, identity: RunIdentity, plan: LoadedRun['plan'], now: number): LoadedRun {
  const state = initialState(plan.graph)
  const row: RunRow = {
    ...newRun,
    ...summaryOf(state),
    runKey: -1,
    epoch: 1,
    nextSeq: 1,
    headHash: FIRST_PREVIOUS,
    createdAt: now,
    updatedAt: now,
  }
  return {
    row,
    identity,
    plan,
    state,
    epoch: 1,
    nextSeq: 1,
    headHash: FIRST_PREVIOUS,
    snapshotSeq: 0,
    values: new CommittedValues(),
  }
}

/** Who starts the run later knows only what its log says of the request. */
function forStart({ correlationId, triggerSource, admission: queued, engine }: StartRequest): {
  forStart?: StartLater
} {
  if (queued === undefined && !isOutside(engine.engineType)) return {}
  if (correlationId === undefined && triggerSource === undefined) return {}
  return {
    forStart: {
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(triggerSource === undefined ? {} : { triggerSource }),
    },
  }
}

type Admission = {
  readonly admit: InputBody
  readonly blobs: readonly { readonly sha256: string; readonly text: string }[]
}

/** Above 64 KiB the input is a blob of the run, written with its first events. */
function admission(request: StartRequest, input: unknown): Admission {
  const text = canonicalText(input)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > LIMITS.runInputBytes)
    fail('RUN_INPUT_INVALID', `the input has ${sizeBytes} bytes; at most ${LIMITS.runInputBytes} are allowed`)
  const large = sizeBytes > LIMITS.inlinePayloadBytes
  const sha256 = large ? sha256Hex(text) : ''
  const { policy, notBefore, autoApprove } = request.admission ?? {
    policy: 'START' as const,
    notBefore: undefined,
    autoApprove: true,
  }
  return {
    admit: {
      kind: 'admit',
      policy,
      autoApprove,
      ...(notBefore === undefined ? {} : { notBefore }),
      ...forStart(request),
      ...(request.report === undefined ? {} : { report: request.report }),
      ...(large ? { inputRef: { sha256, sizeBytes } } : { runInput: input }),
    },
    blobs: [...(large ? [{ sha256, text }] : []), ...(request.blobs ?? [])],
  }
}
