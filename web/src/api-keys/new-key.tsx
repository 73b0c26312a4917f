/** Makes an API key. Its secret is shown once, here, and nowhere afterwards. */
import { useState, type FormEvent, type ReactElement } from 'react'
import { ROLES } from '../../../src/core/authority/actions.ts'
import { setQuery } from '../address/address.ts'
import { me, session } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { CopyButton } from '../shown/copy-button.tsx'
import { Trouble } from '../shown/trouble.tsx'

export function NewKey({ onMade }: { readonly onMade: () => void }): ReactElement {
  const [made, setMade] = useState<string>()
  const close = (): void => setQuery({ new: undefined }, 'step')
  if (made === undefined)
    return (
      <KeyForm
        onMade={(key) => {
          setMade(key)
          onMade()
        }}
        onClose={close}
      />
    )
  return (
    <section className="preview" aria-label="The new key">
      <p>This key is shown once. Keep it where secrets are kept; the server cannot show it again.</p>
      <p className="secret">
        <code>{made}</code> <CopyButton text={made} />
      </p>
      <button type="button" onClick={close}>
        I have it
      </button>
    </section>
  )
}

interface KeyFormProps {
  readonly onMade: (key: string) => void
  readonly onClose: () => void
}

function KeyForm({ onMade, onClose }: KeyFormProps): ReactElement {
  const who = useWatched(me)
  const [displayName, setDisplayName] = useState('')
  const [until, setUntil] = useState('')
  const [roles, setRoles] = useState<readonly string[]>(['viewer'])
  const [error, setError] = useState<unknown>()
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(undefined)
    try {
      const ends = until === '' ? {} : { expiresAt: new Date(until).toISOString() }
      const body = { displayName: displayName.trim(), roles, ...ends }
      onMade((await session.get().client.call('createKey', { body })).key)
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <form className="operate-form" aria-label="New key" onSubmit={(event) => void send(event)}>
      <label className="field">
        What it is for
        <input
          required
          value={displayName}
          placeholder="deployments of CI"
          onChange={(e) => setDisplayName(e.target.value)}
        />
      </label>
      <fieldset>
        <legend>Roles</legend>
        {ROLES.map((role) => (
          <label key={role}>
            <input
              type="checkbox"
              checked={roles.includes(role)}
              onChange={({ target }) =>
                setRoles(target.checked ? [...roles, role] : roles.filter((one) => one !== role))
              }
            />
            {role}
          </label>
        ))}
      </fieldset>
      <label className="field">
        Expires, if ever
        <input type="datetime-local" value={until} onChange={(e) => setUntil(e.target.value)} />
      </label>
      <p className="quiet">
        Whoever has it acts as {who?.actorId ?? '…'}: what it does counts as done by you. You cannot give what you may
        not do.
      </p>
      {error === undefined ? null : <Trouble error={error} />}
      <div className="buttons">
        <button type="submit" className="main">
          Make the key
        </button>
        <button type="button" onClick={onClose}>
          Leave it
        </button>
      </div>
    </form>
  )
}
