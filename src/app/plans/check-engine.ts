/**
 * Compares a plan with the engine that its run will be on, before anything is written or started (CAP-02, ENG-12). Every start
 * goes through here: a plan that is meant for another engine, or requires what this engine lacks, is not started.
 */
import { otherTarget } from '../../core/engine/choose-adapter.ts'
import { LIMITS } from '../../core/limits.ts'
import { checkCapabilities, type ValidationReport } from '../../core/engine/check-capabilities.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { Payload } from '../../core/events/event.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import type { EngineType } from '../../core/engine/engine-type.ts'
import type { EngineCapabilities } from '../../ports/engine.ts'
import { isoFromMs } from '../../core/time.ts'
import { jsonBytes } from '../schemas/json-bytes.ts'

/** What is found of a plan on an engine; a plan that is meant for another one is refused, and nothing is found of it (ENG-12). */
export function engineReport(plan: Plan, engine: EngineType, now: number): ValidationReport {
  const other = otherTarget(engine, plan.metadata)
  if (other !== undefined) throw new KeelsonError([other])
  return checkCapabilities(plan, engine, { generatedAt: isoFromMs(now) })
}

/** Engines that offer all that a plan asks for: a plan does not change, so it is compared once. */
const fits = new WeakMap<Plan, Set<EngineType>>()

/** The report where it has something to say; undefined when the engine offers all that the plan asks for. */
export function findingsOn(plan: Plan, engine: EngineType, now: number): ValidationReport | undefined {
  if (fits.get(plan)?.has(engine) === true) return undefined
  const report = engineReport(plan, engine, now)
  if (report.status !== 'VALID') return report
  fits.set(plan, (fits.get(plan) ?? new Set()).add(engine))
  return undefined
}

/** Refuses what a start would refuse, where nothing is started. */
export function needEngine(plan: Plan, engine: EngineType, now: number): void {
  const report = findingsOn(plan, engine, now)
  if (report?.status === 'ERRORS') refuseFor(report)
}

/** `kept`: of the run that keeps the report, where there is one (CAP-04, CAP-11). */
export function refuseFor(report: ValidationReport, kept: { readonly runId?: string } = {}): never {
  const message = report.errors.map((one) => `${one.code}: ${one.message}`).join('; ')
  const { runId } = kept
  return fail('PLAN_VALIDATION_FAILED', message, {
    ...(runId === undefined ? {} : { hint: `the report is kept: keelson show ${runId}` }),
    details: { report, ...kept },
  })
}

/** Workers of other tenants listen to other queues: a plan must not send its steps to them (TMP-13). */
export function needOwnQueues({ steps }: Plan, { isForeignQueue }: EngineCapabilities, scope: QueueScope): void {
  if (isForeignQueue === undefined) return
  const refused = steps.find(
    ({ dispatch: { taskQueue } = {} }) => taskQueue !== undefined && isForeignQueue(scope, taskQueue),
  )
  if (refused !== undefined)
    fail(
      'TASK_QUEUE_REFUSED',
      `step '${refused.stepId}' names the queue '${refused.dispatch?.taskQueue ?? ''}', which is not one of ${scope.tenantId}`,
    )
}

type QueueScope = Parameters<NonNullable<EngineCapabilities['isForeignQueue']>>[0]

/** The report as it goes into the log, which knows the plan and its version. */
export function recorded(report: ValidationReport): Payload<'RunValidated'> {
  const {
    planId: _id,
    planVersion: _version,
    status,
    errors,
    warnings,
    capabilityChecks,
    remediation,
    ...rest
  } = report
  const { suggestedCapabilities: names } = remediation ?? {}
  return {
    status: status === 'ERRORS' ? 'ERRORS' : 'WARNINGS',
    errors: firstOf(errors),
    warnings: firstOf(warnings),
    capabilityChecks: firstOf(capabilityChecks),
    ...rest,
    ...(remediation === undefined
      ? {}
      : { remediation: { ...remediation, ...(names === undefined ? {} : { suggestedCapabilities: firstOf(names) }) } }),
  }
}

/** As many as fit: a plan may have as many faults as steps. */
function firstOf<T>(findings: readonly T[]): readonly T[] {
  let bytes = 0
  const end = findings.findIndex((one) => {
    bytes += (jsonBytes(one, LIMITS.findingsBytes) ?? LIMITS.findingsBytes) + 1
    return bytes > LIMITS.findingsBytes
  })
  return end < 0 ? findings : findings.slice(0, end)
}
