/** Chooses a run whose input is taken over. The choice is in the address; the input is not. */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { setQuery } from '../address/address.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { msFromIso } from '../../../src/core/time.ts'
import { ago, shortId } from '../shown/words.ts'
import { runLook } from '../shown/states.ts'
import { draftOf, emptyDraft, type FormFields, type InputDraft } from './input-draft.ts'
import { inputOfRun } from './last-inputs.ts'
import type { ReadPlan } from './use-plan.ts'

export interface LastInputsProps {
  readonly read: ReadPlan
  readonly fields: FormFields
  readonly from: string | undefined
  readonly isJson: boolean
  readonly onTaken: (draft: InputDraft) => void
}

const AGAIN_MS = 10_000

interface Taken {
  /** What was taken, in words. */
  readonly told: string
  readonly error?: unknown
}

function useTaken({ fields, from, isJson, onTaken }: Omit<LastInputsProps, 'read'>): Taken {
  const { client } = useWatched(sessions)
  const [taken, setTaken] = useState<Taken>({ told: '' })
  const latest = useRef({ onTaken, isJson })
  useEffect(() => {
    latest.current = { onTaken, isJson }
  })
  useEffect(() => {
    setTaken({ told: '' })
    if (from === undefined) return undefined
    const leaving = new AbortController()
    const take = async (): Promise<void> => {
      const found = await inputOfRun(client, from, leaving.signal)
      if (leaving.signal.aborted) return
      if (found === undefined) return setTaken({ told: 'The log of that run does not hold its input any more.' })
      const left = found.left.length === 0 ? '' : ` Left out, as secrets may be: ${found.left.join(', ')}.`
      setTaken({ told: `The input of run ${shortId(from)}.${left}` })
      latest.current.onTaken(draftOf(found.input, fields, latest.current.isJson))
    }
    take().catch((error: unknown) => {
      if (!leaving.signal.aborted) setTaken({ told: '', error })
    })
    return () => leaving.abort()
  }, [client, from])
  return taken
}

export function LastInputs(props: LastInputsProps): ReactElement | null {
  const { read, fields, from, onTaken } = props
  const { runs } = read
  const { told, error } = useTaken(props)
  const now = useClock(true, AGAIN_MS)
  if (runs.length === 0 && from === undefined) return null
  const choose = (run: string): void => {
    setQuery({ from: run }, 'step')
    if (run === '') onTaken(emptyDraft(fields))
  }
  const known = from === undefined || runs.some(({ executionId }) => executionId === from)
  return (
    <div className="field">
      <label>
        Begin with the input of{' '}
        <select value={from ?? ''} onChange={(event) => choose(event.target.value)}>
          <option value="">nothing: the defaults of the plan</option>
          {known ? null : <option value={from}>run {shortId(from)}</option>}
          {runs.map(({ executionId, status, createdAt, planVersion }) => (
            <option key={executionId} value={executionId}>
              {shortId(executionId)} — {runLook(status).word}, {planVersion}, {ago(msFromIso(createdAt) ?? 0, now)}
            </option>
          ))}
        </select>
      </label>
      <span role="status" className="quiet">
        {told}
      </span>
      {error === undefined ? null : <Trouble error={error} />}
    </div>
  )
}
