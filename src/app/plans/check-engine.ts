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

export function engineReport(plan: Plan, engine: EngineType, now: number): ValidationReport {
  return checkCapabilities(plan, engine, { generatedAt: isoFromMs(now) })
}

/** Engines that offer all that a plan asks for: a plan does not change, so it is compared once. */
const fits = new WeakMap<Plan, Set<EngineType>>()

/** The warnings, which the run keeps; undefined when there are none. Errors are thrown. */
export function needEngine(plan: Plan, engine: EngineType, now: number): Payload<'RunValidated'> | undefined {
  if (fits.get(plan)?.has(engine) === true) return undefined
  const other = otherTarget(engine, plan.metadata)
  if (other !== undefined) throw new KeelsonError([other])
  const report = engineReport(plan, engine, now)
  if (report.status === 'ERRORS') fail('PLAN_VALIDATION_FAILED', errorText(report), { details: { report } })
  if (report.status === 'WARNINGS') return findingsOf(report)
  fits.set(plan, (fits.get(plan) ?? new Set()).add(engine))
  return undefined
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

/** The part of a report that goes into the log. */
export function findingsOf({ status, errors, warnings }: ValidationReport): Payload<'RunValidated'> {
  return { status: status === 'ERRORS' ? 'ERRORS' : 'WARNINGS', errors: firstOf(errors), warnings: firstOf(warnings) }
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

export function errorText({ errors }: ValidationReport): string {
  return errors.map(({ code, message }) => `${code}: ${message}`).join('; ')
}
