/** Starts a run of the text as it is written, without publishing it; its input is asked for by the form that the text itself makes. */
import { useMemo, useState, type FormEvent, type ReactElement, type RefObject } from 'react'
import { readDocument } from '../../../src/core/plan/read/read-document.ts'
import { focusFirst } from '../plans/start-form.tsx'
import type { FieldProblems } from '../plans/field-problems.ts'
import { emptyDraft, readDraft, type InputDraft } from '../plans/input-draft.ts'
import { inputFields } from '../plans/input-fields.ts'
import { FormOrJson, InputPart } from '../plans/input-part.tsx'
import { placedProblems } from '../plans/placed-problems.ts'
import { useRequestKeys } from '../server/request-keys.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import type { Reading } from './use-reading.ts'

export interface RunThisProps {
  readonly form: RefObject<HTMLFormElement | null>
  readonly reading: Reading
  /** What was read is what is written, and nobody found a problem in it. */
  readonly isCurrent: boolean
  readonly onStarted: (executionId: string) => void
}

export function RunThis({ form, reading, isCurrent, onStarted }: RunThisProps): ReactElement {
  const { client } = useWatched(sessions)
  const keys = useRequestKeys()
  const inputs = JSON.stringify(reading.last?.inputs ?? null)
  const fields = useMemo(() => inputFields(JSON.parse(inputs)), [inputs])
  const [draft, setDraft] = useState<InputDraft>(() => emptyDraft(fields))
  const [problems, setProblems] = useState<FieldProblems>({})
  const [error, setError] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  const change = (written: InputDraft, found: FieldProblems): void => {
    setDraft(written)
    setProblems(found)
  }
  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(undefined)
    if (!isCurrent || isSending) return
    const { input, problems: found } = readDraft(draft, fields)
    setProblems(found)
    if (Object.keys(found).length > 0) return focusFirst(form.current)
    setSending(true)
    try {
      const plan = documentOf(reading.text)
      const asked = { plan, ...(input === undefined ? {} : { input }) }
      const { executionId } = await keys.under(asked, (idempotencyKey) => client.start(asked, { idempotencyKey }))
      onStarted(executionId)
    } catch (thrown) {
      setError(thrown)
      setProblems(placedProblems(thrown, fields))
    } finally {
      setSending(false)
    }
  }
  return (
    <form ref={form} className="run-this" aria-label="Run this" noValidate onSubmit={(event) => void start(event)}>
      <InputPart fields={fields} draft={draft} problems={problems} onChange={change} />
      {error === undefined ? null : <Trouble error={error} />}
      <div className="buttons">
        <button
          type="submit"
          className="main"
          disabled={!isCurrent || isSending}
          title={isCurrent ? undefined : 'The text has a problem'}
        >
          Run this
        </button>
        <FormOrJson fields={fields} draft={draft} onChange={change} />
      </div>
    </form>
  )
}

/** As it was written, not as it was compiled: the server compiles it itself. */
function documentOf(text: string): Readonly<Record<string, unknown>> {
  return (readDocument(text, {}).root?.value ?? {}) as Readonly<Record<string, unknown>>
}
