/** Who follows the logs of runs, of all tenants: how far behind each is, what it fails on, and what it could not be given. */
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
import { NotOperator } from './not-operator.tsx'
import { countOf, lookOf, type Subscriber } from './subscriber-words.ts'
import '../styles/operate.css'
import '../styles/oversight.css'

export function FeedPage(): ReactElement {
  const whyNot = useWhyNot('SERVER_OPERATE')
  return (
    <main className="operate">
      <header>
        <h1>Feed</h1>
        <p className="quiet">Programs that follow the logs of runs, of all tenants.</p>
      </header>
      {whyNot === undefined ? <Subscribers /> : <NotOperator whyNot={whyNot} />}
    </main>
  )
}

function Subscribers(): ReactElement {
  const { value, error, again } = useAsked('subscribers', (client, signal) =>
    client.call('listSubscribers', { signal }),
  )
  return (
    <>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value === undefined ? (
        <p className="quiet">Loading …</p>
      ) : value.subscribers.length === 0 ? (
        <div className="empty">
          <p>Nobody follows the logs yet. A program does it with the library; its place is kept under that name:</p>
          <pre>{"keelson.subscribe('mail', (event) => send(event))"}</pre>
        </div>
      ) : (
        <SubscriberRows subscribers={value.subscribers} />
      )}
    </>
  )
}

function SubscriberRows({ subscribers }: { readonly subscribers: readonly Subscriber[] }): ReactElement {
  const now = useClock(true)
  return (
    <table className="listing">
      <thead>
        <tr>
          <th scope="col">subscriber</th>
          <th scope="col">state</th>
          <th scope="col">behind</th>
          <th scope="col" className="wide">
            oldest waits since
          </th>
          <th scope="col" className="wide">
            position
          </th>
          <th scope="col">dead letters</th>
        </tr>
      </thead>
      <tbody>
        {subscribers.map((one) => (
          <tr key={one.subscriber}>
            <td>
              <Link href={pathOf('subscriber', { subscriber: one.subscriber })}>{shownSubscriber(one.subscriber)}</Link>
            </td>
            <td>
              <StateChip look={lookOf(one)} />
              <Stalled of={one} />
            </td>
            <td>
              {one.runsBehind === 0 ? (
                <span className="quiet">nothing</span>
              ) : (
                `${countOf(one)} of ${plural(one.runsBehind, 'run')}`
              )}
            </td>
            <td className="wide">{one.oldestAt === undefined ? null : <When at={one.oldestAt} now={now} />}</td>
            <td className="wide">
              <code>{one.position}</code>
            </td>
            <td className="number">
              {one.deadLetters === 0 ? (
                <span className="quiet">none</span>
              ) : (
                <span className="bad-count">{one.deadLetters.toLocaleString('en')}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function Stalled({ of: { stalledByPid, stalledForMs } }: { readonly of: Subscriber }): ReactElement | null {
  if (stalledByPid === undefined) return null
  const since = stalledForMs === undefined ? '' : ` for ${plural(Math.round(stalledForMs / 1_000), 'second')}`
  return (
    <p className="hint">
      <code className="code">FEED_STALLED</code> A transaction of process {stalledByPid} of the database has been open
      {since}. The feed waits until it ends: find out what that process does, and end it.
    </p>
  )
}
