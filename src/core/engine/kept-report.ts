/**
 * The validation report that a run keeps (CAP-11). Where there was something to tell, it is the run's first event; else the log
 * itself says that all was found that the plan requires, and the report follows from the plan and the engine of its admission.
 */
import type { LogRecord, Payload } from '../events/event.ts'
import type { Plan } from '../plan/plan.ts'
import { checkCapabilities, type ValidationReport } from './check-capabilities.ts'
import { normaliseCapability } from './capabilities.ts'
import type { EngineType } from './engine-type.ts'

/** So many events of a log are enough to find it. */
export const REPORT_WITHIN = 4

/** `records`: the first of its log. `engine`: where it is now, for a log that does not say where it was admitted. */
export function keptReport(plan: Plan, records: readonly LogRecord[], engine: EngineType): ValidationReport {
  const [first] = records
  const known = first?.eventType === 'RunValidated' ? (first.payload as Payload<'RunValidated'>) : undefined
  const generatedAt = known?.generatedAt ?? first?.emittedAt ?? ''
  const now = checkCapabilities(plan, known?.targetAdapter ?? admittedOn(records) ?? engine, { generatedAt })
  if (known === undefined) return validOf(now, plan)
  const { inputRef: _ref, origin: _origin, ...report } = known
  return { ...now, ...report } as ValidationReport
}

/** Whatever a later version would find: at its admission nothing was lacking. */
function validOf(now: ValidationReport, plan: Plan): ValidationReport {
  const { remediation: _none, ...rest } = now
  const capabilityChecks = (plan.metadata.requiresCapabilities ?? []).map((name) => {
    return { capability: normaliseCapability(name) ?? name, supported: true, adapterSupport: 'native' } as const
  })
  return { ...rest, status: 'VALID', errors: [], warnings: [], capabilityChecks }
}

function admittedOn(records: readonly LogRecord[]): EngineType | undefined {
  const { origin } = (records[0]?.payload ?? {}) as Partial<Payload<'RunApproved'>>
  const started = records.find(({ eventType }) => eventType === 'RunStarted')
  return origin?.engineType ?? (started?.payload as Payload<'RunStarted'> | undefined)?.engineType
}
