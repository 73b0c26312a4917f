/** The input of a fork as a form or as JSON. As long as nobody changes it, it is that of the old run and is not sent. */
import { useState, type ReactElement } from 'react'
import type { Recorded } from '../history/recorded.ts'
import { inputOf, type InputField } from '../plans/input-fields.ts'
import { InputForm } from '../plans/input-form.tsx'

export type WrittenInput = { readonly input: unknown } | { readonly problem: string }

export interface ForkInputProps {
  readonly fields: readonly InputField[] | undefined
  /** The old input in the fields; undefined where they cannot hold it. */
  readonly texts: Readonly<Record<string, string>> | undefined
  readonly recorded: Recorded
  readonly written: WrittenInput | undefined
  readonly onWrite: (written: WrittenInput | undefined) => void
}

export function ForkInput({ fields, texts, recorded, written, onWrite }: ForkInputProps): ReactElement {
  const [isJson, setJson] = useState(texts === undefined)
  const [values, setValues] = useState<Readonly<Record<string, string>>>(texts ?? {})
  const [text, setText] = useState(() => (recorded.kind === 'known' ? JSON.stringify(recorded.value, null, 2) : ''))
  const write = (read: () => unknown): void => {
    try {
      const input = read()
      const isOld = recorded.kind === 'known' && JSON.stringify(input) === JSON.stringify(recorded.value)
      onWrite(isOld ? undefined : { input })
    } catch (thrown) {
      onWrite({ problem: (thrown as Error).message })
    }
  }
  const inFields = fields !== undefined && texts !== undefined && !isJson
  const change = (next: Readonly<Record<string, string>>): void => {
    setValues(next)
    write(() => inputOf(fields ?? [], next))
  }
  const toJson = (): void => {
    if (inFields && written !== undefined && 'input' in written) setText(JSON.stringify(written.input, null, 2))
    setJson(true)
  }
  return (
    <fieldset className="fork-input">
      <legend>Input</legend>
      {recorded.kind === 'known' ? null : (
        <p className="quiet">
          {recorded.kind === 'erased'
            ? 'The input of the run was erased.'
            : `The input of the run is long (${recorded.sizeBytes.toLocaleString('en')} bytes) and is not shown here. It is taken as it is, unless you write another.`}
        </p>
      )}
      {inFields ? (
        <InputForm fields={fields} values={values} onChange={(name, value) => change({ ...values, [name]: value })} />
      ) : (
        <label className="field">
          Input as JSON
          <textarea
            rows={10}
            value={text}
            spellCheck={false}
            onChange={(event) => {
              const given = event.target.value
              setText(given)
              if (given.trim() === '' && recorded.kind !== 'known') onWrite(undefined)
              else write(() => JSON.parse(given) as unknown)
            }}
          />
        </label>
      )}
      {written !== undefined && 'problem' in written ? <p role="alert">{written.problem}</p> : null}
      <p className="quiet">
        {written === undefined ? 'as the old run had it' : 'another than the old run had'}{' '}
        {inFields ? (
          <button type="button" className="small" onClick={toJson}>
            As JSON
          </button>
        ) : null}
      </p>
    </fieldset>
  )
}
