/**
 * Expected outcomes are values: a function that can be refused returns a Result and never throws.
 */
import type { Problem } from './problems/problem.ts'

export type Result<T, P = Problem> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly P[] }

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function refused<P>(...problems: readonly P[]): { readonly ok: false; readonly problems: readonly P[] } {
  return { ok: false, problems }
}
