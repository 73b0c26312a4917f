/** One field for each input of the plan. */
import type { ReactElement } from 'react'
import type { InputField } from './input-fields.ts'

export interface InputFormProps {
  readonly fields: readonly InputField[]
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (name: string, value: string) => void
}

export function InputForm({ fields, values, onChange }: InputFormProps): ReactElement {
  return (
    <>
      {fields.map((field) => (
        <label key={field.name} className="field">
          <span>
            {field.name}
            {field.isRequired ? <span className="quiet"> required</span> : null}
            {field.kind === 'json' ? <span className="quiet"> JSON</span> : null}
          </span>
          <Field
            field={field}
            value={values[field.name] ?? field.initial}
            onChange={(value) => onChange(field.name, value)}
          />
          {field.about === undefined ? null : <span className="quiet">{field.about}</span>}
        </label>
      ))}
    </>
  )
}

interface FieldProps {
  readonly field: InputField
  readonly value: string
  readonly onChange: (value: string) => void
}

function Field({ field: { kind, choices, isRequired }, value, onChange }: FieldProps): ReactElement {
  const changed = (event: { readonly target: { readonly value: string } }): void => onChange(event.target.value)
  switch (kind) {
    case 'flag':
      return (
        <select value={value} onChange={changed} required={isRequired}>
          {['', 'true', 'false'].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )
    case 'choice':
      return (
        <select value={value} onChange={changed} required={isRequired}>
          {['', ...choices].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )
    case 'json':
      return <textarea rows={4} value={value} onChange={changed} required={isRequired} spellCheck={false} />
    case 'number':
      return <input inputMode="decimal" value={value} onChange={changed} required={isRequired} />
    case 'text':
      return <input value={value} onChange={changed} />
    default:
      return kind satisfies never
  }
}
