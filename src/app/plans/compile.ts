/**
 * Prepares a plan for admission: it is parsed, its expressions and schemas are checked, and its canonical text is hashed. The
 * problems of all checks are reported together, in the order of the text.
 */
import {
  canonicalPlan,
  readPlan,
  readPlanValue,
  sortProblems,
  type PlanReading,
} from '../../core/plan/compile/parse-plan.ts'
import type { TypedPlan } from '../../core/plan/write/builder.ts'
import { documentValue } from '../../core/plan/read/document-value.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { Block } from '../../core/plan/read/reading.ts'
import type { ReadOptions } from '../../core/plan/read/read-document.ts'
import type { PlanSource } from '../../core/run/input.ts'
import { ok, refusedFor, type Result } from '../../core/result.ts'
import { checkExpressions } from './check-expressions.ts'
import { checkSchemas } from './check-schemas.ts'
import { madeOf, sourceOf, vouch } from './plan-source.ts'
import { sha256Hex } from '../log/sha256.ts'

/** Typed like the document it was compiled from; from text the types are what the reader says they are. */
export interface CompiledPlan<I = unknown, O = unknown> extends TypedPlan<I, O> {
  readonly plan: Plan
  /** Canonical JSON (RFC 8785). */
  readonly text: string
  /** Of the canonical text in UTF-8, lower-case hex: the plan's identity. */
  readonly sha256: string
  /** The plans that were made of the steps under `forEach`, at any depth; they are stored and published with this one. */
  readonly blocks?: readonly CompiledPlan[]
  /** The bytes it was made of, where they are others than `text`; a run of it has both hashes on record. */
  readonly source?: PlanSource
}

export function compilePlan(text: string, options: ReadOptions = {}): Result<CompiledPlan> {
  const compiled = finishPlan(readPlan(text, options))
  return compiled.ok ? ok(madeOf(compiled.value, sourceOf(text))) : compiled
}

/** For a document that is already a value, such as what `definePlan` gives. */
export function compilePlanDocument(document: unknown): Result<CompiledPlan> {
  const read = documentValue(document)
  return read.ok ? finishPlan(readPlanValue(read.value, [], () => undefined)) : read
}

/** For a document inside another one: `reading` knows its place. */
export function finishPlan(reading: PlanReading): Result<CompiledPlan> {
  const problems = [...reading.problems, ...checkExpressions(reading), ...checkSchemas(reading)]
  const { plan } = reading
  if (plan === undefined || problems.length > 0) return refusedFor(sortProblems(problems))
  return ok(vouch(hashed(plan, reading.blocks)))
}

/** From the inside out: a step is pinned to the hash of its block. */
function hashed(plan: Plan, blocks: readonly Block[]): CompiledPlan {
  const compiled = new Map<string, CompiledPlan>()
  for (const block of blocks) if (block.plan !== undefined) compiled.set(block.stepId, hashed(block.plan, block.blocks))
  const steps = plan.steps.map((step) => {
    const block = compiled.get(step.stepId)
    return block === undefined || !('plan' in step) ? step : { ...step, plan: { ...step.plan, sha256: block.sha256 } }
  })
  const pinned = compiled.size === 0 ? plan : { ...plan, steps }
  const text = canonicalPlan(pinned)
  const inner = [...compiled.values()].flatMap(({ blocks: deeper = [], ...block }) => [block, ...deeper])
  return { plan: pinned, text, sha256: sha256Hex(text), ...(inner.length === 0 ? {} : { blocks: inner }) }
}
