/**
 * What a step was given and gave back. The fold says whether it had them at the moment; the values themselves are asked of the
 * server, which maps the input from the log as it was at the step's start.
 */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { session } from '../server/session.ts'
import { JsonValue } from '../shown/json-value.tsx'
import { Trouble } from '../shown/trouble.tsx'
import type { At } from '../history/at.ts'
import { MappedInput } from './mapped-input.tsx'

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
  const { values, error } = useValues(at, slot, step)
  if (step.items !== undefined) return <p className="quiet">Each of its items has an input of its own.</p>
  if (at.file !== undefined)
    return <p className="quiet">A server maps the input from the log; this run is from a file.</p>
  if (step.attempts.length === 0) return <p className="quiet">It had not begun at event {at.moment.seq}.</p>
  if (error !== undefined) return <Trouble error={error} />
  if (values === undefined) return <p className="quiet">…</p>
  if (values.inputProblem !== undefined) return <p className="hint">{values.inputProblem}</p>
  if (values.input === undefined) return <p className="quiet">It takes no input.</p>
  return (
    <>
      <MappedInput at={at} slot={slot} input={values.input} />
      <JsonValue value={values.input} label={`input of ${slot}`} />
    </>
  )
}

export function OutputTab({ at, slot, step }: ValuesProps): ReactElement {
  const { values, error } = useValues(at, slot, step)
  if (step.error !== undefined && step.status === 'FAILED')
    return (
      <p className="error">
        <code className="code">{step.error.code}</code> {step.error.message}
      </p>
    )
  if (step.status !== 'SUCCESS') return <p className="quiet">It had given nothing back at event {at.moment.seq}.</p>
  if (error !== undefined) return <Trouble error={error} />
  if (values === undefined) return <p className="quiet">…</p>
  if (at.file !== undefined && values.output === undefined)
    return <p className="quiet">The file has no output of {slot}.</p>
  return <JsonValue value={values.output} label={`output of ${slot}`} />
}

/**
 * Asked again when the step has moved on, for the moment of the cursor. What a step was given and gave back in an attempt does not
 * change within it: so events of other steps ask nothing.
 */
function useValues(
  at: At,
  slot: string,
  { status, attempts }: StepSnapshot,
): { readonly values?: Values; readonly error?: unknown } {
  const [read, setRead] = useState<{ readonly values?: Values; readonly error?: unknown }>({})
  const { executionId } = at.execution
  const { file } = at
  const { isNow, seq } = at.moment
  const moment = useRef<number>(undefined)
  useEffect(() => {
    moment.current = isNow ? undefined : seq
  })
  const attempt = attempts.length
  const hasBegun = attempt > 0 || status !== 'PENDING'
  useEffect(() => {
    if (file !== undefined || !hasBegun) return undefined
    const leaving = new AbortController()
    setRead({})
    session
      .get()
      .client.call('getStepOutput', {
        params: { executionId, step: slot },
        query: moment.current === undefined ? {} : { at: moment.current },
        signal: leaving.signal,
      })
      .then((values) => setRead({ values }))
      .catch((error: unknown) => (leaving.signal.aborted ? undefined : setRead({ error })))
    return () => leaving.abort()
  }, [executionId, slot, status, attempt, hasBegun, isNow, file])
  return file === undefined ? read : { values: { output: file.outputOf(slot, at.moment.seq) } }
}
