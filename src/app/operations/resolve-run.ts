/**
 * From a given reference to its run (ENG-04): found by what is stored, within the caller's tenant, and compared with
 * what is stored. A run of another tenant counts as unknown, and the attempt is audited.
 */
import { unwrap } from '../../core/result.ts'
import { mismatchOf, parseRunRef, storedRunRef, type EngineRunRef } from '../../core/engine/run-ref.ts'
import { runIdsOf } from '../../core/engine/workflow-id.ts'
import { parseEngineRunRef } from '../../core/engine/run-ref-text.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { engineTypeOf } from '../../core/engine/engine-type.ts'
import { isoFromMs } from '../../core/time.ts'
import type { ActorContext } from '../../ports/provider-adapter.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { hasRunIdLength, mustFitNames } from '../log/fitting.ts'
import type { Services } from '../services.ts'

export interface ResolveParts {
  readonly services: Pick<Services, 'store' | 'clock' | 'random' | 'audit'>
}

/** A structured reference, its text form in events, or the run's own id. */
export type GivenRef = EngineRunRef | string

export async function resolveRun(
  parts: ResolveParts,
  operation: string,
  given: GivenRef,
  actor: ActorContext,
): Promise<RunRow> {
  needActor(operation, actor)
  const ref = typeof given === 'string' ? undefined : unwrap(parseRunRef(given))
  const runId = ref?.runId ?? String(given)
  if (ref !== undefined || parseEngineRunRef(runId) === undefined) mustFitNames({ runId })
  else mustFitReference(runId)
  const row = await find(parts.services.store, actor.tenantId, runId)
  if (row === undefined) {
    await deny(parts, { operation, actor, target: runId, reasonCode: 'RUN_NOT_FOUND' })
    return fail('RUN_NOT_FOUND', `no run ${runId}`)
  }
  const wrong = ref === undefined ? undefined : mismatchOf(ref, refOf(row))
  if (wrong !== undefined)
    fail('ADAPTER_INVALID_RUN_REF', `the field '${wrong}' of the reference does not match run ${runId}`, {
      pointer: `/${wrong}`,
      details: { operation, runId },
    })
  return row
}

/** The id is only a part of it. */
function mustFitReference(text: string): void {
  const { engineRunRefChars: most } = LIMITS
  if (text.length > most)
    fail('VALUE_TOO_LARGE', `the reference has ${text.length} characters; at most ${most} are allowed`)
}

/** The reference of a stored run. */
export function refOf(row: RunRow, taskQueue?: string): EngineRunRef {
  const { runId, engineType, engineRunRef } = row
  return storedRunRef({ runId, engineType: engineTypeOf(engineType), engineRunRef }, taskQueue)
}

/** Nothing is done without a caller. */
export function needActor(operation: string, actor: ActorContext | undefined): void {
  if (actor === undefined || actor.userId === '' || actor.tenantId === '')
    fail('AUTHZ_DENIED', `${operation} was called without an actor`, { details: { operation } })
  // Later refusals go to the audit trail.
  const { userId, tenantId, sourceIp } = actor
  mustFitNames({ userId, tenantId, sourceIp })
}

/** Nobody starts runs for another tenant. */
export async function needOwnTenant(
  parts: ResolveParts,
  { tenantId, runId }: { readonly tenantId: string; readonly runId: string },
  actor: ActorContext,
): Promise<void> {
  if (tenantId === actor.tenantId) return
  mustFitNames({ tenantId, runId })
  await deny(parts, { operation: 'startRun', actor, target: runId, reasonCode: 'AUTHZ_TENANT_FORBIDDEN' })
  fail('AUTHZ_TENANT_FORBIDDEN', `${actor.userId} may not start runs of another tenant`)
}

async function deny(
  { services }: ResolveParts,
  denied: {
    readonly operation: string
    readonly actor: ActorContext
    readonly target: string
    readonly reasonCode: string
  },
): Promise<void> {
  const { operation, actor, target, reasonCode } = denied
  const { userId: actorId, tenantId, sourceIp } = actor
  await services.audit?.record({
    at: isoFromMs(services.clock.now()),
    policyDecisionId: services.random.uuid(),
    operation,
    decision: 'DENIED',
    reasonCode,
    actorId,
    tenantId,
    ...(sourceIp === undefined ? {} : { sourceIp }),
    target,
  })
}

/** By the run's own id, or by its reference as a text: a workflow's name has the run's id in it. */
async function find(store: Pick<RunStore, 'findRun'>, tenantId: string, given: string): Promise<RunRow | undefined> {
  const name = parseEngineRunRef(given)
  if (name === undefined) return store.findRun({ tenantId, runId: given })
  const ids = ('runId' in name ? [name.runId] : runIdsOf(name.workflowId, tenantId)).filter(mayBeRunId)
  const rows = await Promise.all(ids.map((runId) => store.findRun({ tenantId, runId })))
  const found = rows.filter((row) => row !== undefined)
  // A run that has left that engine since then is still the right one.
  return found.find((row) => 'workflowId' in name && refOf(row).workflowId === name.workflowId) ?? found[0]
}

/** What no run is called, no store is asked for. */
function mayBeRunId(text: string): boolean {
  return hasRunIdLength(text) && !text.includes('\0')
}
