/**
 * Delivers dead letters again on request: oldest first, in order per run, one at a time. A dead letter is removed only
 * after its delivery; when one fails again, the later ones of its run stay too, and nothing is lost.
 */
import type { DeadLetter, FeedItem } from '../../ports/feed.ts'
import { eventAt } from '../log/stored-events.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { describeError } from '../redact/describe-error.ts'

export interface RedeliverRequest {
  readonly store: RunStore
  readonly subscriber: string
  readonly deliver: (item: FeedItem) => Promise<void>
  readonly limit?: number
  /** Called before each delivery except the first; a rate limit waits here. */
  readonly pace?: () => Promise<void>
  /** Only those that somebody has asked for. */
  readonly asked?: 'asked'
  /** Reports what would be delivered, and does nothing. */
  readonly dryRun?: boolean
}

export interface Redelivered {
  readonly delivered: readonly DeadLetter[]
  readonly failed: readonly { readonly deadLetter: DeadLetter; readonly error: string }[]
  /** Not tried: an earlier one of the same run failed. */
  readonly waiting: readonly DeadLetter[]
  /** The log they refer to was archived; the dead letters were dropped. */
  readonly gone: readonly DeadLetter[]
}

const PILOT = 100

/** Those that somebody has asked for. What fails again stays, and is not tried once more until it is asked for again. */
export async function redeliverAsked(
  request: Pick<RedeliverRequest, 'store' | 'subscriber' | 'deliver'>,
): Promise<void> {
  const { store, subscriber } = request
  const { failed, waiting } = await redeliverDead({ ...request, asked: 'asked' })
  for (const { runKey, runSeq } of [...failed.map(({ deadLetter }) => deadLetter), ...waiting])
    await store.askRedelivery(subscriber, runKey, runSeq)
}

export async function redeliverDead(request: RedeliverRequest): Promise<Redelivered> {
  const { store, subscriber, deliver, limit = PILOT, pace, dryRun = false, asked } = request
  const answer = {
    delivered: [] as DeadLetter[],
    failed: [] as { deadLetter: DeadLetter; error: string }[],
    waiting: [] as DeadLetter[],
    gone: [] as DeadLetter[],
  }
  const blocked = new Set<RunKey>()
  for (const [index, deadLetter] of (await store.readDeadLetters(subscriber, limit, asked)).entries()) {
    const { runKey, run, runSeq } = deadLetter
    if (blocked.has(runKey)) {
      answer.waiting.push(deadLetter)
      continue
    }
    const found = await eventAt(store, runKey, runSeq)
    if (index > 0 && !dryRun) await pace?.()
    try {
      if (found !== undefined && !dryRun) await deliver({ runKey, run, event: found, attempts: 0 })
    } catch (thrown) {
      blocked.add(runKey)
      answer.failed.push({ deadLetter, error: describeError(thrown).errorText.message })
      continue
    }
    if (!dryRun) await store.dropDeadLetter(subscriber, runKey, runSeq)
    answer[found === undefined ? 'gone' : 'delivered'].push(deadLetter)
  }
  return answer
}
