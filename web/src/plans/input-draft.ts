/**
 * An input as it is being written, as a form or as JSON. Going from one to the other loses nothing: what has no field of the form is
 * kept beside it, and JSON that cannot be read stays as it was typed.
 */
import { readJsonText } from '../../../src/core/json/read-json-text.ts'
import { fieldProblems, type FieldProblems } from './field-problems.ts'
import { inputOf, writtenValue, type Fields, type InputField } from './input-fields.ts'

export interface InputDraft {
  readonly isJson: boolean
  /** What the fields hold, as it is written in them. */
  readonly values: Readonly<Record<string, string>>
  /** What the form has no field for. */
  readonly others: Fields
  readonly text: string
}

/** Undefined fields: it can only be written as JSON. */
export type FormFields = readonly InputField[] | undefined

export function emptyDraft(fields: FormFields): InputDraft {
  return { isJson: fields === undefined, values: {}, others: {}, text: '{}' }
}

/** With an input that is there already. */
export function draftOf(input: unknown, fields: FormFields, isJson: boolean): InputDraft {
  const text = JSON.stringify(input, null, 2) ?? ''
  if (fields === undefined || typeof input !== 'object' || input === null || Array.isArray(input))
    return { isJson: true, values: {}, others: {}, text }
  const named = new Map(fields.map((field) => [field.name, field]))
  const entries = Object.entries(input)
  const values = entries.flatMap(([name, value]) => {
    const field = named.get(name)
    return field === undefined ? [] : [[name, writtenValue(value, field.kind)] as const]
  })
  // A field that is not there is empty, also where the plan has a default for it.
  const empty = fields.flatMap(({ name }) => (Object.hasOwn(input, name) ? [] : [[name, ''] as const]))
  const others = entries.filter(([name]) => !named.has(name))
  return { isJson, values: Object.fromEntries([...empty, ...values]), others: Object.fromEntries(others), text }
}

export interface WrittenInput {
  readonly input?: unknown
  /** By field; why the JSON cannot be read is under no name. */
  readonly problems: FieldProblems
}

export function readDraft({ isJson, values, others, text }: InputDraft, fields: FormFields): WrittenInput {
  if (isJson || fields === undefined) return readText(text)
  const problems = fieldProblems(fields, values)
  return Object.keys(problems).length > 0
    ? { problems }
    : { input: { ...inputOf(fields, values), ...others }, problems }
}

function readText(text: string): WrittenInput {
  if (text.trim() === '') return { input: undefined, problems: {} }
  const read = readJsonText(text)
  if (read.ok) return { input: read.value, problems: {} }
  const { message, line, column } = read.fault
  return { problems: { '': `line ${line}, column ${column}: ${message}` } }
}

/** The other way of writing it. What cannot be changed over stays, and `problems` says why. */
export function changedOver(
  draft: InputDraft,
  fields: FormFields,
): { readonly draft: InputDraft; readonly problems: FieldProblems } {
  if (draft.isJson) {
    const { input, problems } = readText(draft.text)
    if (Object.keys(problems).length > 0) return { draft, problems }
    const shown = draftOf(input ?? {}, fields, false)
    if (shown.isJson) return { draft, problems: { '': 'a form holds an object, and this is none' } }
    return { draft: shown, problems }
  }
  return { draft: { ...draft, isJson: true, text: jsonText(draft, fields ?? []) }, problems: {} }
}

/** What is written in a field and is not what it should be goes over as text, so that it is not lost. */
function jsonText({ values, others }: InputDraft, fields: readonly InputField[]): string {
  const broken = fieldProblems(fields, values)
  const sound = fields.filter(({ name }) => broken[name] === undefined)
  const kept = fields.flatMap(({ name }) => {
    const written = values[name] ?? ''
    return broken[name] === undefined || written === '' ? [] : [[name, written] as const]
  })
  return JSON.stringify({ ...inputOf(sound, values), ...Object.fromEntries(kept), ...others }, null, 2)
}
