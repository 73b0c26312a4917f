/** Starts a run of a published plan: by a form made from its inputs, or by JSON. The server checks the input. */
import { useEffect, useMemo, useRef, useState, type FormEvent, type ReactElement } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { getPlan } from '../../../src/core/api/plans.ts'
import { newUuid } from '../../../src/client/uuid.ts'
import { goTo, runPath } from '../address/address.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { inputFields, inputOf } from './input-fields.ts'
import { InputForm } from './input-form.tsx'

type Plan = AnswerOf<typeof getPlan>

export function StartPage({ planId }: { readonly planId: string }): ReactElement {
  const { client } = useWatched(sessions)
  const [plan, setPlan] = useState<Plan>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    setPlan(undefined)
    client.call('getPlan', { params: { planId } }).then(setPlan, setError)
  }, [client, planId])
  return (
    <main className="start">
      <h1>
        Start {planId} <span className="quiet">{plan?.planVersion}</span>
      </h1>
      {error === undefined ? null : <Trouble error={error} />}
      {plan === undefined ? null : <StartForm plan={plan} />}
    </main>
  )
}

function StartForm({ plan }: { readonly plan: Plan }): ReactElement {
  const { client } = useWatched(sessions)
  const fields = useMemo(() => inputFields(plan.inputs), [plan])
  const [isJson, setJson] = useState(fields === undefined)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [text, setText] = useState('{}')
  const [error, setError] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  // Sent twice by mistake, it starts one run.
  const key = useRef(newUuid())
  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setSending(true)
    setError(undefined)
    try {
      const input: unknown = isJson || fields === undefined ? JSON.parse(text) : inputOf(fields, values)
      const { planId, planVersion } = plan
      const run = await client.start({ planId, planVersion, input }, { idempotencyKey: key.current })
      goTo(runPath(run.executionId))
    } catch (thrown) {
      // What was refused is another request when it is sent again.
      key.current = newUuid()
      setError(thrown)
      setSending(false)
    }
  }
  const toJson = (): void => {
    if (fields !== undefined && !isJson) setText(JSON.stringify(inputOf(fields, values), null, 2))
    setJson(!isJson)
  }
  return (
    <form className="start-form" onSubmit={(event) => void start(event)}>
      {isJson || fields === undefined ? (
        <label className="field">
          Input as JSON
          <textarea rows={12} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        </label>
      ) : (
        <InputForm
          fields={fields}
          values={values}
          onChange={(name, value) => setValues({ ...values, [name]: value })}
        />
      )}
      {error === undefined ? null : <Trouble error={error} />}
      <div className="buttons">
        <button type="submit" className="main" disabled={isSending}>
          Start
        </button>
        {fields === undefined ? null : (
          <button type="button" onClick={toJson}>
            {isJson ? 'As a form' : 'As JSON'}
          </button>
        )}
      </div>
    </form>
  )
}
