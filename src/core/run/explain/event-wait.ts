/** Why a step that waits for an event from outside is not done: which event, since when, until when. */
import type { EventWait } from '../../plan/plan.ts'
import type { Unit } from '../state/unit.ts'

export interface EventCause {
  readonly kind: 'waiting-for-event'
  readonly name: string
  readonly since: number
  /** Absent: it waits as long as the run may. */
  readonly expiresAt?: number
  /** The event must make this true. */
  readonly match?: string
  /** A mapped key is only in the log; the reader of the log adds it. Empty: an event without a key. */
  readonly key?: string
}

export function eventCause({ forEvent: name, match, key = '' }: EventWait, unit: Unit): EventCause {
  return {
    kind: 'waiting-for-event',
    name,
    since: unit.startedAt,
    ...(unit.timeoutAt < 0 ? {} : { expiresAt: unit.timeoutAt }),
    ...(match === undefined ? {} : { match }),
    ...(key.includes('${') ? {} : { key }),
  }
}
