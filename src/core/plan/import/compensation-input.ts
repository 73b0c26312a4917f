/**
 * The input of an imported compensation: every field its schema requires, taken from what the step gave, else from the
 * context or the input of the run (CMP-08). Fields that may be left out are left out: null is no value for them.
 */
import { isList, isObject } from '../kind.ts'
import type { Json } from '../plan.ts'

export function compensationInput(stepId: string, schema: Json): { readonly [field: string]: string } {
  const required = isObject(schema) && isList(schema.required) ? schema.required : []
  const fields = required.filter((name) => typeof name === 'string')
  return Object.fromEntries(fields.map((name) => [name, sourceOf(stepId, name)]))
}

function sourceOf(stepId: string, field: string): string {
  if (field === 'idempotencyKey') return `\${run.id}:${stepId}:compensate`
  if (field === 'reason') return `Run \${run.id} failed after ${stepId}.`
  return `\${${member(outputOf(stepId), field)} || ${member('context', field)} || ${member('input', field)}}`
}

export function outputOf(stepId: string): string {
  return `${member('steps', stepId)}.output`
}

function member(path: string, name: string): string {
  return `${path}.${/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name)}`
}
