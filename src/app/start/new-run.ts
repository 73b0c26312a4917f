/** A run that is not in the store yet: its identity, its row, and the fold of its empty log. */
import type { RunIdentity } from '../../core/events/event.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { initialState } from '../../core/run/state/initial-state.ts'
import { summaryOf } from '../../core/run/summary.ts'
import type { CommitResult, NewRun, RunCommit, RunRow } from '../../ports/run-store.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { FIRST_PREVIOUS } from '../log/event-hashes.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { Principal } from '../principal.ts'
import type { Services } from '../services.ts'
import { CommittedValues } from '../values/committed.ts'
import type { AdmittedRequest } from './start-request.ts'

export function requestKey(principal: Principal, plan: Plan, runRequestId: string): string {
  return requestKeyOf({ ...principal, ...plan.metadata }, runRequestId)
}

/** The key under which a run of this identity answers a request. */
export function requestKeyOf(identity: Omit<RunIdentity, 'runId'>, runRequestId: string): string {
  const { tenantId, projectId, environmentId, planId, planVersion } = identity
  return sha256Hex([tenantId, projectId, environmentId, planId, planVersion, runRequestId].join('|'))
}

export interface PreparedRun {
  readonly run: LoadedRun
  readonly newRun: NewRun
}

export function prepareRun(services: Services, request: AdmittedRequest): PreparedRun {
  const { planId, planVersion } = request.plan.plan.metadata
  const { tenantId, projectId, environmentId } = request.principal
  const runId = request.runId ?? services.random.uuid()
  const identity: RunIdentity = { runId, tenantId, projectId, environmentId, planId, planVersion }
  const newRun = newRunOf(request, identity)
  return { run: unsavedRun(newRun, identity, request.plan, services.clock.now()), newRun }
}

function newRunOf(request: AdmittedRequest, identity: RunIdentity): NewRun {
  const { plan, sha256: planSha256 } = request.plan
  return {
    ...identity,
    planSha256,
    engineType: request.engine.engineType,
    engineRunRef: request.engine.runRef?.(identity) ?? `${request.engine.engineType}://${identity.runId}`,
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
    summary: row,
    checkpointSeq: 0,
    values: new CommittedValues(),
  }
}

/** The row as the store has just written it: reading it back would cost as much as half the start. */
export function rowOf(
  newRun: NewRun,
  { summary, lease }: Pick<RunCommit, 'summary' | 'lease'>,
  { runKey, persistedAt }: Extract<CommitResult, { kind: 'committed' }>,
  { nextSeq, headHash }: LoadedRun,
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
