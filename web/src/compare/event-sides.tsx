/** The first event in which the two runs differ, with the way to that very moment in each. */
import type { ReactElement } from 'react'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { eventLine } from '../events/event-line.ts'
import { shortId } from '../shown/words.ts'
import type { EventDifference } from './first-difference.ts'

export interface Ids {
  readonly left: string
  readonly right: string
}

export interface EventSidesProps {
  readonly difference: EventDifference | undefined
  readonly ids: Ids
}

export function EventSides({ difference, ids }: EventSidesProps): ReactElement {
  return (
    <section aria-label="First difference">
      <h2>First difference</h2>
      {difference === undefined ? (
        <p>They did the same: no event differs in more than ids and times.</p>
      ) : (
        <>
          <p>{difference.what}</p>
          <div className="sides">
            <EventSide record={difference.left} executionId={ids.left} />
            <EventSide record={difference.right} executionId={ids.right} />
          </div>
        </>
      )}
    </section>
  )
}

function EventSide({
  record,
  executionId,
}: {
  readonly record: LogRecord | undefined
  readonly executionId: string
}): ReactElement {
  if (record === undefined) return <p className="quiet">nothing</p>
  const slot = stepSlotOf(record)
  const query = new URLSearchParams({
    at: String(record.runSeq),
    ...(slot === undefined ? {} : { step: slot }),
    tab: 'event',
  })
  return (
    <p className="event-side">
      <Link
        href={`${runPath(executionId)}?${query.toString()}`}
        aria-label={`event ${record.runSeq} of run ${shortId(executionId)}`}
      >
        event {record.runSeq}
      </Link>{' '}
      <strong>{record.eventType}</strong> {slot ?? ''} <span className="quiet">{eventLine(record)}</span>
    </p>
  )
}
