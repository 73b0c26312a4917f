/** How a subscriber is told: its state by one look, and how far behind it is. */
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listDeadLetters, listSubscribers } from '../../../src/core/api/operations.ts'
import type { Look } from '../shown/states.ts'
import { plural } from '../shown/words.ts'

export type Subscriber = AnswerOf<typeof listSubscribers>['subscribers'][number]
export type DeadLetter = AnswerOf<typeof listDeadLetters>['deadLetters'][number]

/** What is worse hides what is less. */
export function lookOf({ stalledByPid, runsBlocked, runsBehind }: Subscriber): Look {
  if (stalledByPid !== undefined) return { word: 'stalled', shape: 'slash', tone: 'bad' }
  if (runsBlocked > 0) return { word: 'tries again', shape: 'again', tone: 'held' }
  if (runsBehind > 0) return { word: 'behind', shape: 'play', tone: 'busy' }
  return { word: 'up to date', shape: 'check', tone: 'good' }
}

/** Beyond some hundreds nobody counts them. */
export function countOf({ eventsBehind, moreBehind }: Subscriber): string {
  return moreBehind ? `more than ${eventsBehind} events` : plural(eventsBehind, 'event')
}
