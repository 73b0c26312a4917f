/**
 * Whether a value from a program can be recorded unchanged: a value without a JSON form (a BigInt, NaN, half a
 * character, a cycle, bytes) is refused with its place, never turned into null or text.
 */
import type { ProblemCode } from '../../core/problems/registry.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { canonicalText } from './canonical.ts'

export type Recordable = { readonly text: string } | { readonly why: string }

/** Its canonical text, or why it has none. */
export function recordable(value: unknown): Recordable {
  const written = writtenOf(value)
  if ('text' in written) return written
  const place = placeOf(value, '', new Set())
  return place === '' ? written : { why: `${written.why} It is at ${place}.` }
}

/** Throws under `code`; `what` names the value: 'the input'. */
export function mustBeRecordable(value: unknown, code: ProblemCode, what: string): void {
  const written = recordable(value)
  if ('why' in written) fail(code, `${what} cannot be recorded: ${written.why}`)
}

function writtenOf(value: unknown): Recordable {
  try {
    return { text: canonicalText(value) }
  } catch (thrown) {
    if (thrown instanceof KeelsonError) return { why: thrown.problems[0].message }
    return { why: thrown instanceof Error ? thrown.message : 'it is not JSON' }
  }
}

/** A JSON pointer to the innermost value that is refused by itself. For a cycle that is where it closes. */
function placeOf(value: unknown, pointer: string, above: ReadonlySet<object>): string {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return pointer
  if (above.has(value) || above.size > 100) return pointer
  const inside = new Set([...above, value])
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined || typeof inner === 'function' || typeof inner === 'symbol') continue
    if ('why' in writtenOf(inner) || !name.isWellFormed())
      return placeOf(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed()}`, inside)
  }
  return pointer
}
