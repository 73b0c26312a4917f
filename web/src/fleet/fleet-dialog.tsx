/** An act on many runs before it begins: what it would do, as whom, and why. It begins only with the runs that were previewed. */
import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react'
import { newUuid } from '../../../src/client/uuid.ts'
import type { RunFilter } from '../../../src/core/filter/run-filter.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import { goTo, operationPath } from '../address/address.ts'
import { me, session } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { plural } from '../shown/words.ts'
import type { FleetAct } from './fleet-acts.ts'
import { PreviewList } from './preview-list.tsx'
import { usePreview, type FleetSignal } from './use-preview.ts'

export interface FleetDialogProps {
  readonly act: FleetAct
  readonly filter: RunFilter
  readonly onClose: () => void
}

export function FleetDialog({ act, filter, onClose }: FleetDialogProps): ReactElement {
  const { signalType, word, about } = act
  const dialog = useRef<HTMLDialogElement>(null)
  const [reason, setReason] = useState('')
  const payload = reason.trim() === '' ? {} : { reason: reason.trim() }
  const signal: FleetSignal = { filter, signalType, payload }
  const { preview, isCurrent, error, again } = usePreview(signal)
  const { isSending, refusal, send } = useStart(signal, preview?.previewSha256)
  const who = useWatched(me)
  useEffect(() => dialog.current?.showModal(), [])
  const matched = preview?.matched ?? 0
  const trouble = refusal ?? error
  return (
    <dialog ref={dialog} className="fleet" onClose={onClose} aria-label={`${word} all runs that match`}>
      <form onSubmit={send}>
        <h2>{word} all runs that match?</h2>
        <p>{about}</p>
        <label>
          Reason
          <input
            value={reason}
            maxLength={LIMITS.signalReasonChars}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        <div aria-live="polite" aria-busy={!isCurrent}>
          {preview === undefined ? (
            <p className="quiet">{trouble === undefined ? 'Looking what it would do …' : ''}</p>
          ) : (
            <PreviewList preview={preview} />
          )}
        </div>
        <p className="quiet">It is recorded as an act of {who?.actorId ?? '…'}, for each run.</p>
        {trouble === undefined ? null : <Trouble error={trouble} retry={again} />}
        <div className="buttons">
          <button type="submit" className="main" disabled={isSending || !isCurrent || matched === 0}>
            {word} {plural(matched, 'run')}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave them
          </button>
        </div>
      </form>
    </dialog>
  )
}

interface Start {
  readonly isSending: boolean
  readonly refusal: unknown
  readonly send: (event: FormEvent) => void
}

/** One id for one dialog: sent twice, it counts once. */
function useStart(signal: FleetSignal, previewSha256: string | undefined): Start {
  const [operationId] = useState(newUuid)
  const [isSending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (previewSha256 === undefined) return
    setSending(true)
    setRefusal(undefined)
    session
      .get()
      .client.call('startOperation', { body: { operationId, ...signal, previewSha256 } })
      .then(
        () => goTo(operationPath(operationId)),
        (thrown: unknown) => {
          setRefusal(thrown)
          setSending(false)
        },
      )
  }
  return { isSending, refusal, send }
}
