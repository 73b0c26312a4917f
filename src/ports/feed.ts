/**
 * The feed: the log is the outbox (DESIGN §6, P-50). A subscriber sees every committed event at least once, in order per
 * run; what it did is settled together with its cursor. A run whose delivery fails waits alone; others go on.
 */
import type { RunKey, RunRef, StoredEvent } from './stored-run.ts'

export interface FeedItem {
  readonly runKey: RunKey
  readonly run: RunRef
  readonly event: StoredEvent
  /** Failed deliveries of this very event so far. */
  readonly attempts: number
}

export interface FeedPage {
  /** Runs may be mixed; the events of one run are ascending and without a hole. */
  readonly items: readonly FeedItem[]
  /** Opaque: where the subscriber stands once this page is settled. */
  readonly position: string
}

/** What came of one item. After `failed` the rest of that run in the page must not be delivered, nor settled. */
export type Delivery = { readonly runKey: RunKey; readonly runSeq: number } & (
  | { readonly result: 'delivered' }
  | { readonly result: 'failed'; readonly retryAt: number; readonly error: string }
  /** Given up: it lies in the dead letters, and the run goes on after it. */
  | { readonly result: 'dead'; readonly error: string }
)

export interface DeadLetter {
  readonly runKey: RunKey
  readonly run: RunRef
  readonly runSeq: number
  readonly error: string
  readonly at: number
}

export interface FeedStatus {
  /** Runs with events that are not settled yet, blocked ones among them. */
  readonly runsBehind: number
  /** Runs that wait after a failed delivery. */
  readonly runsBlocked: number
  readonly deadLetters: number
  /** Somebody else's transaction keeps the feed from moving (FEED_STALLED). */
  readonly stalledBy?: { readonly pid: number; readonly sinceMs: number }
}

export interface FeedStore {
  /**
   * Unsettled events for a subscriber, at most `limit`: first of blocked runs whose time has come, then new ones. A name
   * never seen before starts at the beginning of the log. Reading settles nothing.
   */
  readFeed(subscriber: string, page: { readonly now: number; readonly limit: number }): Promise<FeedPage>
  /** Cursor, deliveries and failures in one transaction. What a page held and nobody settled comes again. */
  settleFeed(
    subscriber: string,
    settled: { readonly position: string; readonly deliveries: readonly Delivery[] },
  ): Promise<void>
  feedStatus(subscriber: string): Promise<FeedStatus>
  /** Oldest first. */
  readDeadLetters(subscriber: string, limit: number): Promise<readonly DeadLetter[]>
  /** Removes one after it was delivered by hand. False when it was not there. */
  dropDeadLetter(subscriber: string, runKey: RunKey, runSeq: number): Promise<boolean>
  /** Subscribers that have settled something before and not yet all events of this run, by name. */
  subscribersBehind(runKey: RunKey): Promise<readonly string[]>
  /** Forgets a subscriber with its cursors, failures and dead letters. */
  dropSubscriber(subscriber: string): Promise<void>
}
