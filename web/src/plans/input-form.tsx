/** One field for each input of the plan, with what is wrong in it beside it. */
import { useId, type ReactElement } from 'react'
import type { InputField } from './input-fields.ts'

export interface InputFormProps {
  readonly fields: readonly InputField[]
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (name: string, value: string) => void
  /** By the name of the field. Without it the browser itself asks for what is required. */
  readonly problems?: Readonly<Record<string, string>>
}

export function InputForm({ fields, values, onChange, problems }: InputFormProps): ReactElement {
  return (
    <>
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={values[field.name] ?? field.initial}
          problem={problems?.[field.name]}
          isNative={problems === undefined}
          onChange={(value) => onChange(field.name, value)}
        />
      ))}
    </>
  )
}

interface FieldProps {
  readonly field: InputField
  readonly value: string
  readonly problem: string | undefined
  readonly isNative: boolean
  readonly onChange: (value: string) => void
}

/** What is wrong is no part of the name of the field, and is read after it. */
function OneField(props: FieldProps): ReactElement {
  const { field, problem } = props
  const [id, told] = [useId(), useId()]
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.name}
        {field.isRequired ? <span className="quiet"> required</span> : null}
        {field.kind === 'json' ? <span className="quiet"> JSON</span> : null}
      </label>
      <Field {...props} id={id} told={problem === undefined ? undefined : told} />
      {problem === undefined ? null : (
        <span id={told} className="field-problem">
          ✕ {problem}
        </span>
      )}
      {field.about === undefined ? null : <span className="quiet">{field.about}</span>}
    </div>
  )
}

interface ControlProps extends FieldProps {
  readonly id: string
  /** Of what is wrong. */
  readonly told: string | undefined
}

function Field({
  field: { kind, choices, isRequired },
  value,
  isNative,
  onChange,
  id,
  told,
}: ControlProps): ReactElement {
  const changed = (event: { readonly target: { readonly value: string } }): void => onChange(event.target.value)
  const given = {
    id,
    value,
    onChange: changed,
    required: isNative && isRequired && kind !== 'text',
    'aria-required': isRequired,
    'aria-invalid': told !== undefined,
    'aria-describedby': told,
  }
  switch (kind) {
    case 'flag':
    case 'choice':
      return (
        <select {...given}>
          {['', ...(kind === 'flag' ? ['true', 'false'] : choices)].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )
    case 'json':
      return <textarea rows={4} spellCheck={false} {...given} />
    case 'number':
      return <input inputMode="decimal" {...given} />
    case 'text':
      return <input {...given} />
    default:
      return kind satisfies never
  }
}
