/**
 * The answer to a task: a form made from the schema of its result, or JSON, notes, and a button for each outcome. Only a button answers:
 * Enter in a field is no decision.
 */
import { useEffect, useMemo, useRef, useState, type ReactElement } from 'react'
import { inputFields, inputOf } from '../plans/input-fields.ts'
import { InputForm } from '../plans/input-form.tsx'
import type { Session } from '../server/session.ts'
import { Trouble } from '../shown/trouble.tsx'

export interface Answered {
  /** Of the task that was answered. */
  readonly token: string
  readonly kind: string
  readonly outcome: string
}

export interface TaskFormProps {
  readonly token: string
  readonly session: Session
  readonly onAnswered: (answered: Answered) => void
}

type Outcome = 'Succeeded' | 'Failed' | 'Cancelled'

const OUTCOMES: readonly (readonly [Outcome, string])[] = [
  ['Succeeded', 'Approve'],
  ['Failed', 'Reject'],
  ['Cancelled', 'Cancel the task'],
]

export function TaskForm({ token, session: { client }, onAnswered }: TaskFormProps): ReactElement {
  const [schema, setSchema] = useState<unknown>()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [json, setJson] = useState<string>()
  const [notes, setNotes] = useState('')
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = useRef<HTMLFormElement>(null)
  const fields = useMemo(() => inputFields(schema), [schema])
  useEffect(() => {
    client.call('getTask', { params: { token } }).then(({ evidenceSchema }) => setSchema(evidenceSchema), setError)
  }, [client, token])
  const resultOf = (): object => {
    if (schema === undefined) return {}
    const text = json ?? (fields === undefined ? '{}' : undefined)
    return { result: text === undefined ? inputOf(fields ?? [], values) : (JSON.parse(text) as unknown) }
  }
  const answer = async (outcome: Outcome): Promise<void> => {
    // What is not approved needs no evidence.
    if (outcome === 'Succeeded' && form.current?.reportValidity() === false) return
    setSending(true)
    setError(undefined)
    try {
      // Only what succeeds has a result.
      const given = outcome === 'Succeeded' ? resultOf() : {}
      const said = notes.trim() === '' ? {} : { notes: notes.trim() }
      const { kind, outcome: first = outcome } = await client.complete(token, { outcome, ...said, ...given })
      onAnswered({ token, kind, outcome: first })
    } catch (thrown) {
      setError(thrown)
      setSending(false)
    }
  }
  const change = (name: string, value: string): void => setValues({ ...values, [name]: value })
  return (
    <form ref={form} onSubmit={(event) => event.preventDefault()} aria-label="Answer">
      {fields === undefined || json !== undefined ? null : (
        <InputForm fields={fields} values={values} onChange={change} />
      )}
      {schema === undefined || (fields !== undefined && json === undefined) ? null : (
        <label className="field">
          Result as JSON
          <textarea
            rows={6}
            value={json ?? '{}'}
            spellCheck={false}
            onChange={(event) => setJson(event.target.value)}
          />
        </label>
      )}
      <label className="field">
        Notes
        <textarea rows={2} value={notes} onChange={(event) => setNotes(event.target.value)} />
      </label>
      {error === undefined ? null : <Trouble error={error} />}
      <div className="buttons">
        {OUTCOMES.map(([outcome, words]) => (
          <button
            key={outcome}
            type="button"
            className={outcome === 'Succeeded' ? 'main' : ''}
            disabled={isSending}
            onClick={() => void answer(outcome)}
          >
            {words}
          </button>
        ))}
        {fields === undefined ? null : (
          <button type="button" onClick={() => setJson(json === undefined ? '{}' : undefined)}>
            {json === undefined ? 'As JSON' : 'As a form'}
          </button>
        )}
      </div>
    </form>
  )
}
