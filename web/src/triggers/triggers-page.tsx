/** The triggers of the tenant: signed deliveries of other programs that start plans. */
import type { ReactElement } from 'react'
import { pathOf, planPath, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useAsked } from '../server/use-asked.ts'
import { ActButton } from '../shown/act-button.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { When } from '../shown/when.tsx'
import { NewTrigger } from './new-trigger.tsx'
import { SCHEMES, type Trigger } from './trigger-words.ts'
import '../styles/operate.css'
import '../styles/starts.css'

const MOST = 1_000

export function TriggersPage(): ReactElement {
  const isNew = useAddress().query.get('new') !== null
  const { value, error, again } = useAsked('triggers', (client, signal) =>
    client.call('listTriggers', { query: { limit: MOST }, signal }),
  )
  return (
    <main className="operate">
      <header>
        <h1>Triggers</h1>
        <p className="quiet">Signed deliveries of other programs start published plans, each once.</p>
      </header>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {isNew ? (
        <NewTrigger onMade={again} />
      ) : (
        <ActButton words="New trigger" needs="RBAC_ROLE_ASSIGN" isMain onClick={() => setQuery({ new: '1' }, 'step')} />
      )}
      {value === undefined ? (
        <p className="quiet">{error === undefined ? 'Loading …' : ''}</p>
      ) : value.triggers.length === 0 ? (
        <NoTriggers />
      ) : (
        <TriggerRows triggers={value.triggers} />
      )}
      {value?.next === undefined ? null : (
        <p className="hint">There are more than these; the interface has them all.</p>
      )}
    </main>
  )
}

function NoTriggers(): ReactElement {
  const body = '{ "trigger": "push", "planId": "order", "scheme": "github" }'
  return (
    <div className="empty">
      <p>No trigger yet. The button makes one, or from a terminal:</p>
      <pre>{`curl -s ${window.location.origin}/v1/triggers -H 'content-type: application/json' -d '${body}'`}</pre>
      <p className="quiet">It has an address of its own, and a secret for the program that delivers to it.</p>
    </div>
  )
}

function TriggerRows({ triggers }: { readonly triggers: readonly Trigger[] }): ReactElement {
  const now = useClock(true)
  return (
    <table className="listing" aria-label="Triggers">
      <thead>
        <tr>
          <th scope="col">trigger</th>
          <th scope="col">starts</th>
          <th scope="col">signed as</th>
          <th scope="col" className="wide">
            secret
          </th>
          <th scope="col" className="wide">
            changed
          </th>
        </tr>
      </thead>
      <tbody>
        {triggers.map(({ trigger, planId, planVersion, scheme, secretRef, updatedAt, updatedBy }) => (
          <tr key={trigger}>
            <td>
              <Link href={pathOf('trigger', { trigger })}>{trigger}</Link>
            </td>
            <td>
              <Link href={planPath(planId)}>{planId}</Link> <span className="quiet">{planVersion ?? 'newest'}</span>
            </td>
            <td>{SCHEMES[scheme].name}</td>
            <td className="wide">{secretRef === undefined ? 'kept here' : <code>{secretRef}</code>}</td>
            <td className="wide">
              <When at={updatedAt} now={now} /> <span className="quiet">by {updatedBy}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
