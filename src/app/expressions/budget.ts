/**
 * What evaluation may cost: work (nodes visited, elements and text touched) and bytes of text built. Each expression
 * has its own budget; those of one mapping share a larger one, so that many expressions together cannot do what a
 * single one may not.
 */
import { LIMITS } from '../../core/limits.ts'

export class ExpressionLimit extends Error {}

export class ExpressionBudget {
  #work = 0
  #bytes = 0
  readonly #maxWork: number
  readonly #maxBytes: number
  readonly #outer: ExpressionBudget | undefined

  private constructor(maxWork: number, outer: ExpressionBudget | undefined, maxBytes: number = LIMITS.expressionBytes) {
    this.#maxWork = maxWork
    this.#maxBytes = maxBytes
    this.#outer = outer
  }

  static ofMapping(outer?: ExpressionBudget): ExpressionBudget {
    return new ExpressionBudget(LIMITS.mappingWork, outer)
  }

  /** Refuses nothing: it measures what a whole decision has cost so far. */
  static meter(): ExpressionBudget {
    return new ExpressionBudget(Infinity, undefined, Infinity)
  }

  get work(): number {
    return this.#work
  }

  static ofExpression(mapping?: ExpressionBudget): ExpressionBudget {
    return new ExpressionBudget(LIMITS.expressionWork, mapping)
  }

  spend(work: number): void {
    this.#outer?.spend(work)
    this.#work += work
    if (this.#work > this.#maxWork) throw new ExpressionLimit(`it takes more work than ${this.#maxWork} steps`)
  }

  /** Charged for a text before it is made. */
  build(bytes: number): void {
    this.#outer?.build(bytes)
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes)
      throw new ExpressionLimit(`it builds texts of more than ${this.#maxBytes} bytes together`)
  }
}
