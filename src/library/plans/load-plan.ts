/**
 * Plans as a program brings them: text, or a document that `definePlan` made. A document is compiled once, however often
 * it is started; what is wrong with it is thrown whole.
 */
import { compilePlanDocument, type CompiledPlan } from '../../app/plans/compile.ts'
import { isVouched, vouch } from '../../app/plans/plan-source.ts'
import type { PlanDocument } from '../../core/plan/write/builder.ts'
import { ORIGINS, type Origin } from '../../core/plan/import/origin.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import { needKind, OBJECT, TEXT, type Kind } from '../../core/option-kinds.ts'
import { unwrap } from '../../core/result.ts'
import { compileText, importText } from './compile-apart.ts'

/** What `start` takes: a compiled plan, or a document that is compiled on the way. */
export type Startable<I = unknown, O = unknown> = CompiledPlan<I, O> | PlanDocument<I, O>

/**
 * Compiles plan text (YAML or JSON) or a document; throws a KeelsonError with every problem found. Of text nobody can
 * know the types of input and output: give them, and they are believed.
 */
export function loadPlan<I, O>(document: PlanDocument<I, O>): CompiledPlan<I, O>
export function loadPlan<I = unknown, O = unknown>(text: string, file?: string): CompiledPlan<I, O>
export function loadPlan(source: string | PlanDocument, file?: string): CompiledPlan {
  if (file !== undefined) needKind('loadPlan: the name of the file', file, TEXT)
  if (typeof source !== 'string') return unwrap(compilePlanDocument(source))
  return unwrap(compileText(source, file === undefined ? {} : { file }))
}

export interface ForeignOptions {
  /** Told by the shape of the document where it is left out. */
  readonly from?: Origin
  /** For messages. */
  readonly file?: string
  /** Texts of capability matrices, for workflows of Portarium. */
  readonly matrices?: readonly string[]
}

/** A document of orchestr8, dvt or Portarium as a plan; throws a KeelsonError with every problem, at its place in the text. */
export function importPlan<I = unknown, O = unknown>(text: string, options?: ForeignOptions): CompiledPlan<I, O>
export function importPlan(text: string, options: ForeignOptions = {}): CompiledPlan {
  needKind('importPlan: the text', text, TEXT)
  const { from, file, matrices = [] } = options
  if (from !== undefined && !ORIGINS.includes(from))
    throw new KeelsonError([problem('OPTION_INVALID', `importPlan: 'from' is ${ORIGINS.join(', ')} or absent`)])
  const given = { text, ...(file === undefined ? {} : { file }) }
  const read = { matrices: matrices.map((one) => ({ text: one })), ...(from === undefined ? {} : { from }) }
  return unwrap(importText(given, read)).compiled
}

/** Compiles each document once, for as long as somebody holds it. */
export class LoadedPlans {
  readonly #compiled = new WeakMap<object, CompiledPlan>()

  get(plan: Startable): CompiledPlan {
    needKind('the plan', plan, PLAN)
    if (isCompiled(plan) && isVouched(plan)) return plan
    const known = this.#compiled.get(plan) ?? (isCompiled(plan) ? compiledAgain(plan) : loadPlan(plan))
    this.#compiled.set(plan, known)
    return known
  }
}

/**
 * A plan that says it was compiled, by somebody else or in another process: its text is read like any text, and it has to be what it says.
 * What cannot be known of it, such as the bytes it was made of, is left out.
 */
export function compiledAgain({ text, sha256, blocks = [] }: CompiledPlan): CompiledPlan {
  needKind('the text of the plan', text, TEXT)
  const made = unwrap(compileText(text))
  if (made.sha256 !== sha256 || made.text !== text)
    fail(
      'PLAN_INTEGRITY_VALIDATION_FAILED',
      `the plan says that its hash is ${sha256}, and its text has ${made.sha256}`,
      {
        details: { expectedSha256: sha256, actualSha256: made.sha256 },
      },
    )
  const inner = [...(made.blocks ?? []), ...blocks.map((block) => (isVouched(block) ? block : compiledAgain(block)))]
  return vouch({ ...made, ...(inner.length === 0 ? {} : { blocks: inner }) })
}

/** What `start` and `publish` take. */
export const PLAN: Kind = {
  what: 'a plan',
  is: OBJECT.is,
  hint: 'of a text: `loadPlan(text)`; of a published plan: `{ planId }`',
}

/** A document names its plan; in a compiled one that is the plan itself. */
function isCompiled(plan: Startable): plan is CompiledPlan {
  return typeof plan.sha256 === 'string' && typeof plan.text === 'string' && typeof plan.plan === 'object'
}
