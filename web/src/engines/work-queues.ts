/** Steps that were sent to queues, by queue and function: how many wait and since when, and whether anybody asks for them. */
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listWork, listWorkers } from '../../../src/core/api/work.ts'
import { LIMITS } from '../../../src/core/limits.ts'
import { msFromIso } from '../../../src/core/time.ts'

export type SentStep = AnswerOf<typeof listWork>['work'][number]
export type Worker = AnswerOf<typeof listWorkers>['workers'][number]

export interface WorkQueue {
  readonly queue: string
  readonly handler: string
  readonly waiting: readonly SentStep[]
  readonly atWork: number
  /** When a worker that has the function last asked. */
  readonly askedAt?: string
  /** Somebody asks for such steps, or is at work on one. */
  readonly isServed: boolean
}

/** A worker that waits for work asks again at least this often; one that is busy keeps its claims instead. */
const SILENT_MS = 2 * LIMITS.workWaitMs

export function isSilent(instant: string, now: number): boolean {
  return now - (msFromIso(instant) ?? now) > SILENT_MS
}

/** The longest waiting first. */
export function workQueues(work: readonly SentStep[], workers: readonly Worker[], now: number): readonly WorkQueue[] {
  const groups = Map.groupBy(work, ({ queue, handler }) => JSON.stringify([queue, handler]))
  return [...groups.values()].flatMap((steps) => {
    const [first] = steps
    return first === undefined ? [] : [queueOf(first, steps, workers, now)]
  })
}

function queueOf(
  { queue, handler }: SentStep,
  steps: readonly SentStep[],
  workers: readonly Worker[],
  now: number,
): WorkQueue {
  const asked = workers.find(({ queues, handlers }) => queues.includes(queue) && handlers.includes(handler))?.askedAt
  const isKept = steps.some(({ leaseUntil }) => leaseUntil !== undefined && (msFromIso(leaseUntil) ?? 0) > now)
  return {
    queue,
    handler,
    waiting: steps.filter(({ worker }) => worker === undefined),
    atWork: steps.filter(({ worker }) => worker !== undefined).length,
    ...(asked === undefined ? {} : { askedAt: asked }),
    isServed: isKept || (asked !== undefined && !isSilent(asked, now)),
  }
}
