/**
 * What is wrong with what is written in the fields of a form, in words, before it is sent. It knows the plain rules of a schema; the
 * server checks all of them. Patterns are left to it: they are texts of strangers, and it checks them in bounded work.
 */
import { readJsonText } from '../../../src/core/json/read-json-text.ts'
import { checkOf } from '../../../src/core/schema/check.ts'
import { fieldsOf, type Fields, type InputField } from './input-fields.ts'

export type FieldProblems = Readonly<Record<string, string>>

export function fieldProblems(fields: readonly InputField[], values: Readonly<Record<string, string>>): FieldProblems {
  const found = fields.flatMap((field) => {
    const problem = fieldProblem(field, values[field.name] ?? field.initial)
    return problem === undefined ? [] : [[field.name, problem] as const]
  })
  return Object.fromEntries(found)
}

function fieldProblem({ kind, type, isRequired, schema }: InputField, text: string): string | undefined {
  if (text === '') return isRequired ? 'is needed' : undefined
  if (kind === 'text' || kind === 'choice') return problemOf(text, schema)
  const read = readJsonText(text)
  if (read.ok) return problemOf(read.value, schema)
  if (kind === 'number' && read.fault.kind === 'syntax')
    return `must be a ${type === 'integer' ? 'whole number' : 'number, such as 12.5'}`
  const { message, line, column } = read.fault
  return `${message} (line ${line}, column ${column})`
}

function problemOf(value: unknown, schema: Fields): string | undefined {
  return checkOf(plainRules(schema))(value)?.trim() ?? numberProblem(value, schema)
}

/** Rules of numbers that are no whole numbers: the core's checker has none of those. */
function numberProblem(
  value: unknown,
  { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Fields,
): string | undefined {
  if (type === 'number' && typeof value !== 'number') return 'must be a number, such as 12.5'
  if (typeof value !== 'number') return undefined
  const rules: readonly (readonly [unknown, string, (limit: number) => boolean])[] = [
    [minimum, 'at least', (limit) => value >= limit],
    [maximum, 'at most', (limit) => value <= limit],
    [exclusiveMinimum, 'more than', (limit) => value > limit],
    [exclusiveMaximum, 'less than', (limit) => value < limit],
  ]
  const broken = rules.find(([limit, , holds]) => typeof limit === 'number' && !holds(limit))
  return broken === undefined ? undefined : `must be ${broken[1]} ${String(broken[0])}`
}

const DEEPEST = 16

/** Without patterns, at any depth; what lies deeper is left to the server. */
function plainRules(schema: Fields, depth = 0): Fields {
  if (depth > DEEPEST) return {}
  const { pattern: _pattern, properties, items, additionalProperties, ...rest } = schema
  const each = (given: unknown): Fields => plainRules(fieldsOf(given), depth + 1)
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(fieldsOf(properties)).map(([name, one]) => [name, each(one)])),
        }),
    ...(items === undefined ? {} : { items: each(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean' ? additionalProperties : each(additionalProperties),
        }),
  }
}
