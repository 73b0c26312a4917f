/** What a server refused in an input, by the field that it is about. */
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import type { FieldProblems } from './field-problems.ts'
import type { FormFields } from './input-draft.ts'

export function placedProblems(thrown: unknown, fields: FormFields): FieldProblems {
  if (!(thrown instanceof KeelsonError) || fields === undefined) return {}
  const named = new Set(fields.map(({ name }) => name))
  const found = thrown.problems.flatMap(({ pointer = '', message }) => {
    const name = (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
    return named.has(name) ? [[name, message] as const] : []
  })
  return Object.fromEntries(found)
}
