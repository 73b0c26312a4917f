/** Shows the input that a delivery would give, from its body as it was pasted. Nothing is started. */
import { useState, type FormEvent, type ReactElement } from 'react'
import { jsonOf } from '../schedules/mapped-input.ts'
import { session } from '../server/session.ts'
import { useWhyNot } from '../server/may.ts'
import { JsonValue } from '../shown/json-value.tsx'
import { Trouble } from '../shown/trouble.tsx'
import type { Trigger } from './trigger-words.ts'

interface Tried {
  readonly input?: unknown
  readonly error?: unknown
}

export function TryDelivery({ trigger }: { readonly trigger: Trigger }): ReactElement {
  const [text, setText] = useState('')
  const [event, setEvent] = useState('')
  const [deliveryId, setDeliveryId] = useState('')
  const [tried, setTried] = useState<Tried>()
  const whyNot = useWhyNot('RUN_START')
  const attempt = async (submitted: FormEvent): Promise<void> => {
    submitted.preventDefault()
    setTried(undefined)
    try {
      const body = {
        body: jsonOf(text, 'the body'),
        ...(event === '' ? {} : { event }),
        ...(deliveryId === '' ? {} : { deliveryId }),
      }
      const { input } = await session.get().client.call('testTrigger', { params: { trigger: trigger.trigger }, body })
      setTried({ input })
    } catch (error) {
      setTried({ error })
    }
  }
  return (
    <section aria-label="Try a delivery">
      <h2>Try it</h2>
      <form className="starts-form" onSubmit={(submitted) => void attempt(submitted)}>
        <label className="field">
          Body of a delivery
          <textarea
            rows={8}
            required
            value={text}
            spellCheck={false}
            placeholder={'{ "pusher": { "name": "Ana" } }'}
            onChange={(changed) => setText(changed.target.value)}
          />
        </label>
        {trigger.scheme === 'github' ? (
          <label className="field">
            X-GitHub-Event
            <input className="exact" value={event} placeholder="push" onChange={(one) => setEvent(one.target.value)} />
          </label>
        ) : null}
        <label className="field">
          Id of the delivery
          <input
            className="exact"
            value={deliveryId}
            placeholder="a-test"
            onChange={(changed) => setDeliveryId(changed.target.value)}
          />
        </label>
        <div className="buttons">
          <button type="submit" disabled={whyNot !== undefined} title={whyNot}>
            Show its input
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {tried === undefined ? (
          <p className="quiet">Nothing is started. The plan checks the input when a delivery starts it.</p>
        ) : tried.error === undefined ? (
          <JsonValue value={tried.input} label="the input that it would give" />
        ) : (
          <Trouble error={tried.error} />
        )}
      </div>
    </section>
  )
}
