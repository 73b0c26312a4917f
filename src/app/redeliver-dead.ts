/**
 * Dead letters, delivered again by hand: oldest first, in order per run, one at a time. A letter goes only after its
 * delivery; when one fails again, the later ones of its run stay too, and nothing is lost.
 */
import type { DeadLetter, FeedItem } from '../ports/feed.ts'
import type { RunKey, RunStore } from '../ports/run-store.ts'
import { describeError } from './describe-error.ts'

export interface RedeliverRequest {
  readonly store: RunStore
  readonly subscriber: string
  readonly deliver: (item: FeedItem) => Promise<void>
  readonly limit?: number
  /** Called before each delivery but the first; a rate limit waits here. */
  readonly pace?: () => Promise<void>
  /** Says what would be delivered, and does nothing. */
  readonly dryRun?: boolean
}

export interface Redelivered {
  readonly delivered: readonly DeadLetter[]
  readonly failed: readonly { readonly letter: DeadLetter; readonly error: string }[]
  /** Not tried: an earlier one of the same run failed. */
  readonly waiting: readonly DeadLetter[]
  /** The log they refer to was archived; the letters were dropped. */
  readonly gone: readonly DeadLetter[]
}

const PILOT = 100

export async function redeliverDead(request: RedeliverRequest): Promise<Redelivered> {
  const { store, subscriber, deliver, limit = PILOT, pace, dryRun = false } = request
  const answer = {
    delivered: [] as DeadLetter[],
    failed: [] as { letter: DeadLetter; error: string }[],
    waiting: [] as DeadLetter[],
    gone: [] as DeadLetter[],
  }
  const blocked = new Set<RunKey>()
  for (const [index, letter] of (await store.readDeadLetters(subscriber, limit)).entries()) {
    const { runKey, run, runSeq } = letter
    if (blocked.has(runKey)) {
      answer.waiting.push(letter)
      continue
    }
    const [event] = await store.readEvents(runKey, { afterSeq: runSeq - 1, limit: 1 })
    const found = event?.runSeq === runSeq ? event : undefined
    if (index > 0 && !dryRun) await pace?.()
    try {
      if (found !== undefined && !dryRun) await deliver({ runKey, run, event: found, attempts: 0 })
    } catch (thrown) {
      blocked.add(runKey)
      answer.failed.push({ letter, error: describeError(thrown).errorText.message })
      continue
    }
    if (!dryRun) await store.dropDeadLetter(subscriber, runKey, runSeq)
    answer[found === undefined ? 'gone' : 'delivered'].push(letter)
  }
  return answer
}
