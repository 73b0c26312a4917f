/**
 * Issues receipts: a follower of the log that signs the heads at every run's start and end, one receipt for a whole
 * page, on disk before the page is settled. A repeated page gives a repeated receipt, which is harmless (P-48).
 */
import type { Problem } from '../../core/problems/problem.ts'
import { isoFromMs } from '../../core/time.ts'
import type { FeedItem } from '../../ports/feed.ts'
import type { ReceiptBook } from '../../ports/receipts.ts'
import { Follower } from '../feed/follow.ts'
import { PublicationSigner } from './published.ts'
import { signReceipt, type ReceiptBody, type ReceiptHead } from './receipts.ts'
import type { Services } from '../services.ts'
import { hexOf } from '../log/sha256.ts'

/** Where the issuer stands in the log is kept in the store under this name. */
export const RECEIPTS = 'receipts'
const PAGE_EVENTS = 1_000
const MONTH_CHARS = 7

/** Events whose hashes are anchored: a run's start and its end. */
export const ANCHORED: ReadonlySet<string> = new Set(['RunStarted', 'RunCompleted', 'RunFailed', 'RunCancelled'])

export type ReceiptIssuer = Pick<Follower, 'start' | 'stop' | 'drain'>

export function receiptFollower(
  services: Services,
  book: ReceiptBook,
  onProblem?: (problem: Problem) => void,
): ReceiptIssuer {
  const { store, clock, random, timers } = services
  const published = new PublicationSigner(store, book, clock)
  const follower = new Follower({
    store,
    clock,
    random,
    timers,
    subscriber: RECEIPTS,
    pageEvents: PAGE_EVENTS,
    deliver: {
      page: async (items) => {
        const heads = items.filter(({ event }) => ANCHORED.has(event.eventType)).map(headOf)
        if (heads.length === 0) return
        await issue(book, 'heads', heads, clock.now())
        await published.sign()
      },
    },
    ...(onProblem === undefined ? {} : { onProblem }),
  })
  return {
    start: () => follower.start(),
    stop: () => follower.stop(),
    // Also where no run has begun since the last time.
    drain: async (withinMs) => (await follower.drain(withinMs)) + (await published.sign()),
  }
}

/** Signs and keeps one receipt. */
export async function issue(
  book: ReceiptBook,
  kind: ReceiptBody['kind'],
  heads: readonly ReceiptHead[],
  now: number,
): Promise<void> {
  const line = await signReceipt(await book.keys.current(), kind, heads, now)
  await book.lines.append(isoFromMs(now).slice(0, MONTH_CHARS), line)
}

function headOf({ run, event }: FeedItem): ReceiptHead {
  const { runSeq, eventType, chainHash, persistedAt } = event
  return { ...run, runSeq, chainHash: hexOf(chainHash), eventType, at: isoFromMs(persistedAt) }
}
