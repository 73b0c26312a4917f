/** The input of a run, written as a form or as JSON, with what is wrong beside the place where it is written. */
import { useId, type ReactElement } from 'react'
import type { FieldProblems } from './field-problems.ts'
import { changedOver, type FormFields, type InputDraft } from './input-draft.ts'
import { InputForm } from './input-form.tsx'

export interface InputPartProps {
  readonly fields: FormFields
  readonly draft: InputDraft
  readonly problems: FieldProblems
  readonly onChange: (draft: InputDraft, problems: FieldProblems) => void
}

export function InputPart({ fields, draft, problems, onChange }: InputPartProps): ReactElement {
  if (draft.isJson || fields === undefined)
    return (
      <JsonField
        text={draft.text}
        problem={problems['']}
        others={Object.entries(problems).filter(([name]) => name !== '')}
        onChange={(text) => onChange({ ...draft, text }, {})}
      />
    )
  const others = Object.keys(draft.others)
  return (
    <>
      <InputForm
        fields={fields}
        values={draft.values}
        problems={problems}
        onChange={(name, value) => {
          const { [name]: _mended, ...rest } = problems
          onChange({ ...draft, values: { ...draft.values, [name]: value } }, rest)
        }}
      />
      {others.length === 0 ? null : (
        <p className="quiet">
          Also given, and without a field here: {others.join(', ')}. Under “As JSON” they can be changed.
        </p>
      )}
    </>
  )
}

interface JsonFieldProps {
  readonly text: string
  readonly problem: string | undefined
  readonly others: readonly (readonly [name: string, problem: string])[]
  readonly onChange: (text: string) => void
}

function JsonField({ text, problem, others, onChange }: JsonFieldProps): ReactElement {
  const [id, told] = [useId(), useId()]
  const lines = [...(problem === undefined ? [] : [problem]), ...others.map(([name, why]) => `${name} ${why}`)]
  return (
    <div className="field">
      <label htmlFor={id}>Input as JSON</label>
      <textarea
        id={id}
        rows={12}
        value={text}
        spellCheck={false}
        aria-invalid={lines.length > 0}
        aria-describedby={lines.length > 0 ? told : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {lines.length === 0 ? null : (
        <span id={told} className="field-problem">
          {lines.map((line) => `✕ ${line}`).join('\n')}
        </span>
      )}
    </div>
  )
}

/** Goes over to the other way of writing it. */
export function FormOrJson({ fields, draft, onChange }: Omit<InputPartProps, 'problems'>): ReactElement | null {
  if (fields === undefined) return null
  return (
    <button
      type="button"
      onClick={() => {
        const over = changedOver(draft, fields)
        onChange(over.draft, over.problems)
      }}
    >
      {draft.isJson ? 'As a form' : 'As JSON'}
    </button>
  )
}
