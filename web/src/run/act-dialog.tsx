/** An act on a run: it asks for a reason, says who acts, and sends it. What it changed is shown when the log says so, never before. */
import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react'
import { me, session } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'

export type Act = 'Pause' | 'Resume' | 'Cancel'

const ABOUT: Readonly<Record<Act, string>> = {
  Pause: 'Steps at work may end; nothing new starts until the run is resumed.',
  Resume: 'Steps that were held back start.',
  Cancel: 'Steps at work are asked to stop; the run ends. What it has done is undone only where the plan says so.',
}

export interface ActDialogProps {
  readonly act: Act
  readonly executionId: string
  readonly onClose: () => void
}

export function ActDialog({ act, executionId, onClose }: ActDialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const [reason, setReason] = useState('')
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const who = useWatched(me)
  useEffect(() => dialog.current?.showModal(), [])
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setSending(true)
    try {
      await carryOut(act, executionId, reason)
      onClose()
    } catch (thrown) {
      setError(thrown)
      setSending(false)
    }
  }
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={`${act} the run`}>
      <form onSubmit={(event) => void send(event)}>
        <h2>{act} the run?</h2>
        <p>{ABOUT[act]}</p>
        <label>
          Reason
          <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </label>
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

async function carryOut(act: Act, executionId: string, reason: string): Promise<void> {
  const run = session.get().client.run(executionId)
  const why = reason.trim() === '' ? {} : { reason: reason.trim() }
  if (act === 'Cancel') await run.cancel(why)
  else await run.signal(act === 'Pause' ? 'PAUSE' : 'RESUME', why)
}
