/** Followers of the logs and what they could not be given, as they are shown: over HTTP and on the command line. */
import { letterIdOf } from '../../../app/feed/dead-letters.ts'
import type { SubscriberState } from '../../../app/feed/list-subscribers.ts'
import type { AnswerOf } from '../../../core/api/contract.ts'
import type * as api from '../../../core/api/operations.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { DeadLetter } from '../../../ports/feed.ts'

export type ShownSubscriber = AnswerOf<typeof api.listSubscribers>['subscribers'][number]
export type ShownLetter = AnswerOf<typeof api.listDeadLetters>['deadLetters'][number]

export function shownSubscriberState({ stalledBy, oldestAt, failing, ...state }: SubscriberState): ShownSubscriber {
  return {
    ...state,
    failing: failing.map(({ run, runSeq, tries }) => ({
      ofTenant: run.tenantId,
      executionId: run.runId,
      runSeq,
      tries,
    })),
    ...(oldestAt === undefined ? {} : { oldestAt: isoFromMs(oldestAt) }),
    ...(stalledBy === undefined ? {} : { stalledByPid: stalledBy.pid, stalledForMs: stalledBy.sinceMs }),
  }
}

export function shownLetter(deadLetter: DeadLetter): ShownLetter {
  const { run, runSeq, error, at, askedAt } = deadLetter
  return {
    letterId: letterIdOf(deadLetter),
    ofTenant: run.tenantId,
    executionId: run.runId,
    runSeq,
    error,
    at: isoFromMs(at),
    ...(askedAt === undefined ? {} : { askedAt: isoFromMs(askedAt) }),
  }
}
