/** Asks before dead letters are delivered once more: what they lead to may happen a second time. */
import type { ReactElement } from 'react'
import { shownSubscriber } from '../../../src/core/feed/subscriber.ts'
import { session } from '../server/session.ts'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { plural } from '../shown/words.ts'
import type { DeadLetter } from './subscriber-words.ts'

export interface RedeliverDialogProps {
  readonly subscriber: string
  readonly letters: readonly DeadLetter[]
  readonly onAsked: (letterIds: readonly string[]) => void
  readonly onClose: () => void
}

export function RedeliverDialog({ subscriber, letters, onAsked, onClose }: RedeliverDialogProps): ReactElement {
  const ask = async (): Promise<void> => {
    const letterIds = letters.map(({ letterId }) => letterId)
    await session.get().client.call('redeliverDeadLetters', { params: { subscriber }, body: { letterIds } })
    onAsked(letterIds)
  }
  return (
    <SureDialog
      title={`Redeliver ${plural(letters.length, 'dead letter')}?`}
      act="Redeliver"
      onAct={ask}
      onClose={onClose}
    >
      <p>
        Whoever follows as <strong>{shownSubscriber(subscriber)}</strong> gets {letters.length === 1 ? 'it' : 'them'}{' '}
        once more within seconds, oldest first. What is taken is gone from here; what fails stays.
      </p>
      <p className="quiet">
        A delivery that failed late may have had its effect already: the subscriber tells a repeat by run and event.
      </p>
    </SureDialog>
  )
}
