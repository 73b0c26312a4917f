/**
 * Holds a plan against the engine its run will be on, before anything is written or started (CAP-02, ENG-12). Every start
 * goes through here: a plan that is meant for another engine, or requires what this one lacks, starts nowhere.
 */
import { otherTarget } from '../core/engine/choose-adapter.ts'
import { checkCapabilities, type ValidationReport } from '../core/plan/capabilities.ts'
import type { Plan } from '../core/plan/plan.ts'
import type { Payload } from '../core/events/event.ts'
import { fail, KeelsonError } from '../core/problems/problem.ts'
import type { EngineType } from '../core/run/engines.ts'
import { isoFromMs } from '../core/time.ts'

export function engineReport(plan: Plan, engine: EngineType, now: number): ValidationReport {
  return checkCapabilities(plan, engine, { generatedAt: isoFromMs(now) })
}

/** The warnings, which the run keeps; undefined when there are none. Errors are thrown. */
export function needEngine(plan: Plan, engine: EngineType, now: number): Payload<'RunValidated'> | undefined {
  const other = otherTarget(engine, plan.metadata)
  if (other !== undefined) throw new KeelsonError([other])
  const report = engineReport(plan, engine, now)
  if (report.status === 'ERRORS') fail('PLAN_VALIDATION_FAILED', errorText(report), { details: { report } })
  return report.status === 'WARNINGS' ? findingsOf(report) : undefined
}

/** What of a report goes into the log. */
export function findingsOf({ status, errors, warnings }: ValidationReport): Payload<'RunValidated'> {
  return { status: status === 'ERRORS' ? 'ERRORS' : 'WARNINGS', errors, warnings }
}

export function errorText({ errors }: ValidationReport): string {
  return errors.map(({ code, message }) => `${code}: ${message}`).join('; ')
}
