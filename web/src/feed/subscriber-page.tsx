/** One subscriber: how it stands, what it fails on, and its dead letters. */
import type { ReactElement } from 'react'
import { shownSubscriber } from '../../../src/core/feed/subscriber.ts'
import { pathOf } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useWhyNot } from '../server/may.ts'
import { useAsked } from '../server/use-asked.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { When } from '../shown/when.tsx'
import { plural } from '../shown/words.ts'
import { DeadLetters } from './dead-letters.tsx'
import { EventOfRun } from './event-of-run.tsx'
import { Stalled } from './feed-page.tsx'
import { NotOperator } from './not-operator.tsx'
import { countOf, lookOf, type Subscriber } from './subscriber-words.ts'
import '../styles/operate.css'
import '../styles/oversight.css'

export function SubscriberPage({ subscriber }: { readonly subscriber: string }): ReactElement {
  const whyNot = useWhyNot('SERVER_OPERATE')
  return (
    <main className="operate">
      <p>
        <Link href={pathOf('feed')} className="back">
          ← feed
        </Link>
      </p>
      <header>
        <h1>{shownSubscriber(subscriber)}</h1>
        <code className="quiet">{subscriber}</code>
      </header>
      {whyNot === undefined ? <Inside subscriber={subscriber} /> : <NotOperator whyNot={whyNot} />}
    </main>
  )
}

function Inside({ subscriber }: { readonly subscriber: string }): ReactElement {
  const { value, error, again } = useAsked(`subscriber ${subscriber}`, (client, signal) =>
    client.call('listSubscribers', { signal }),
  )
  const found = value?.subscribers.find((one) => one.subscriber === subscriber)
  return (
    <>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value === undefined ? (
        <p className="quiet">Loading …</p>
      ) : found === undefined ? (
        <p>Nobody follows the logs under this name. A subscriber is there once it has taken its first events.</p>
      ) : (
        <>
          <Standing of={found} />
          <DeadLetters subscriber={subscriber} total={found.deadLetters} onChanged={again} />
        </>
      )}
    </>
  )
}

function Standing({ of: one }: { readonly of: Subscriber }): ReactElement {
  const now = useClock(true)
  return (
    <>
      <Stalled of={one} />
      <dl className="standing">
        <div>
          <dt>state</dt>
          <dd>
            <StateChip look={lookOf(one)} />
          </dd>
        </div>
        <div>
          <dt>behind</dt>
          <dd>{one.runsBehind === 0 ? 'nothing' : `${countOf(one)} of ${plural(one.runsBehind, 'run')}`}</dd>
        </div>
        {one.oldestAt === undefined ? null : (
          <div>
            <dt>oldest was stored</dt>
            <dd>
              <When at={one.oldestAt} now={now} />
            </dd>
          </div>
        )}
        <div>
          <dt>position</dt>
          <dd>
            <code>{one.position}</code>
          </dd>
        </div>
        <div>
          <dt>gets runs of</dt>
          <dd>{one.ofTenant ?? 'all tenants'}</dd>
        </div>
      </dl>
      {one.failing.length === 0 ? null : (
        <section aria-label="Deliveries that failed">
          <h2>Tried again by itself</h2>
          <p className="quiet">
            Each of these runs waits alone until its delivery works, or is given up and becomes a dead letter.
          </p>
          <ul className="plain">
            {one.failing.map((failing) => (
              <li key={`${failing.ofTenant} ${failing.executionId}`}>
                <EventOfRun {...failing} /> <span className="quiet">failed {plural(failing.tries, 'time')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
