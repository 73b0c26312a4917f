/** One trigger: the address for its sender, what it starts, a way to try its mapping, and the log of its deliveries. */
import { useState, type ReactElement } from 'react'
import { goTo, pathOf, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { session } from '../server/session.ts'
import { useAsked } from '../server/use-asked.ts'
import { ActButton } from '../shown/act-button.tsx'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { Deliveries } from './deliveries.tsx'
import { TriggerFacts } from './trigger-facts.tsx'
import { TriggerForm } from './trigger-form.tsx'
import type { Trigger } from './trigger-words.ts'
import { TryDelivery } from './try-delivery.tsx'
import '../styles/operate.css'
import '../styles/starts.css'

export function TriggerPage({ trigger }: { readonly trigger: string }): ReactElement {
  const { value, error, again } = useAsked(`trigger ${trigger}`, (client, signal) =>
    client.call('getTrigger', { params: { trigger }, signal }),
  )
  return (
    <main className="operate">
      <p>
        <Link href={pathOf('triggers')} className="back">
          ← triggers
        </Link>
      </p>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value === undefined ? (
        <>
          <h1>{trigger}</h1>
          <p className="quiet">{error === undefined ? 'Loading …' : ''}</p>
        </>
      ) : (
        <Whole trigger={value} again={again} />
      )}
    </main>
  )
}

function Whole({ trigger, again }: { readonly trigger: Trigger; readonly again: () => void }): ReactElement {
  const isEdited = useAddress().query.get('edit') !== null
  const [isDeleted, setDeleted] = useState(false)
  const now = useClock(true)
  const params = { trigger: trigger.trigger }
  const closeEdit = (): void => setQuery({ edit: undefined }, 'step')
  return (
    <>
      <header className="starts-head">
        <h1>{trigger.trigger}</h1>
        <span className="room" />
        <span className="row-acts">
          <ActButton words="Edit" needs="RBAC_ROLE_ASSIGN" onClick={() => setQuery({ edit: '1' }, 'step')} />
          <ActButton words="Delete" needs="RBAC_ROLE_ASSIGN" onClick={() => setDeleted(true)} />
        </span>
      </header>
      {isEdited ? (
        <TriggerForm
          trigger={trigger}
          onKeep={async (_name, body) => {
            await session.get().client.call('updateTrigger', { params, body })
            again()
            closeEdit()
          }}
          onClose={closeEdit}
        />
      ) : (
        <TriggerFacts trigger={trigger} now={now} />
      )}
      <div className="starts-lists">
        <Deliveries trigger={trigger.trigger} now={now} />
        <TryDelivery trigger={trigger} />
      </div>
      {isDeleted ? (
        <SureDialog
          title={`Delete the trigger ${trigger.trigger}?`}
          act="Delete"
          onAct={async () => {
            await session.get().client.call('deleteTrigger', { params })
            goTo(pathOf('triggers'))
          }}
          onClose={() => setDeleted(false)}
        >
          <p>
            Its address is gone for good: whoever delivers to it is refused from then on. Its list of deliveries goes,
            too; runs that it started go on.
          </p>
        </SureDialog>
      ) : null}
    </>
  )
}
