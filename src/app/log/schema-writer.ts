/**
 * Canonical text (RFC 8785) of a value whose schema is known, checked and written in one pass: the names are put in order
 * when the writer is made. Each field is read once, so that nobody can show one value to the check and another to the
 * log. A writer answers undefined for whatever it does not vouch for; then `check` says why, or `canonicalText` writes it.
 */
import { checkOf, type Check, type Schema } from '../../core/schema/check.ts'
import { canonicalText, writeString } from './canonical.ts'

/** Text only for a value that fits, and then exactly that of `canonicalText`. It throws where `canonicalText` does. */
export type Write = (value: unknown) => string | undefined

export function writerOf(schema: Schema): Write {
  if ('const' in schema) return constantWriter([schema['const']])
  if (Array.isArray(schema['enum'])) return constantWriter(schema['enum'])
  switch (schema['type']) {
    case 'string':
      return schema['format'] === 'date-time' ? timeWriter(checkOf(schema)) : textWriter(checkOf(schema))
    case 'integer':
      return integerWriter(checkOf(schema))
    case 'boolean':
      return (value) => (value === true ? 'true' : value === false ? 'false' : undefined)
    case 'array':
      return listWriter(schema)
    case 'object':
      return schema['additionalProperties'] === false ? objectWriter(schema) : anyWriter(checkOf(schema))
    default:
      return anyWriter(checkOf(schema))
  }
}

function constantWriter(allowed: readonly unknown[]): Write {
  const texts = new Map(allowed.map((value) => [value, canonicalText(value)]))
  return (value) => texts.get(value)
}

function integerWriter(check: Check): Write {
  return (value) => (check(value) === undefined ? (value === 0 ? '0' : `${value as number}`) : undefined)
}

function textWriter(check: Check): Write {
  return (value) => (check(value) === undefined ? writeString(value as string) : undefined)
}

/** The events of one decision share their time. */
function timeWriter(check: Check): Write {
  let last: unknown
  let text: string | undefined
  return (value) => {
    if (value === last) return text
    if (check(value) !== undefined) return undefined
    text = writeString(value as string)
    last = value
    return text
  }
}

/** What users write: its names are not known before. */
function anyWriter(check: Check): Write {
  return (value) => (value === undefined || check(value) !== undefined ? undefined : canonicalText(value))
}

function listWriter(schema: Schema): Write {
  const item = writerOf(isSchema(schema['items']) ? schema['items'] : {})
  const most = schema['maxItems'] ?? Number.POSITIVE_INFINITY
  return (value) => {
    if (!Array.isArray(value) || value.length > Number(most) || 'toJSON' in value) return undefined
    if (value.length === 0) return '[]'
    let out = '['
    for (let at = 0; at < value.length; at++) {
      const text = item(value[at])
      if (text === undefined) return undefined
      out += at === 0 ? text : `,${text}`
    }
    return `${out}]`
  }
}

interface Field {
  readonly name: string
  /** The name as it stands before the value, at the beginning of the object and after another field. */
  readonly first: string
  readonly next: string
  readonly isRequired: boolean
  readonly write: Write
}

/** The fields of one combination of keys, in the order of the text. Undefined: these keys do not fit. */
interface Layout {
  readonly keys: readonly string[]
  readonly fields: readonly Field[] | undefined
}

/** A type of event comes in few combinations of fields; whoever sends more is written more slowly. */
const LAYOUTS_KEPT = 16

function objectWriter(schema: Schema): Write {
  const known = fieldsOf(schema)
  const layouts: Layout[] = []
  const fieldsFor = (keys: readonly string[]): readonly Field[] | undefined => {
    for (const layout of layouts) if (isSame(layout.keys, keys)) return layout.fields
    const fields = inOrder(known, keys)
    if (layouts.length < LAYOUTS_KEPT) layouts.push({ keys, fields })
    return fields
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined
    if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return undefined
    const fields = fieldsFor(Object.keys(value))
    return fields === undefined ? undefined : writeFields(value as Readonly<Record<string, unknown>>, fields)
  }
}

function fieldsOf(schema: Schema): ReadonlyMap<string, Field> {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {})
  return new Map(
    properties.map(([name, field]) => {
      const quoted = `${writeString(name)}:`
      const write = writerOf(isSchema(field) ? field : {})
      return [name, { name, first: `{${quoted}`, next: `,${quoted}`, isRequired: required.has(name), write }]
    }),
  )
}

function inOrder(known: ReadonlyMap<string, Field>, keys: readonly string[]): readonly Field[] | undefined {
  for (const field of known.values()) if (field.isRequired && !keys.includes(field.name)) return undefined
  const fields: Field[] = []
  // Sorted by UTF-16 unit, as RFC 8785 has it.
  for (const key of keys.toSorted()) {
    const field = known.get(key)
    if (field === undefined) return undefined
    fields.push(field)
  }
  return fields
}

function writeFields(given: Readonly<Record<string, unknown>>, fields: readonly Field[]): string | undefined {
  let out = ''
  for (const field of fields) {
    const value = given[field.name]
    if (value === undefined) {
      if (field.isRequired) return undefined
      continue
    }
    const text = field.write(value)
    if (text === undefined) return undefined
    out += out === '' ? field.first + text : field.next + text
  }
  return out === '' ? '{}' : `${out}}`
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
