/**
 * Starting a run: the input is checked against the plan, the plan is published by its hash, and metadata, approval,
 * RunStarted and the first StepStarteds are one append (P-45). A second request under one key or run id finds
 * the first run, if it is the same.
 */
import type { ValidationReport } from '../../core/engine/check-capabilities.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import { fail } from '../../core/problems/problem.ts'
import { isNamed } from '../../core/run/people/named-people.ts'
import type { People } from '../../core/run/state/people.ts'
import type { NewRun, RunStore } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import type { StartGate } from '../admission/start-limits.ts'
import { replaceOldest, whenFull, type LaterStart } from '../admission/when-full.ts'
import { goOn, type GrantParts } from '../advance/turn-commit.ts'
import { reportOf } from '../advance/turn-report.ts'
import { checkResources } from '../grants/check-resources.ts'
import { compensationOf } from '../loaded/compensation-run-id.ts'
import { admitPlan, keepPlan, type PlanAdmission, type PlanKeeping } from '../plans/admit.ts'
import { findingsOn, needOwnQueues, recorded, refuseFor } from '../plans/check-engine.ts'
import type { Services } from '../services.ts'
import { runLabels } from '../values/run-labels.ts'
import { admission, originOf } from './admission.ts'
import { askedBefore, refuseOther } from './asked-before.ts'
import { checkNames, checkStart, needNamedMakers, recordableInput } from './check-start.ts'
import { writeFirstTurn, type FirstTurn, type WrittenTurn } from './first-turn.ts'
import { prepareRun, rowOf, type PreparedRun } from './new-run.ts'
import type { AdmittedRequest, StartAnswer, StartRequest } from './start-request.ts'

export async function startRun(services: Services, advancer: RunAdvancer, given: StartRequest): Promise<StartAnswer> {
  checkNames(given)
  // It runs no step, and its input was checked when the run it undoes was started.
  const undoes = compensationOf(given) !== undefined
  const place = { store: services.store, plans: advancer.plans }
  const { altered, ...admitted } = await admitPlan(place, given.plan, forPlan(given, undoes))
  const { plan: _given, children: _pinned, report: _report, ...rest } = given
  const report = heldAgainstEngine(given, services.clock.now())
  const refused = report?.status === 'ERRORS' ? report : undefined
  const asked = { ...rest, ...admitted, ...(report === undefined ? {} : { report: recorded(report) }) }
  const request = refused === undefined ? asked : withoutWork(asked)
  const prepared = prepareRun(services, request)
  const { run, newRun } = prepared
  const input = undoes ? request.input : await checked(services, request, run.plan.graph, refused)
  const labels = undoes || altered !== undefined || refused !== undefined ? undefined : runLabels(run.plan.plan, input)
  const before = undoes ? undefined : await peopleBefore(services, advancer, request)
  if (!undoes && refused === undefined)
    needNamedMakers(admitted.makersAskedBy, request.principal.actorId, before?.makers)
  if (admitted.unstored !== undefined) await keepNewPlan(place, request, newRun, input)
  const gate = undoes || refused !== undefined ? undefined : await gateOf(services, request, input)
  const starting: Starting = { services, advancer, prepared, before, input, altered, undoes, labels }
  const begun = await begin(starting, request, gate)
  const { turn, decided, written } = begun
  const { result } = written
  if (result.kind === 'run-exists' || result.kind === 'request-exists')
    return askedBefore(services.store, newRun, result, { input, lock: request.lock })
  if (result.kind !== 'committed') return fail('STORE_UNAVAILABLE', `the run could not be created (${result.kind})`)
  // A child tells its parent by its end.
  if (refused !== undefined && request.parent === undefined) refuseFor(refused, { runId: newRun.runId })
  goOn(run, turn, written, decided)
  const row = rowOf(newRun, decided.beside, result, run)
  advancer.own(result.runKey, { ...run, row })
  const replaced = begun.later === undefined ? [] : await replaceOldest(services, begun.later, newRun)
  const isQueued = begun.later?.isQueued === true
  const told = { ...reportOf(run, turn), written: written.written }
  return { kind: 'started', row, report: told, ...(isQueued ? { isQueued: true, replaced } : {}) }
}

interface Starting extends Omit<FirstTurn, 'admission' | 'grants'> {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly prepared: PreparedRun
  readonly before: People | undefined
  readonly input: unknown
}

