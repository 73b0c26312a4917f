/** A step of a queue as a sentence: no worker has it yet, or one does. */
import type { WorkerCause } from '../../../core/run/explain/worker-wait.ts'
import { timeOfDay } from '../terminal/format.ts'

export function workerTold(
  cause: WorkerCause,
  now: number,
): { readonly sentence: string; readonly commands: readonly string[] } {
  return { sentence: sentenceOf(cause, now), commands: ['keelson workers'] }
}

function sentenceOf(cause: WorkerCause, now: number): string {
  const since = `since ${timeOfDay(cause.since, now)}`
  if (cause.kind === 'waiting-for-worker') {
    const { queue, handler, askedAt } = cause
    const last = askedAt === undefined ? 'none has asked' : `one last asked at ${timeOfDay(askedAt, now)}`
    return `it waits for a worker of the queue ${queue} with the function ${handler} ${since}; ${last}`
  }
  const { queue, worker, until } = cause
  const silent = until > now ? '' : `; its lease ended at ${timeOfDay(until, now)} without a heartbeat`
  return `worker ${worker} of the queue ${queue} has it ${since}${silent}`
}
