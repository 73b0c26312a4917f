/** API keys of the tenant, for whoever may give roles: who has one, when it was last used, and a way to make and to revoke one. */
import { useState, type ReactElement } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listKeys } from '../../../src/core/api/process.ts'
import { msFromIso } from '../../../src/core/time.ts'
import { setQuery, useAddress } from '../address/address.ts'
import { me, session } from '../server/session.ts'
import { useWhyNot } from '../server/may.ts'
import { useAsked } from '../server/use-asked.ts'
import { useWatched } from '../server/watched.ts'
import { ActButton } from '../shown/act-button.tsx'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { When } from '../shown/when.tsx'
import { NewKey } from './new-key.tsx'
import '../styles/operate.css'

type ApiKey = AnswerOf<typeof listKeys>['keys'][number]

export function ApiKeysPage(): ReactElement {
  const whyNot = useWhyNot('RBAC_ROLE_ASSIGN')
  return (
    <main className="operate">
      <header>
        <h1>Keys</h1>
        <p className="quiet">With a key a program or a person asks this server. Only its hash is kept here.</p>
      </header>
      {whyNot === undefined ? <Keys /> : <p className="hint">Keys are for administrators to see. {whyNot}</p>}
    </main>
  )
}

function Keys(): ReactElement {
  const isNew = useAddress().query.get('new') !== null
  const { value, error, again } = useAsked('keys', (client, signal) => client.call('listKeys', { signal }))
  const tenantId = useWatched(me)?.tenantId ?? ''
  const [revoked, setRevoked] = useState<ApiKey>()
  return (
    <>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {isNew ? (
        <NewKey onMade={again} />
      ) : (
        <ActButton words="New key" needs="RBAC_ROLE_ASSIGN" isMain onClick={() => setQuery({ new: '1' }, 'step')} />
      )}
      {value === undefined ? (
        <p className="quiet">Loading …</p>
      ) : value.keys.length === 0 ? (
        <div className="empty">
          <p>No key yet. The button makes one, or from a terminal on the server's machine:</p>
          <pre>keelson keys create --tenant {tenantId} --actor deploy-robot --role Operator</pre>
        </div>
      ) : (
        <KeyRows keys={value.keys} onRevoke={setRevoked} />
      )}
      {revoked === undefined ? null : (
        <SureDialog
          title={`Revoke the key ${revoked.keyId}?`}
          act="Revoke"
          onAct={async () => {
            await session.get().client.call('revokeKey', { params: { keyId: revoked.keyId } })
            again()
          }}
          onClose={() => setRevoked(undefined)}
        >
          <p>Whoever asks with it as {revoked.actorId} is refused from then on. It cannot be taken back.</p>
        </SureDialog>
      )}
    </>
  )
}

function KeyRows({
  keys,
  onRevoke,
}: {
  readonly keys: readonly ApiKey[]
  readonly onRevoke: (key: ApiKey) => void
}): ReactElement {
  const now = useClock(true)
  return (
    <table className="listing">
      <thead>
        <tr>
          <th scope="col">for</th>
          <th scope="col">roles</th>
          <th scope="col" className="wide">
            key
          </th>
          <th scope="col" className="wide">
            made
          </th>
          <th scope="col">last used</th>
          <th scope="col">state</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.keyId}>
            <td>
              {key.actorId} <span className="quiet">{key.displayName}</span>
            </td>
            <td>{key.roles.join(', ')}</td>
            <td className="wide">
              <code>{key.keyId}</code>
            </td>
            <td className="wide">
              <When at={key.createdAt} now={now} /> <span className="quiet">by {key.createdBy}</span>
            </td>
            <td>{key.lastUsedAt === undefined ? 'never' : <When at={key.lastUsedAt} now={now} />}</td>
            <td>
              <KeyState apiKey={key} now={now} onRevoke={onRevoke} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface KeyStateProps {
  readonly apiKey: ApiKey
  readonly now: number
  readonly onRevoke: (key: ApiKey) => void
}

function KeyState({ apiKey, now, onRevoke }: KeyStateProps): ReactElement {
  const { keyId, revokedAt, expiresAt } = apiKey
  if (revokedAt !== undefined)
    return (
      <span className="quiet">
        revoked <When at={revokedAt} now={now} />
      </span>
    )
  const isOver = expiresAt !== undefined && (msFromIso(expiresAt) ?? now) <= now
  return (
    <span className="row-acts">
      {expiresAt === undefined ? null : (
        <span className="quiet">
          {isOver ? 'expired' : 'expires'} <When at={expiresAt} now={now} />
        </span>
      )}
      <ActButton words="Revoke" needs="RBAC_ROLE_ASSIGN" of={keyId} onClick={() => onRevoke(apiKey)} />
    </span>
  )
}
