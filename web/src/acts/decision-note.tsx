/** What was decided on an act: by the server at once, and by the run when its log says so. */
import type { ReactElement } from 'react'
import type { Decision } from '../../../src/client/connect.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { goToEvent } from '../history/use-moment.ts'

export interface DecisionNoteProps {
  readonly decision: Decision
  /** As far as they are here. */
  readonly records: readonly LogRecord[]
}

const WORDS: Readonly<Record<Decision['decision'], string>> = {
  ACCEPTED: 'accepted',
  REJECTED: 'rejected',
  REVISION_REQUIRED: 'to be revised',
  PENDING: 'waits for a second person',
}

export function DecisionNote({ decision, records }: DecisionNoteProps): ReactElement {
  const { signalDecisionId, signalId, reasonCode, reason } = decision
  const event = records.findLast(({ eventType, payload }) => {
    return eventType.startsWith('Signal') && payload?.['signalId'] === signalId
  })
  return (
    <section className="decision" role="status" aria-label="Decision">
      <p>
        <strong>{WORDS[decision.decision]}</strong>{' '}
        {reasonCode === undefined ? null : <code className="code">{reasonCode}</code>} {reason}
      </p>
      <p className="quiet">
        decision <code>{signalDecisionId}</code>
      </p>
      {event === undefined ? (
        <p className="quiet">The log does not have it yet.</p>
      ) : (
        <p>
          in the log: {event.eventType}{' '}
          <button type="button" className="small" onClick={() => goToEvent(event.runSeq)}>
            event {event.runSeq}
          </button>
        </p>
      )}
    </section>
  )
}
