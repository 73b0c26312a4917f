/** Asks before a dead letter is given up, and why: the audit log keeps the reason, which is therefore one of a few words. */
import { useState, type ReactElement } from 'react'
import { DROP_REASONS, DROP_WORDS, type DropReason } from '../../../src/core/feed/drop-reasons.ts'
import { shownSubscriber } from '../../../src/core/feed/subscriber.ts'
import { session } from '../server/session.ts'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { shortId } from '../shown/words.ts'
import type { DeadLetter } from './subscriber-words.ts'

export interface DropDialogProps {
  readonly subscriber: string
  readonly letter: DeadLetter
  readonly onDropped: (letterId: string) => void
  readonly onClose: () => void
}

export function DropDialog({ subscriber, letter, onDropped, onClose }: DropDialogProps): ReactElement {
  const { letterId, runSeq, executionId } = letter
  const [reason, setReason] = useState<DropReason>()
  const drop = async (): Promise<void> => {
    if (reason === undefined) return
    await session.get().client.call('dropDeadLetter', { params: { subscriber, letterId }, query: { reason } })
    onDropped(letterId)
  }
  return (
    <SureDialog
      title={`Drop event ${runSeq} of run ${shortId(executionId)}?`}
      act="Drop it"
      onAct={drop}
      onClose={onClose}
    >
      <p>
        <strong>{shownSubscriber(subscriber)}</strong> never gets this event. It cannot be taken back; the log of the
        run stays as it is.
      </p>
      <fieldset>
        <legend>Why, for the audit log</legend>
        {DROP_REASONS.map((one) => (
          <label key={one} className="choice">
            <input type="radio" name="reason" required checked={reason === one} onChange={() => setReason(one)} />
            {DROP_WORDS[one]}
          </label>
        ))}
      </fieldset>
    </SureDialog>
  )
}
