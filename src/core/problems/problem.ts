/**
 * A Problem is an expected failure for a person: what happened, where, what to do. Its code comes from the one
 * registry; a code outside it does not compile.
 */
import { REGISTRY, type ProblemCode } from './registry.ts'

export interface Position {
  readonly file?: string
  readonly line: number
  readonly column: number
  /** Length of the offending text, for the caret line. */
  readonly length?: number
}

export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  readonly retryable: boolean
  readonly at?: Position
  /** Where in the document, as a JSON pointer such as /steps/2/dependsOn/0. */
  readonly pointer?: string
  readonly hint?: string
  readonly details?: Readonly<Record<string, unknown>>
}

export type ProblemExtras = Pick<Problem, 'at' | 'pointer' | 'hint' | 'details'>

export function problem(code: ProblemCode, message: string, extras: ProblemExtras = {}): Problem {
  return { code, message, retryable: REGISTRY[code].retryable, ...extras }
}

/** What a refusal has to tell: never nothing. */
export type Problems = readonly [Problem, ...Problem[]]

/** The one Error class of the product: carries Problems across a boundary that can only throw. */
export class KeelsonError extends Error {
  readonly problems: Problems
  readonly code: ProblemCode

  constructor(problems: Problems, options?: { cause?: unknown }) {
    super(problems.map((p) => `${p.code}: ${p.message}`).join('\n'), options)
    this.name = 'KeelsonError'
    this.problems = problems
    this.code = problems[0].code
  }
}

export function fail(code: ProblemCode, message: string, extras: ProblemExtras = {}): never {
  throw new KeelsonError([problem(code, message, extras)])
}
