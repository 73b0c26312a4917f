/**
 * Plans as a program brings them: text, or a document that `definePlan` made. A document is compiled once, however often
 * it is started; what is wrong with it is thrown whole.
 */
import { compilePlan, compilePlanDocument, type CompiledPlan } from '../../app/compile-plan.ts'
import type { PlanDocument } from '../../core/plan/builder.ts'
import { KeelsonError, type Problem } from '../../core/problems/problem.ts'
import type { Result } from '../../core/result.ts'

/** What `start` takes: a compiled plan, or a document that is compiled on the way. */
export type Startable<I = unknown, O = unknown> = CompiledPlan<I, O> | PlanDocument<I, O>

/**
 * Compiles plan text (YAML or JSON) or a document; throws a KeelsonError with every problem found. Of text nobody can
 * know the types of input and output: give them, and they are believed.
 */
export function loadPlan<I, O>(document: PlanDocument<I, O>): CompiledPlan<I, O>
export function loadPlan<I = unknown, O = unknown>(text: string, file?: string): CompiledPlan<I, O>
export function loadPlan(source: string | PlanDocument, file?: string): CompiledPlan {
  if (typeof source !== 'string') return valueOf(compilePlanDocument(source))
  return valueOf(compilePlan(source, file === undefined ? {} : { file }))
}

/** Compiles each document once, for as long as somebody holds it. */
export class LoadedPlans {
  readonly #compiled = new WeakMap<object, CompiledPlan>()

  get(plan: Startable): CompiledPlan {
    if (isCompiled(plan)) return plan
    const known = this.#compiled.get(plan) ?? loadPlan(plan)
    this.#compiled.set(plan, known)
    return known
  }
}

/** A document names its plan; in a compiled one that is the plan itself. */
function isCompiled(plan: Startable): plan is CompiledPlan {
  return typeof plan.sha256 === 'string' && typeof plan.text === 'string' && typeof plan.plan === 'object'
}

function valueOf(result: Result<CompiledPlan>): CompiledPlan {
  if (result.ok) return result.value
  const [first, ...rest] = result.problems
  throw new KeelsonError([first as Problem, ...rest])
}
