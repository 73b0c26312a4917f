/** The fields or the JSON text in which an input for later starts is written. */
import type { ReactElement } from 'react'
import type { InputField } from '../plans/input-fields.ts'
import { InputForm } from '../plans/input-form.tsx'
import { fieldsOfJson, jsonOfFields, type MappedInput } from './mapped-input.ts'

export interface InputEditorProps {
  readonly fields: readonly InputField[] | undefined
  readonly input: MappedInput
  readonly onChange: (input: MappedInput) => void
}

export function InputEditor({ fields, input, onChange }: InputEditorProps): ReactElement {
  const { values, json } = input
  if (fields !== undefined && json === undefined)
    return (
      <>
        <InputForm
          fields={fields}
          values={values}
          onChange={(name, value) => onChange({ values: { ...values, [name]: value } })}
        />
        <button
          type="button"
          className="small"
          onClick={() => onChange({ values, json: jsonOfFields(fields, values) })}
        >
          As JSON
        </button>
      </>
    )
  const shown = fields === undefined ? undefined : fieldsOfJson(fields, json ?? '')
  return (
    <>
      <label className="field">
        Input as JSON
        <textarea
          rows={6}
          value={json ?? ''}
          spellCheck={false}
          onChange={(event) => onChange({ values, json: event.target.value })}
        />
      </label>
      {fields === undefined ? null : (
        <button
          type="button"
          className="small"
          disabled={shown === undefined}
          title={shown === undefined ? 'The fields cannot show all of it.' : undefined}
          onClick={() => onChange({ values: shown ?? {} })}
        >
          As a form
        </button>
      )}
    </>
  )
}
