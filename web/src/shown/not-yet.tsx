/** Instead of a dialog that is still to be loaded: nothing, or, while the server is away, that it is, and what becomes of the press of a button. */
import { useEffect, useRef, type ReactElement } from 'react'
import { isHere } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'

export function NotYet({ onLeave }: { readonly onLeave: () => void }): ReactElement | null {
  return useWatched(isHere) ? null : <AwayDialog onLeave={onLeave} />
}

function AwayDialog({ onLeave }: { readonly onLeave: () => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={onLeave} aria-label="The server is away">
      <h2>The server is away</h2>
      <p>Nothing was sent. What you want to do opens here as soon as the server answers.</p>
      <div className="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Leave it
        </button>
      </div>
    </dialog>
  )
}
