/**
 * A plan held against an engine without starting anything: the verdict, the codes and the report of a start there (CAP-03). Only
 * what is refused before any comparison is thrown: a name that is no engine, or a plan that is meant for another one.
 */
import { engineReport } from '../../app/plans/check-engine.ts'
import type { CompiledPlan } from '../../app/plans/compile.ts'
import type { ValidationReport } from '../../core/engine/check-capabilities.ts'
import { chooseAdapter } from '../../core/engine/choose-adapter.ts'
import { MAX_IN_FLIGHT, type EngineType } from '../../core/engine/engine-type.ts'
import { needKnown, type OptionNames } from '../../core/known-options.ts'
import { TEXT } from '../../core/option-kinds.ts'
import { unwrap } from '../../core/result.ts'
import { LoadedPlans, type Startable } from './load-plan.ts'

export interface ValidateOptions {
  /** The engine; default: the one that a start would use. */
  readonly targetAdapter?: string
}

const VALIDATE_OPTIONS: OptionNames<ValidateOptions> = { targetAdapter: TEXT }
const ENGINES = Object.keys(MAX_IN_FLIGHT) as readonly EngineType[]

/** The report on a plan, for a program that has not opened Keelson; default engine: `embedded`. */
export function validatePlan(plan: Startable, options: ValidateOptions = {}): ValidationReport {
  return validated(new LoadedPlans().get(plan), options, 'embedded', Date.now())
}

export function validated(
  { plan }: Pick<CompiledPlan, 'plan'>,
  options: ValidateOptions,
  standard: EngineType,
  now: number,
): ValidationReport {
  needKnown('validatePlan', options, VALIDATE_OPTIONS)
  const { targetAdapter = standard } = options
  const engine = unwrap(chooseAdapter(targetAdapter, plan.metadata, { standard, open: ENGINES, production: false }))
  return engineReport(plan, engine, now)
}
