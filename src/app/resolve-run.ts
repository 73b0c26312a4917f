/**
 * From a reference that somebody gives to the run it means (ENG-04): found by what is stored, within the tenant of who asks,
 * and held against what is stored. A run of another tenant is no run at all, and the attempt is audited.
 */
import { mismatchOf, parseRunRef, storedRunRef, type EngineRunRef } from '../core/engine/run-ref.ts'
import { parseEngineRunRef } from '../core/events/engine-run-ref.ts'
import { fail, KeelsonError, type Problem } from '../core/problems/problem.ts'
import { engineTypeOf } from '../core/run/engines.ts'
import { isoFromMs } from '../core/time.ts'
import type { ActorContext } from '../ports/provider-adapter.ts'
import type { RunRow } from '../ports/run-store.ts'
import type { Services } from './services.ts'

export interface ResolveParts {
  readonly services: Pick<Services, 'store' | 'clock' | 'random' | 'audit'>
}

/** A structured reference, its text as events have it, or the run's own id. */
export type GivenRef = EngineRunRef | string

export async function resolveRun(
  parts: ResolveParts,
  operation: string,
  given: GivenRef,
  actor: ActorContext,
): Promise<RunRow> {
  needActor(operation, actor)
  const ref = typeof given === 'string' ? undefined : readRef(given)
  const runId = ref?.runId ?? idOf(String(given))
  const row = await parts.services.store.findRun({ tenantId: actor.tenantId, runId })
  if (row === undefined) {
    await deny(parts, { operation, actor, target: runId, reasonCode: 'RUN_NOT_FOUND' })
    return fail('RUN_NOT_FOUND', `no run ${runId}`)
  }
  const wrong = ref === undefined ? undefined : mismatchOf(ref, refOf(row))
  if (wrong !== undefined)
    fail('ADAPTER_INVALID_RUN_REF', `'${wrong}' of the reference is not that of run ${runId}`, {
      pointer: `/${wrong}`,
      details: { operation, runId },
    })
  return row
}

/** The reference of a stored run. */
export function refOf(row: RunRow, taskQueue?: string): EngineRunRef {
  const { runId, engineType, engineRunRef } = row
  return storedRunRef({ runId, engineType: engineTypeOf(engineType), engineRunRef }, taskQueue)
}

/** Without a caller nothing is done. */
export function needActor(operation: string, actor: ActorContext | undefined): void {
  if (actor === undefined || actor.userId === '' || actor.tenantId === '')
    fail('AUTHZ_DENIED', `nobody is known to ask for ${operation}`, { details: { operation } })
}

/** Nobody starts anything for another tenant. */
export async function needOwnTenant(
  parts: ResolveParts,
  { tenantId, runId }: { readonly tenantId: string; readonly runId: string },
  actor: ActorContext,
): Promise<void> {
  if (tenantId === actor.tenantId) return
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

function readRef(given: EngineRunRef): EngineRunRef {
  const ref = parseRunRef(given)
  if (ref.ok) return ref.value
  const [first, ...rest] = ref.problems
  throw new KeelsonError([first as Problem, ...rest])
}

/** On every engine of ours the workflow has the run's id. */
function idOf(text: string): string {
  const name = parseEngineRunRef(text)
  if (name === undefined) return text
  return 'runId' in name ? name.runId : name.workflowId
}
