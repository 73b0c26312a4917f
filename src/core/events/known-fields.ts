/**
 * Leaves out of a foreign write what its schema does not have: a reader ignores fields it does not know (X-12, VER-03). What was
 * left out is told, since nothing of a log may vanish in silence.
 */
import { isEventType } from './event.ts'
import { writeSchema, type JsonSchema } from './schemas.ts'

type Fields = Readonly<Record<string, unknown>>

export interface KnownFields {
  readonly write: Fields
  /** Such as `payload.rows`. */
  readonly unknown: readonly string[]
}

export function knownFields(write: Fields): KnownFields {
  const type = write['eventType']
  if (typeof type !== 'string' || !isEventType(type)) return { write, unknown: [] }
  const unknown: string[] = []
  return { write: known(write, writeSchema(type), '', unknown), unknown }
}

/** The schema closes an object by `additionalProperties: false`; what is open stays whole. */
function known(value: Fields, schema: JsonSchema, path: string, unknown: string[]): Fields {
  const properties = schema['properties']
  if (!isFields(properties)) return value
  const isClosed = schema['additionalProperties'] === false
  const kept: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (inner === undefined && isClosed) unknown.push(`${path}${name}`)
    else kept[name] = isFields(inner) && isFields(field) ? known(field, inner, `${path}${name}.`, unknown) : field
  }
  return kept
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