/** A start for which there is no room is written again as one that waits, unless it is refused (BPQ-01). */
async function begin(
  starting: Starting,
  request: AdmittedRequest,
  gate: StartGate | undefined,
): Promise<WrittenTurn & { readonly later?: LaterStart }> {
  const write = (asked: AdmittedRequest, grants: GrantParts): Promise<WrittenTurn> => {
    const { services, advancer, prepared, before, input, ...first } = starting
    const origin = originOf(asked, prepared.newRun, first.altered)
    const admitted = admission(asked, input, { origin, before })
    return writeFirstTurn(services, advancer.queue, prepared, asked, { ...first, admission: admitted, grants })
  }
  // One that waits by itself claims when it starts.
  const claims = gate === undefined || request.admission !== undefined ? {} : { claims: [gate.request] }
  const written = await write(request, claims)
  const { result } = written.written
  if (result.kind !== 'ungranted' || gate === undefined) return written
  // What a fork takes over is known only now, so it cannot wait.
  const canWait = request.reuse === undefined
  const later = whenFull(gate, result.refused, { now: starting.services.clock.now(), canWait })
  const { lease, ...rest } = { ...request, admission: later.admission }
  // Nobody drives a queued run.
  const kept = later.isQueued || lease === undefined ? rest : { ...rest, lease }
  return { ...(await write(kept, later.isQueued ? { waits: [gate.request] } : {})), later }
}

/** A child runs in the place of its parent. */
async function gateOf(
  { limits }: Services,
  { plan, parent, principal }: AdmittedRequest,
  input: unknown,
): Promise<StartGate | undefined> {
  return parent === undefined ? limits?.gateOf(principal.tenantId, plan.plan, () => input) : undefined
}

/** A refused run takes nothing over, and nobody drives it. */
function withoutWork(request: AdmittedRequest): AdmittedRequest {
  const { reuse: _results, captured: _captured, blobs: _blobs, lease: _lease, ...rest } = request
  return rest
}

/** The input, with the defaults of the plan. A plan that is refused is told so, whatever else is wrong with the request. */
async function checked(
  services: Services,
  request: AdmittedRequest,
  graph: PlanGraph,
  refused: ValidationReport | undefined,
): Promise<unknown> {
  if (refused !== undefined) return recordableInput(request.input)
  const input = checkStart(services, request, graph)
  await services.limits?.needQuota(request.principal.tenantId, request.plan.plan)
  await checkResources(services.store, graph)
  return input
}

type RunPlace = PlanKeeping & { readonly store: RunStore }

function forPlan({ principal, children }: StartRequest, undoes: boolean): PlanAdmission {
  return { tenantId: principal.tenantId, undoes, ...(children === undefined ? {} : { children }) }
}

async function keepNewPlan(place: RunPlace, request: AdmittedRequest, newRun: NewRun, input: unknown): Promise<void> {
  try {
    const { replaceVersion = false, principal } = request
    await keepPlan(place, { ...request, tenantId: principal.tenantId }, { replaceVersion })
  } catch (refused) {
    await refuseOther(place.store, newRun, input)
    throw refused
  }
}

/** What the run keeps of the comparison, if anything. A caller that passes a report has already checked. */
function heldAgainstEngine(
  { plan, engine, principal, report }: StartRequest,
  now: number,
): ValidationReport | undefined {
  // As this version compiled it: bytes of an older format are read as they were written, and are not refused for it.
  needOwnQueues(plan.plan, engine, principal)
  return report ?? findingsOn(plan.plan, engine.engineType, now)
}

/**
 * What was done before by whom: in the run this one is made from, in the run it belongs to, and by those who set up what starts it now.
 */
async function peopleBefore(
  services: Services,
  advancer: RunAdvancer,
  request: AdmittedRequest,
): Promise<People | undefined> {
  const before = await peopleOfOrigin(services, advancer, request)
  // What a server publishes of its own folder nobody in particular has set up.
  const behind = request.principal.setUpBy?.filter(isNamed) ?? []
  if (behind.length === 0) return before
  const { makers, ...others } = before ?? NOBODY
  return { ...others, makers: [...makers, ...behind] }
}

const NOBODY: People = { makers: [], approvals: [], stoppedBy: [] }

async function peopleOfOrigin(
  { store }: Services,
  advancer: RunAdvancer,
  { before, originalRunId, principal: { tenantId } }: AdmittedRequest,
): Promise<People | undefined> {
  if (before !== undefined || originalRunId === undefined) return before
  const row = await store.findRun({ tenantId, runId: originalRunId })
  return row === undefined ? undefined : (await advancer.current(row.runKey)).state.people
}
