/** Fills in occurrences of a time that has passed: the server counts and shows them before anything begins. The span is in the address. */
import { useState, type FormEvent, type ReactElement } from 'react'
import { LIMITS } from '../../../src/core/limits.ts'
import { setQuery, useAddress } from '../address/address.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { plural } from '../shown/words.ts'
import { Occurrence } from './occurrence.tsx'
import type { Schedule } from './schedule-draft.ts'
import { localText, spanOf, useBackfillPreview, type Preview } from './use-backfill-preview.ts'

export interface BackfillProps {
  readonly schedule: Schedule
  readonly onBegun: () => void
}

export function Backfill({ schedule, onBegun }: BackfillProps): ReactElement {
  const { scheduleId, zone } = schedule
  const { client } = useWatched(sessions)
  const { query } = useAddress()
  const span = spanOf(query.get('from'), query.get('to'))
  const { preview, error } = useBackfillPreview(scheduleId, span)
  const [concurrency, setConcurrency] = useState('1')
  const [refusal, setRefusal] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  const close = (): void => setQuery({ fill: undefined, from: undefined, to: undefined }, 'step')
  const begin = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (span === undefined || preview === undefined) return
    setSending(true)
    setRefusal(undefined)
    try {
      const body = { ...span, concurrency: Number(concurrency) }
      await client.call('startBackfill', { params: { scheduleId }, body })
      onBegun()
      close()
    } catch (thrown) {
      setRefusal(thrown)
      setSending(false)
    }
  }
  const trouble = refusal ?? error
  return (
    <form className="operate-form starts-form boxed" aria-label="Fill in" onSubmit={(event) => void begin(event)}>
      <h2>Fill in what was not run</h2>
      <p className="quiet">
        Occurrences of a time that has passed, both ends included, oldest first. What ran is not run again. The times
        are those of this browser.
      </p>
      <div className="starts-row">
        <Bound name="from" words="From" at={query.get('from')} />
        <Bound name="to" words="To" at={query.get('to')} />
        <label className="field">
          Runs at once
          <input
            type="number"
            required
            min={1}
            max={LIMITS.scheduleBackfillRuns}
            value={concurrency}
            onChange={(event) => setConcurrency(event.target.value)}
          />
        </label>
      </div>
      <div aria-live="polite">
        {preview === undefined ? null : <PreviewOf preview={preview} zone={zone} />}
        {span !== undefined && preview === undefined && error === undefined ? (
          <p className="quiet">Looking what it would start …</p>
        ) : null}
      </div>
      {trouble === undefined ? null : <Trouble error={trouble} />}
      <div className="buttons">
        <button type="submit" className="main" disabled={isSending || (preview?.occurrences ?? 0) === 0}>
          {preview === undefined ? 'Start them' : `Start ${plural(preview.occurrences, 'occurrence')}`}
        </button>
        <button type="button" onClick={close}>
          Leave it
        </button>
      </div>
    </form>
  )
}

function PreviewOf({ preview, zone }: { readonly preview: Preview; readonly zone: string | undefined }): ReactElement {
  const { occurrences, existed, first } = preview
  return (
    <section className="preview" aria-label="What it would start">
      <p>
        <strong>{plural(occurrences, 'occurrence')}</strong>
        {existed === 0 ? '.' : `; ${existed.toLocaleString('en')} of them ran already.`}
      </p>
      <ol className="instants">
        {first.map((at) => (
          <li key={at}>
            <Occurrence at={at} zone={zone} />
          </li>
        ))}
      </ol>
      {occurrences > first.length ? <p className="quiet">… and {occurrences - first.length} more</p> : null}
    </section>
  )
}

interface BoundProps {
  readonly name: 'from' | 'to'
  readonly words: string
  readonly at: string | null
}

function Bound({ name, words, at }: BoundProps): ReactElement {
  return (
    <label className="field">
      {words}
      <input
        type="datetime-local"
        required
        step={1}
        value={localText(at)}
        onChange={({ target: { value } }) =>
          setQuery({ [name]: value === '' ? undefined : new Date(value).toISOString() })
        }
      />
    </label>
  )
}
