/** Values of expressions where only text is possible: a header, a parameter, an argument. */
import type { Json } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'

/**
 * Numbers and booleans as JSON writes them. Null, lists and objects are refused: an empty text or `[object]` helps
 * nobody.
 */
export function asText(value: Json, what: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const sort = value === null ? 'nothing' : Array.isArray(value) ? 'a list' : 'an object'
  return fail('INPUT_INVALID', `${what} must be text, but its value is ${sort}`)
}

/** A step without `with` has no input to send. */
export function isEmptyInput(input: unknown): boolean {
  return input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0)
}
