/**
 * The `start` input of a run: what RunStarted will say of its plan, engine and principal (EVT-17, P-45).
 */
import { LIMITS } from '../core/limits.ts'
import type { Plan } from '../core/plan/plan.ts'
import type { InputBody, ReusedResult } from '../core/run/input.ts'
import type { NewRun } from '../ports/run-store.ts'
import type { LoadedRun } from './load-run.ts'
import type { Principal } from './principal.ts'

export interface StartSource {
  readonly plan: { readonly plan: Plan; readonly sha256: string }
  readonly principal: Principal
  readonly engine: { readonly engineType: 'embedded' | 'mock'; readonly maxInFlight: number }
  readonly triggerSource?: 'manual' | 'schedule' | 'webhook' | 'api'
  readonly reuse?: readonly ReusedResult[]
  readonly correlationId?: string
}

/** The start of a run that was admitted earlier, from what its row and plan tell. */
export function startOfRow(run: LoadedRun): Extract<InputBody, { kind: 'start' }> {
  const { row, identity, plan } = run
  const engineType = row.engineType === 'mock' ? 'mock' : 'embedded'
  const request = {
    plan: { plan: plan.plan, sha256: plan.sha256 },
    engine: { engineType, maxInFlight: LIMITS.concurrencyMax },
    principal: { ...identity, actorId: row.triggeredBy ?? 'local' },
  } as const
  return startInput(request, row)
}

export function startInput(request: StartSource, run: NewRun): Extract<InputBody, { kind: 'start' }> {
  const { plan } = request.plan
  const { tenantId, projectId, environmentId, actorId } = request.principal
  return {
    kind: 'start',
    details: {
      engineRunRef: run.engineRunRef,
      engineType: request.engine.engineType,
      maxInFlight: request.engine.maxInFlight,
      planRef: {
        uri: `plan:sha256:${request.plan.sha256}`,
        sha256: request.plan.sha256,
        schemaVersion: plan.schemaVersion,
        planId: plan.metadata.planId,
        planVersion: plan.metadata.planVersion,
      },
      context: {
        tenantId,
        projectId,
        environmentId,
        triggeredBy: actorId,
        triggerSource: request.triggerSource ?? 'api',
        ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
      },
      ...(run.originalRunId === undefined ? {} : { originalRunId: run.originalRunId }),
      ...(run.parent === undefined ? {} : { parent: run.parent }),
    },
    ...(request.reuse === undefined ? {} : { reuse: request.reuse }),
  }
}
