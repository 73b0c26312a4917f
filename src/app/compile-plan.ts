/**
 * A plan made ready to be admitted: parsed, its expressions and schemas checked, its canonical text hashed. All
 * problems of all checks are told together, in the order of the text.
 */
import { canonicalPlan, readPlan, readPlanValue, sortProblems, type PlanReading } from '../core/plan/parse-plan.ts'
import type { TypedPlan } from '../core/plan/builder.ts'
import { documentValue } from '../core/plan/document-value.ts'
import type { Plan } from '../core/plan/plan.ts'
import type { ReadOptions } from '../core/plan/read-document.ts'
import { ok, type Result } from '../core/result.ts'
import { checkExpressions } from './check-expressions.ts'
import { checkSchemas } from './check-schemas.ts'
import { sha256Hex } from './sha256.ts'

/** Typed like the document it was compiled from; from text the types are what the reader says they are. */
export interface CompiledPlan<I = unknown, O = unknown> extends TypedPlan<I, O> {
  readonly plan: Plan
  /** Canonical JSON (RFC 8785). */
  readonly text: string
  /** Of the canonical text in UTF-8, lower-case hex: the plan's identity. */
  readonly sha256: string
}

export function compilePlan(text: string, options: ReadOptions = {}): Result<CompiledPlan> {
  return finishPlan(readPlan(text, options))
}

/** For a document that is already a value, such as what `definePlan` gives. */
export function compilePlanDocument(document: unknown): Result<CompiledPlan> {
  const read = documentValue(document)
  return read.ok ? finishPlan(readPlanValue(read.value, [], () => undefined)) : read
}

/** For a document that stands inside another one: `reading` knows where. */
export function finishPlan(reading: PlanReading): Result<CompiledPlan> {
  const problems = [...reading.problems, ...checkExpressions(reading), ...checkSchemas(reading)]
  const { plan } = reading
  if (plan === undefined || problems.length > 0) return { ok: false, problems: sortProblems(problems) }
  const text = canonicalPlan(plan)
  return ok({ plan, text, sha256: sha256Hex(text) })
}
