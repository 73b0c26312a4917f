/** The newest deliveries of a trigger: the run that each started, or why it was refused. Only its owners are told why. */
import { useState, type ReactElement } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listDeliveries } from '../../../src/core/api/triggers.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import { runPath, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useAsked } from '../server/use-asked.ts'
import { StateChip } from '../shown/state-mark.tsx'
import type { Look } from '../shown/states.ts'
import { Trouble } from '../shown/trouble.tsx'
import { When } from '../shown/when.tsx'

type Delivery = AnswerOf<typeof listDeliveries>['deliveries'][number]
type Outcome = Delivery['outcome']

const LOOKS: Readonly<Record<Outcome, Look>> = {
  started: { word: 'started', shape: 'check', tone: 'good' },
  repeated: { word: 'repeated', shape: 'again', tone: 'idle' },
  refused: { word: 'refused', shape: 'cross', tone: 'bad' },
}
const OUTCOMES = Object.keys(LOOKS) as readonly Outcome[]
const NEWEST = 50

export interface DeliveriesProps {
  readonly trigger: string
  readonly now: number
}

export function Deliveries({ trigger, now }: DeliveriesProps): ReactElement {
  const only = useAddress().query.get('only')
  const [isWhole, setWhole] = useState(false)
  // Among the newest there may be none of those that are looked for.
  const limit = isWhole || only !== null ? LIMITS.deliveriesKept : NEWEST
  const { value, error, again } = useAsked(`deliveries ${trigger} ${limit}`, (client, signal) =>
    client.call('listDeliveries', { params: { trigger }, query: { limit }, signal }),
  )
  const shown = value?.deliveries.filter(({ outcome }) => only === null || outcome === only)
  return (
    <section aria-label="Deliveries">
      <h2>Deliveries</h2>
      <label className="inline-choice">
        Show{' '}
        <select
          value={only ?? ''}
          onChange={(event) => setQuery({ only: event.target.value === '' ? undefined : event.target.value }, 'step')}
        >
          <option value="">all</option>
          {OUTCOMES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {shown === undefined ? (
        <p className="quiet">{error === undefined ? 'Loading …' : ''}</p>
      ) : shown.length === 0 ? (
        <p className="quiet">
          {only === null ? 'None yet. A delivery appears here as soon as it has come.' : 'None like this.'}
        </p>
      ) : (
        <DeliveryRows deliveries={shown} now={now} />
      )}
      {value?.deliveries.length === NEWEST && limit === NEWEST ? (
        <button type="button" onClick={() => setWhole(true)}>
          Older deliveries
        </button>
      ) : null}
    </section>
  )
}

interface RowsProps {
  readonly deliveries: readonly Delivery[]
  readonly now: number
}

function DeliveryRows({ deliveries, now }: RowsProps): ReactElement {
  return (
    <table className="listing">
      <thead>
        <tr>
          <th scope="col">came</th>
          <th scope="col">state</th>
          <th scope="col">run, or why not</th>
          <th scope="col" className="wide">
            delivery
          </th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map(({ at, outcome, deliveryId, executionId, code, reason }, index) => (
          <tr key={`${at} ${deliveryId ?? ''} ${deliveries.length - index}`}>
            <td>
              <When at={at} now={now} />
            </td>
            <td>
              <StateChip look={LOOKS[outcome]} />
            </td>
            <td>
              {code === undefined ? null : <code className="code">{code}</code>} {reason}
              {executionId === undefined ? null : (
                <Link href={runPath(executionId)}>
                  <code>{executionId}</code>
                </Link>
              )}
            </td>
            <td className="wide">{deliveryId === undefined ? '' : <code>{deliveryId}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
