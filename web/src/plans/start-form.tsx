/**
 * The form of a start. It is sent once, however often the button is pressed, and counts once where its answer got lost; what is refused
 * is another request when it is sent again.
 */
import { useRef, useState, type FormEvent, type ReactElement } from 'react'
import { goTo, runPath } from '../address/address.ts'
import { useWhyNot } from '../server/may.ts'
import { useRequestKeys } from '../server/request-keys.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import type { FieldProblems } from './field-problems.ts'
import { emptyDraft, readDraft, type FormFields, type InputDraft } from './input-draft.ts'
import { FormOrJson, InputPart } from './input-part.tsx'
import { LastInputs } from './last-inputs-field.tsx'
import { placedProblems } from './placed-problems.ts'
import { askedBy, NO_OPTIONS, StartOptions } from './start-options.tsx'
import type { ReadPlan } from './use-plan.ts'

export interface StartFormProps {
  readonly read: ReadPlan
  readonly fields: FormFields
  /** A run whose input is taken over. */
  readonly from: string | undefined
}

export function StartForm({ read, fields, from }: StartFormProps): ReactElement {
  const { client } = useWatched(sessions)
  const [draft, setDraft] = useState<InputDraft>(() => emptyDraft(fields))
  const [problems, setProblems] = useState<FieldProblems>({})
  const [options, setOptions] = useState(NO_OPTIONS)
  const [error, setError] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  const keys = useRequestKeys()
  const form = useRef<HTMLFormElement>(null)
  const whyNot = useWhyNot('RUN_START')
  const change = (written: InputDraft, found: FieldProblems): void => {
    setDraft(written)
    setProblems(found)
  }
  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(undefined)
    const { input, problems: found } = readDraft(draft, fields)
    setProblems(found)
    if (Object.keys(found).length > 0) return focusFirst(form.current)
    setSending(true)
    try {
      const { planId, planVersion } = read
      const asked = { planId, planVersion, ...(input === undefined ? {} : { input }), ...askedBy(options) }
      const run = await keys.under(asked, (idempotencyKey) => client.start(asked, { idempotencyKey }))
      goTo(runPath(run.executionId))
    } catch (thrown) {
      setError(thrown)
      setProblems(placedProblems(thrown, fields))
      setSending(false)
    }
  }
  return (
    <form ref={form} className="start-form" noValidate onSubmit={(event) => void start(event)}>
      <LastInputs
        read={read}
        fields={fields}
        from={from}
        isJson={draft.isJson}
        onTaken={(taken) => change(taken, {})}
      />
      <InputPart fields={fields} draft={draft} problems={problems} onChange={change} />
      <StartOptions options={options} onChange={setOptions} />
      {error === undefined ? null : <Trouble error={error} />}
      {whyNot === undefined ? null : <p className="hint">{whyNot}</p>}
      <div className="buttons">
        <button type="submit" className="main" disabled={isSending || whyNot !== undefined}>
          Start
        </button>
        <FormOrJson fields={fields} draft={draft} onChange={change} />
      </div>
    </form>
  )
}

/** After the picture that says what is wrong in it. */
export function focusFirst(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}
