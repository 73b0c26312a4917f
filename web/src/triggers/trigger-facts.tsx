/** What a trigger says, and the address that its sender needs. */
import type { ReactElement } from 'react'
import { planPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { CopyButton } from '../shown/copy-button.tsx'
import { JsonValue } from '../shown/json-value.tsx'
import { When } from '../shown/when.tsx'
import { SCHEMES, senderAddress, type Trigger } from './trigger-words.ts'

export function TriggerFacts({ trigger, now }: { readonly trigger: Trigger; readonly now: number }): ReactElement {
  const { planId, planVersion, scheme, secretRef, input, createdAt, createdBy, updatedAt, updatedBy } = trigger
  const address = senderAddress(trigger)
  return (
    <dl className="facts">
      <div>
        <dt>address for the sender</dt>
        <dd className="secret">
          <code>{address}</code> <CopyButton text={address} words="Copy the address" />
        </dd>
      </div>
      <div>
        <dt>signed as</dt>
        <dd>
          {SCHEMES[scheme].name} <span className="quiet">{SCHEMES[scheme].signs}</span>
        </dd>
      </div>
      <div>
        <dt>secret</dt>
        <dd>{secretRef === undefined ? 'kept here, sealed; it is never shown again' : <code>{secretRef}</code>}</dd>
      </div>
      <div>
        <dt>starts</dt>
        <dd>
          <Link href={planPath(planId)}>{planId}</Link>{' '}
          <span className="quiet">{planVersion ?? 'the newest at each start'}</span>
        </dd>
      </div>
      <div>
        <dt>input</dt>
        <dd>
          {input === undefined ? (
            <span className="quiet">the body of the delivery</span>
          ) : (
            <JsonValue value={input} label="input" />
          )}
        </dd>
      </div>
      <div>
        <dt>made</dt>
        <dd>
          <When at={createdAt} now={now} /> by {createdBy}
          {updatedAt === createdAt ? null : (
            <span className="quiet">
              , changed <When at={updatedAt} now={now} /> by {updatedBy}
            </span>
          )}
        </dd>
      </div>
    </dl>
  )
}
