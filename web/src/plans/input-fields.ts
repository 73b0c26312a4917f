/** The fields of a start form, from the schema of a plan's inputs: one for each simple property, JSON for all others. */
import { readJsonText } from '../../../src/core/json/read-json-text.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface InputField {
  readonly name: string
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'json'
  readonly isRequired: boolean
  readonly about: string | undefined
  readonly choices: readonly string[]
  /** As it is written in the field. */
  readonly initial: string
  /** As the schema names it. */
  readonly type: string
  readonly schema: Fields
}

/** Undefined where the schema does not describe an object: then the whole input is written as JSON. */
export function inputFields(schema: unknown): readonly InputField[] | undefined {
  const { properties, required } = fieldsOf(schema)
  const named = fieldsOf(properties)
  if (Object.keys(named).length === 0) return undefined
  const needed = new Set<string>(Array.isArray(required) ? required.map(String) : [])
  // A plan is stored with its names in the order of the alphabet: what is needed comes first, as its author listed it.
  const names = [...new Set([...needed, ...Object.keys(named)])].filter((name) => Object.hasOwn(named, name))
  return names.map((name) => fieldOf(name, fieldsOf(named[name]), needed.has(name)))
}

function fieldOf(name: string, schema: Fields, isRequired: boolean): InputField {
  const { type, default: initial, description, enum: choices } = schema
  const isChoice = Array.isArray(choices) && choices.every((one) => typeof one === 'string')
  const kind = isChoice ? 'choice' : (KINDS[String(type)] ?? 'json')
  return {
    name,
    kind,
    isRequired,
    about: typeof description === 'string' ? description : undefined,
    choices: isChoice ? choices : [],
    initial: initial === undefined ? '' : writtenValue(initial, kind),
    type: Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any JSON',
    schema,
  }
}

const KINDS: Readonly<Record<string, InputField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'flag',
}

/** A value as it is written in a field of that kind: text stands there as it is, unless the field takes any JSON. */
export function writtenValue(value: unknown, kind: InputField['kind']): string {
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value)
}

/** The input that the fields make. An empty field that is not required is left out. Throws the name of a field that is no JSON. */
export function inputOf(fields: readonly InputField[], values: Readonly<Record<string, string>>): Fields {
  const input: Record<string, unknown> = {}
  for (const { name, kind, isRequired, initial } of fields) {
    const text = values[name] ?? initial
    if (text === '' && !(isRequired && kind === 'text')) continue
    input[name] = valueOf(name, kind, text)
  }
  return input
}

function valueOf(name: string, kind: InputField['kind'], text: string): unknown {
  if (kind === 'text' || kind === 'choice') return text
  const read = readJsonText(text)
  if (!read.ok) throw new Error(`${name}: ${read.fault.message}`)
  return read.value
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
