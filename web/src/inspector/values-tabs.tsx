/**
 * What a step was given and gave back. The fold says whether it had them at the moment; the values themselves are asked of the
 * server, which maps the input from the log as it was at the step's start.
 */
import { useEffect, useState, type ReactElement } from 'react'
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { session } from '../server/session.ts'
import { JsonValue } from '../shown/json-value.tsx'
import { Trouble } from '../shown/trouble.tsx'
import type { At } from '../history/at.ts'

interface ValuesProps {
  readonly at: At
  readonly slot: string
  readonly step: StepSnapshot
}

interface Values {
  readonly input?: unknown
  readonly output?: unknown
  readonly inputProblem?: string
}

export function InputTab({ at, slot, step }: ValuesProps): ReactElement {
  const { values, error } = useValues(at, slot, step.status)
  if (step.items !== undefined) return <p className="quiet">Each of its items has an input of its own.</p>
  if (step.attempts.length === 0) return <p className="quiet">It had not begun at event {at.moment.seq}.</p>
  if (error !== undefined) return <Trouble error={error} />
  if (values === undefined) return <p className="quiet">…</p>
  if (values.inputProblem !== undefined) return <p className="hint">{values.inputProblem}</p>
  if (values.input === undefined) return <p className="quiet">It takes no input.</p>
  return <JsonValue value={values.input} label={`input of ${slot}`} />
}

export function OutputTab({ at, slot, step }: ValuesProps): ReactElement {
  const { values, error } = useValues(at, slot, step.status)
  if (step.error !== undefined && step.status === 'FAILED')
    return (
      <p className="error">
        <code className="code">{step.error.code}</code> {step.error.message}
      </p>
    )
  if (step.status !== 'SUCCESS') return <p className="quiet">It had given nothing back at event {at.moment.seq}.</p>
  if (error !== undefined) return <Trouble error={error} />
  if (values === undefined) return <p className="quiet">…</p>
  return (
    <>
      <JsonValue value={values.output} label={`output of ${slot}`} />
      <Artifacts step={step} />
    </>
  )
}

function Artifacts({ step: { artifacts } }: { readonly step: StepSnapshot }): ReactElement | null {
  if (artifacts.length === 0) return null
  return (
    <ul className="artifacts" aria-label="Artifacts">
      {artifacts.map(({ uri, kind }) => (
        <li key={uri}>
          <span className="quiet">{kind}</span> <code>{uri}</code>
        </li>
      ))}
    </ul>
  )
}

/** Asked again when the step has moved on. */
function useValues(at: At, slot: string, status: string): { readonly values?: Values; readonly error?: unknown } {
  const [read, setRead] = useState<{ readonly values?: Values; readonly error?: unknown }>({})
  const { executionId } = at.execution
  useEffect(() => {
    const leaving = new AbortController()
    setRead({})
    session
      .get()
      .client.call('getStepOutput', { params: { executionId, step: slot }, signal: leaving.signal })
      .then((values) => setRead({ values }))
      .catch((error: unknown) => (leaving.signal.aborted ? undefined : setRead({ error })))
    return () => leaving.abort()
  }, [executionId, slot, status])
  return read
}
