/**
 * Expected outcomes are values: a function that can be refused returns a Result and never throws.
 */
import { KeelsonError, type Problem } from './problems/problem.ts'

export type Result<T, P = Problem> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly [P, ...P[]] }

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function refused<P>(...problems: readonly [P, ...P[]]): {
  readonly ok: false
  readonly problems: readonly [P, ...P[]]
} {
  return { ok: false, problems }
}

/** For a check that collects what it finds: refused as soon as there is one problem. */
export function okUnless<T, P>(problems: readonly P[], value: T): Result<T, P> {
  return problems.length === 0 ? ok(value) : refusedFor(problems)
}

/** For whoever has no value: then something was found, or the check itself is wrong. */
export function refusedFor<P>([first, ...others]: readonly P[]): ReturnType<typeof refused<P>> {
  if (first === undefined) throw new RangeError('refused without a problem')
  return refused(first, ...others)
}

/** The value, for whoever can only throw. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new KeelsonError(result.problems)
}
