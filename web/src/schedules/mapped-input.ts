/**
 * An input that is filled in at each start, as it is written: in the fields that the plan's inputs make, or as one JSON text. A text with
 * `${…}` stands for a value of any type.
 */
import { readJsonText } from '../../../src/core/json/read-json-text.ts'
import { fail } from '../../../src/core/problems/problem.ts'
import { inputOf, type InputField } from '../plans/input-fields.ts'

type Values = Readonly<Record<string, string>>

export interface MappedInput {
  readonly values: Values
  /** Undefined: the fields are shown, where there are any. */
  readonly json?: string | undefined
}

/** Nothing but a blank text is no input at all. Throws what cannot be read. */
export function writtenInput(fields: readonly InputField[] | undefined, { values, json }: MappedInput): unknown {
  if (fields !== undefined && json === undefined) return inputOfFields(fields, values)
  return (json ?? '').trim() === '' ? undefined : jsonOf(json ?? '')
}

/** What was pasted or typed. */
export function jsonOf(text: string, what = 'the input'): unknown {
  const read = readJsonText(text)
  if (read.ok) return read.value
  const { message, line, column } = read.fault
  return fail('BODY_INVALID', `${what} is no JSON: ${message} (line ${line}, column ${column})`)
}

function inputOfFields(fields: readonly InputField[], values: Values): unknown {
  const isMapped = ({ name, initial }: InputField): boolean => (values[name] ?? initial).includes('${')
  const mapped = fields.filter(isMapped).map(({ name, initial }) => [name, values[name] ?? initial])
  const plain = fields.filter((field) => !isMapped(field))
  try {
    return { ...inputOf(plain, values), ...Object.fromEntries(mapped) }
  } catch (thrown) {
    return fail('BODY_INVALID', (thrown as Error).message)
  }
}

/** What cannot be read yet is left out. */
export function jsonOfFields(fields: readonly InputField[], values: Values): string {
  try {
    return JSON.stringify(inputOfFields(fields, values), null, 2)
  } catch {
    return '{}'
  }
}

/** What stands in the fields for a JSON text; undefined where they cannot show all of it. */
export function fieldsOfJson(fields: readonly InputField[], json: string): Values | undefined {
  const read = readJsonText(json.trim() === '' ? '{}' : json)
  if (!read.ok || typeof read.value !== 'object' || read.value === null || Array.isArray(read.value)) return undefined
  const given = read.value as Readonly<Record<string, unknown>>
  const texts = fields.map((field) => [field.name, shownIn(field, given[field.name])] as const)
  const isWhole = Object.keys(given).every((name) => fields.some((field) => field.name === name))
  return isWhole && texts.every(([, text]) => text !== undefined)
    ? (Object.fromEntries(texts) as Record<string, string>)
    : undefined
}

/** What was left out stays left out, also where the plan has a default. */
function shownIn({ kind, choices }: InputField, value: unknown): string | undefined {
  if (value === undefined) return ''
  const isText = typeof value === 'string'
  switch (kind) {
    case 'text':
      return isText ? value : undefined
    case 'choice':
      return isText && choices.includes(value) ? value : undefined
    case 'flag':
      return typeof value === 'boolean' ? String(value) : undefined
    case 'number':
      return typeof value === 'number' || (isText && value.includes('${')) ? String(value) : undefined
    case 'json':
      return isText && value.includes('${') ? value : JSON.stringify(value)
    default:
      return kind satisfies never
  }
}
