/** Asks once more before something is changed: what will happen, who acts, and then what the server refused, if it did. */
import { useEffect, useRef, useState, type FormEvent, type ReactElement, type ReactNode } from 'react'
import { me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from './trouble.tsx'

export interface SureDialogProps {
  readonly title: string
  /** The words of the button. */
  readonly act: string
  readonly children?: ReactNode
  /** Carries it out; the dialog closes when that is done. */
  readonly onAct: () => Promise<unknown>
  readonly onClose: () => void
}

export function SureDialog({ title, act, children, onAct, onClose }: SureDialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const who = useWatched(me)
  useEffect(() => dialog.current?.showModal(), [])
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setSending(true)
    setError(undefined)
    try {
      await onAct()
      onClose()
    } catch (thrown) {
      setError(thrown)
      setSending(false)
    }
  }
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={title}>
      <form onSubmit={(event) => void send(event)}>
        <h2>{title}</h2>
        {children}
        <p className="quiet">It is recorded as an act of {who?.actorId ?? '…'}.</p>
        {error === undefined ? null : <Trouble error={error} />}
        <div className="buttons">
          <button type="submit" className="main" disabled={isSending}>
            {act}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
        </div>
      </form>
    </dialog>
  )
}
