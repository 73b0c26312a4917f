/** The fields of a start form, from the schema of a plan's inputs: one for each simple property, JSON for all others. */
type Fields = Readonly<Record<string, unknown>>

export interface InputField {
  readonly name: string
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'json'
  readonly isRequired: boolean
  readonly about: string | undefined
  readonly choices: readonly string[]
  /** As it is written in the field. */
  readonly initial: string
}

/** Undefined where the schema does not describe an object: then the whole input is written as JSON. */
export function inputFields(schema: unknown): readonly InputField[] | undefined {
  const { properties, required } = fieldsOf(schema)
  const named = fieldsOf(properties)
  if (Object.keys(named).length === 0) return undefined
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(named).map(([name, given]) => fieldOf(name, fieldsOf(given), needed.has(name)))
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
    initial: initial === undefined ? '' : typeof initial === 'string' ? initial : JSON.stringify(initial),
  }
}

const KINDS: Readonly<Record<string, InputField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'flag',
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
  try {
    return JSON.parse(text) as unknown
  } catch (thrown) {
    throw new Error(`${name}: ${(thrown as Error).message}`, { cause: thrown })
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
