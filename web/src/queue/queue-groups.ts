/** The queue by what its runs wait for, each group in the order in which they start: a person, places of limits, their time, a start. */
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listQueue } from '../../../src/core/api/acts.ts'

export type QueuedRun = AnswerOf<typeof listQueue>['executions'][number]
export type Place = NonNullable<QueuedRun['waitsFor']>[number]

export interface LimitQueue {
  readonly limit: string
  readonly runs: readonly QueuedRun[]
}

export interface QueueGroups {
  readonly approval: readonly QueuedRun[]
  /** By the limit that holds a run back; under the first where there are several. */
  readonly limits: readonly LimitQueue[]
  readonly time: readonly QueuedRun[]
  /** Nothing holds them back. */
  readonly start: readonly QueuedRun[]
}

export function queueGroups(runs: readonly QueuedRun[]): QueueGroups {
  const approval: QueuedRun[] = []
  const limited: QueuedRun[] = []
  const time: QueuedRun[] = []
  const start: QueuedRun[] = []
  for (const run of runs) {
    if (run.substatus === 'WAITING_APPROVAL') approval.push(run)
    else if (placesOf(run).length > 0) limited.push(run)
    else if (run.notBefore !== undefined) time.push(run)
    else start.push(run)
  }
  time.sort((a, b) => ((a.notBefore ?? '') < (b.notBefore ?? '') ? -1 : 1))
  const byLimit = Map.groupBy(limited, (run) => placesOf(run)[0]?.limit ?? '')
  const limits = [...byLimit].map(([limit, ofLimit]) => ({ limit, runs: ofLimit.toSorted(byPlace) }))
  return { approval, limits: limits.sort((a, b) => (a.limit < b.limit ? -1 : 1)), time, start }
}

/** Those that hold it back: where a limit has room it waits only because it takes all of its places at once. */
export function placesOf({ waitsFor = [] }: QueuedRun): readonly Place[] {
  const full = waitsFor.filter(({ hasRoom }) => hasRoom !== true)
  return full.length > 0 ? full : waitsFor
}

/** Since when: in its queue, or since it was admitted. */
export const waitsSince = (run: QueuedRun): string => placesOf(run)[0]?.since ?? run.createdAt

/** Runs of one limit may wait in queues of their own: one for each value of a concurrency key. */
const byPlace = (a: QueuedRun, b: QueuedRun): number =>
  (placesOf(a)[0]?.position ?? 0) - (placesOf(b)[0]?.position ?? 0) || (waitsSince(a) < waitsSince(b) ? -1 : 1)
