/**
 * The `start` input of a run: what RunStarted will say of its plan, engine and principal (EVT-17, P-45).
 */
import { isDegraded } from '../../core/engine/check-capabilities.ts'
import { engineTypeOf, MAX_IN_FLIGHT } from '../../core/engine/engine-type.ts'
import type { Payload } from '../../core/events/event.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { InputBody, ReusedResult, RunOrigin } from '../../core/run/input.ts'
import type { EngineCapabilities } from '../../ports/engine.ts'
import type { NewRun } from '../../ports/run-store.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Principal } from '../principal.ts'
import { compensationOf } from '../loaded/compensation-run-id.ts'

type TriggerSource = NonNullable<StartSource['triggerSource']>

export interface StartSource {
  readonly plan: { readonly plan: Plan; readonly sha256: string }
  readonly principal: Principal
  readonly engine: EngineCapabilities
  readonly triggerSource?: 'manual' | 'schedule' | 'webhook' | 'api'
  readonly reuse?: readonly ReusedResult[]
  readonly correlationId?: string
  /** This process may let its steps begin before the store has taken their StepStarted (LAT-02). */
  readonly intentLate?: boolean
  readonly report?: Payload<'RunValidated'>
  readonly children?: Payload<'RunStarted'>['children']
}

export interface StartOfRow {
  readonly intentLate: boolean
  /** The first event of the run, where it is one. */
  readonly report?: Payload<'RunValidated'>
  /** The engine's own name for the run, where the engine makes it. */
  readonly startAs?: string
}

/** The start of a run that was admitted earlier, from what its row and plan tell. */
export function startOfRow(run: LoadedRun, how: StartOfRow): Extract<InputBody, { kind: 'start' }> {
  const { intentLate, startAs, report } = how
  const { row, identity, plan, state } = run
  const engineType = engineTypeOf(row.engineType)
  const request = {
    plan: { plan: plan.plan, sha256: plan.sha256 },
    engine: { engineType, maxInFlight: MAX_IN_FLIGHT[engineType] },
    principal: { ...identity, actorId: row.triggeredBy ?? 'local' },
    intentLate,
    ...(report === undefined ? {} : { report }),
    ...(state.correlationId === '' ? {} : { correlationId: state.correlationId }),
    ...(state.triggerSource === '' ? {} : { triggerSource: state.triggerSource as TriggerSource }),
  } as const
  return startInput(request, startAs === undefined ? row : { ...row, engineRunRef: startAs })
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
      ...degradedBy(request),
      ...originOf(run),
      ...(run.parent === undefined ? {} : { parent: run.parent }),
      ...(request.children === undefined ? {} : { children: request.children }),
      ...(request.intentLate === true && request.engine.engineType === 'embedded' ? { intentLate: true } : {}),
    },
    ...(request.reuse === undefined ? {} : { reuse: request.reuse }),
  }
}

/** What the first event says of a run whose RunStarted says the rest. */
export function requestOf({ requestKey }: NewRun): RunOrigin {
  return requestKey === undefined ? {} : { requestKey }
}

/** What the first event says of a run that is started later, or never. */
export function runOrigin(run: NewRun): RunOrigin {
  const { planSha256, engineType, engineRunRef, triggeredBy, originalRunId, parent } = run
  return {
    ...requestOf(run),
    planSha256,
    engineType: engineTypeOf(engineType),
    engineRunRef,
    ...(triggeredBy === undefined ? {} : { triggeredBy }),
    ...(originalRunId === undefined ? {} : { originalRunId }),
    ...(parent === undefined ? {} : { parent }),
  }
}

/** The run it was made from: one it undoes, or one whose results it goes on with. */
function originOf(run: NewRun): Partial<Payload<'RunStarted'>> {
  const undone = compensationOf(run)
  if (undone !== undefined) return { compensationOf: undone }
  return run.originalRunId === undefined ? {} : { originalRunId: run.originalRunId }
}

/** The report is the run's first event. */
function degradedBy({ report, plan }: StartSource): Partial<Payload<'RunStarted'>> {
  if (report === undefined || !isDegraded(report, plan.plan)) return {}
  return { degraded: true, warnings: report.warnings, validationReportRef: 'event:1' }
}
