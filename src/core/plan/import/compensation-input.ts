/**
 * The input of an imported compensation: every field that its schema requires, taken from the step's output, else from
 * the context or the input of the run (CMP-08). Optional fields are left out: null is no value for them.
 */
import { isList, isObject } from '../format/kind.ts'
import type { Json } from '../plan.ts'

export function compensationInput(stepId: string, schema: Json): { readonly [field: string]: string } {
  const required = isObject(schema) && isList(schema.required) ? schema.required : []
  const fields = required.filter((name) => typeof name === 'string')
  return Object.fromEntries(fields.map((name) => [name, sourceOf(stepId, name, schema)]))
}

function sourceOf(stepId: string, field: string, schema: Json): string {
  if (field === 'idempotencyKey') return `\${run.id}:${stepId}:compensate`
  if (field === 'reason') return `Run \${run.id} failed after ${stepId}.`
  const found = [outputOf(stepId), 'context', 'input'].map((root) => member(root, field)).join(' || ')
  return `\${${GUARDS.get(typeOf(schema, field))?.(found) ?? found}}`
}

/**
 * Each of these functions returns its argument, and accepts no other type: without such a value the input cannot be
 * made, and no compensation is called with null.
 */
const GUARDS: ReadonlyMap<unknown, (found: string) => string> = new Map([
  ['string', (found: string) => `join('', [${found}])`],
  ['number', (found: string) => `sum([${found}])`],
  ['integer', (found: string) => `sum([${found}])`],
  ['array', (found: string) => `map(&@, ${found})`],
  ['object', (found: string) => `merge(${found})`],
])

function typeOf(schema: Json, field: string): Json | undefined {
  const properties = isObject(schema) ? schema.properties : undefined
  const property = isObject(properties) ? properties[field] : undefined
  return isObject(property) ? property.type : undefined
}

export function outputOf(stepId: string): string {
  return `${member('steps', stepId)}.output`
}

function member(path: string, name: string): string {
  return `${path}.${/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name)}`
}
