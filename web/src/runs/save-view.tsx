/** Asks for the name of a view and who sees it, and saves it. */
import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react'
import { LIMITS } from '../../../src/core/limits.ts'
import { goTo, viewPath } from '../address/address.ts'
import { me, session } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { newViewId, type SavedView } from './use-views.ts'

export interface SaveViewProps {
  /** The one to change; absent: a new one. */
  readonly view?: SavedView | undefined
  readonly filter: string
  readonly onSaved: () => void
  readonly onClose: () => void
}

export function SaveView({ view, filter, onSaved, onClose }: SaveViewProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const who = useWatched(me)
  const [name, setName] = useState(view?.name ?? '')
  const [isShared, setShared] = useState(view?.for === 'tenant')
  const [error, setError] = useState<unknown>()
  useEffect(() => dialog.current?.showModal(), [])
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(undefined)
    try {
      const viewId = view?.viewId ?? newViewId(name)
      const body = { name, filter, for: isShared ? 'tenant' : 'me' } as const
      await session.get().client.call('saveView', { params: { viewId }, body })
      dialog.current?.close()
      onSaved()
      goTo(viewPath(viewId, filter))
    } catch (thrown) {
      setError(thrown)
    }
  }
  const title = view === undefined ? 'Save as view' : `Change the view ${view.name}`
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={title}>
      <form onSubmit={(event) => void save(event)}>
        <h2>{title}</h2>
        <p>
          Filter: <code>{filter === '' ? 'none, all runs' : filter}</code>
        </p>
        <label>
          Name
          <input
            required
            maxLength={LIMITS.viewNameChars}
            value={name}
            placeholder="what failed today"
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label className="check">
          <span>
            <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} /> Show it
            to everybody of {who?.tenantId ?? 'the tenant'}
          </span>
        </label>
        {error === undefined ? null : <Trouble error={error} />}
        <div className="buttons">
          <button type="submit" className="main">
            Save
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
        </div>
      </form>
    </dialog>
  )
}
