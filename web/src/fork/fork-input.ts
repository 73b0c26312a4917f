/** The input of a fork: that of the old run until somebody writes another, in the fields of the plan or as JSON. */
import type { InputField } from '../plans/input-fields.ts'

/** The old input as it stands in the fields; undefined where the fields cannot hold all of it. */
export function textsOf(
  fields: readonly InputField[] | undefined,
  input: unknown,
): Readonly<Record<string, string>> | undefined {
  if (fields === undefined || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const known = new Map(fields.map((field) => [field.name, field]))
  const texts: Record<string, string> = Object.fromEntries(fields.map(({ name }) => [name, '']))
  for (const [name, value] of Object.entries(input)) {
    const field = known.get(name)
    if (field === undefined) return undefined
    const isText = field.kind === 'text' || field.kind === 'choice'
    if (isText && typeof value !== 'string') return undefined
    texts[name] = isText ? String(value) : JSON.stringify(value)
  }
  return texts
}
