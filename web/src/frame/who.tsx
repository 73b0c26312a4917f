/** Whom the server takes one for. On a server for development one may be another person, to try rules for two people. */
import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react'
import type { Me } from '../../../src/client/connect.ts'
import { actAs } from '../server/session.ts'
import { Trouble } from '../shown/trouble.tsx'

export function Who({ who }: { readonly who: Me }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const name = `${who.displayName ?? who.actorId} @ ${who.tenantId}`
  if (who.kind !== 'local')
    return (
      <span className="quiet who" title={who.roles.join(', ')}>
        {name}
      </span>
    )
  return (
    <>
      <button type="button" className="small who" title="Act as another person" onClick={() => setOpen(true)}>
        {name}
      </button>
      {isOpen ? <ActAsDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function ActAsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>()
  useEffect(() => dialog.current?.showModal(), [])
  const change = (event: FormEvent): void => {
    event.preventDefault()
    actAs(name.trim()).then(onClose, setError)
  }
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Act as another person">
      <form onSubmit={change}>
        <h2>Act as another person</h2>
        <p>Only with keelson dev: what you do from now on in this tab is recorded as done by that person.</p>
        <label>
          Name, or empty for the local user
          <input value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        {error === undefined ? null : <Trouble error={error} />}
        <div className="buttons">
          <button type="submit" className="main">
            Be that person
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
        </div>
      </form>
    </dialog>
  )
}
