/**
 * Whether an answer is one of a Keelson server at all. Only the outermost fields are looked at, and only by their kind: a newer server may
 * know words and fields that this client does not, and a list of a thousand runs is not read twice.
 */
import type { Shape } from '../core/schema/shape.ts'

type Schema = Shape<unknown>['schema']

/** What is wrong with it, in words; undefined: nothing. */
export function unlikeAnswer({ schema }: Shape<unknown>, value: unknown): string | undefined {
  if (!isOfKind(schema, value)) return `its JSON is ${kindOf(value)} where ${String(schema['type'])} was expected`
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  const required = new Set((schema['required'] ?? []) as readonly string[])
  const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>
  for (const [name, field] of Object.entries(properties)) {
    if (!Object.hasOwn(given, name)) {
      if (required.has(name)) return `its JSON has no '${name}'`
    } else if (!isOfKind(field, given[name])) {
      return `'${name}' in its JSON is ${kindOf(given[name])} where ${String(field['type'])} was expected`
    }
  }
  return undefined
}

function isOfKind({ type }: Schema, value: unknown): boolean {
  if (typeof type !== 'string') return true
  const kind = kindOf(value)
  return kind === (type === 'integer' ? 'number' : type)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
