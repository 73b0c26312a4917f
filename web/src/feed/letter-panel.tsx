/** One dead letter: which event it is, and why it could not be delivered. What the event says is for its tenant to read, in the run. */
import type { ReactElement } from 'react'
import { setQuery } from '../address/address.ts'
import { useAsked } from '../server/use-asked.ts'
import { CopyButton } from '../shown/copy-button.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { When } from '../shown/when.tsx'
import { EventOfRun } from './event-of-run.tsx'

export interface LetterPanelProps {
  readonly subscriber: string
  readonly letterId: string
}

export function LetterPanel({ subscriber, letterId }: LetterPanelProps): ReactElement {
  const now = useClock(true)
  const { value, error, again } = useAsked(`letter ${letterId} ${subscriber}`, (client, signal) =>
    client.call('getDeadLetter', { params: { subscriber, letterId }, signal }),
  )
  return (
    <section className="preview" aria-label="The dead letter">
      {value === undefined ? (
        error === undefined ? (
          <p className="quiet">Loading …</p>
        ) : (
          <Trouble error={error} retry={again} />
        )
      ) : (
        <>
          <h3 className="letter-title">
            <code>{value.eventType ?? 'its log was archived'}</code> <EventOfRun {...value} />
          </h3>
          {error === undefined ? null : <p role="status">It is gone: delivered, or dropped.</p>}
          <dl className="standing">
            {value.persistedAt === undefined ? null : (
              <div>
                <dt>was stored</dt>
                <dd>
                  <When at={value.persistedAt} now={now} />
                </dd>
              </div>
            )}
            <div>
              <dt>given up</dt>
              <dd>
                <When at={value.at} now={now} /> <span className="quiet">after its last try (maxAttempts)</span>
              </dd>
            </div>
            <div>
              <dt>letter</dt>
              <dd>
                <code>{letterId}</code>
              </dd>
            </div>
          </dl>
          <pre role="region" aria-label="The error" tabIndex={0}>
            {value.error === '' ? 'erased with the data of its run' : value.error}
          </pre>
          <p className="row-acts">
            <CopyButton text={value.error} words="Copy the error" />
          </p>
        </>
      )}
      <button type="button" className="small" onClick={() => setQuery({ letter: undefined }, 'step')}>
        Close
      </button>
    </section>
  )
}
