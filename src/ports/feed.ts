/**
 * The feed: the log is the outbox (P-50). A subscriber sees every committed event at least once, in order per run; its
 * work is settled together with its cursor. A run whose delivery fails waits alone; others go on.
 */
import type { RunStatus } from '../core/run/state/transitions.ts'
import type { RunKey, RunRef, StoredEvent } from './stored-run.ts'

export interface FeedItem {
  readonly runKey: RunKey
  readonly run: RunRef
  readonly event: StoredEvent
  /** Failed deliveries of this event so far. */
  readonly attempts: number
}

export interface FeedPage {
  /** Runs may be mixed; the events of one run are ascending and without a gap. */
  readonly items: readonly FeedItem[]
  /** Opaque: the subscriber's position after this page is settled. */
  readonly position: string
}

/** The result of one item. After `failed` the rest of that run in the page must not be delivered, nor settled. */
export type Delivery = { readonly runKey: RunKey; readonly runSeq: number } & (
  | { readonly result: 'delivered' }
  | { readonly result: 'failed'; readonly retryAt: number; readonly error: string }
  /** Given up: it is a dead letter, and the run goes on after it. */
  | { readonly result: 'dead'; readonly error: string }
)

export interface DeadLetter {
  readonly runKey: RunKey
  readonly run: RunRef
  readonly runSeq: number
  readonly error: string
  readonly at: number
  /** Since when somebody wants it delivered once more; whoever follows under the name does so. */
  readonly askedAt?: number
}

/** Somebody who has settled something. */
export interface Subscriber {
  readonly subscriber: string
  /** Opaque: how far it has come. */
  readonly position: string
}

export interface FeedStatus {
  /** Runs with unsettled events, including blocked ones. */
  readonly runsBehind: number
  /** Runs that wait because a delivery failed. */
  readonly runsBlocked: number
  readonly deadLetters: number
  /** A foreign transaction keeps the feed from moving (FEED_STALLED). */
  readonly stalledBy?: { readonly pid: number; readonly sinceMs: number }
}

/** A run that something was appended to, as it is now. */
export interface MovedRun {
  readonly runKey: RunKey
  readonly run: RunRef
  readonly status: RunStatus
  readonly lastEventSeq: number
  readonly updatedAt: number
}

export interface MovedPage {
  /** Each run once. */
  readonly runs: readonly MovedRun[]
  /** Opaque: where to go on. */
  readonly position: string
  /** There may be more beyond this page. */
  readonly more: boolean
}

export interface FeedStore {
  /**
   * Runs that were appended to after a position of the feed, without a subscriber: nothing is stored or settled. At most
   * `limit` appends are looked at. Without a position it is the end of the feed. Undefined: the position is not of this
   * feed, or lies beyond its end.
   */
  readMoves(after: string | undefined, limit: number): Promise<MovedPage | undefined>
  /**
   * Unsettled events for a subscriber, at most `limit`: first of blocked runs that are due, then new ones. A new name
   * starts at the beginning of the log. Reading settles nothing.
   */
  readFeed(subscriber: string, page: { readonly now: number; readonly limit: number }): Promise<FeedPage>
  /** Cursor, deliveries and failures in one transaction. Events of a page that nobody settled come again. */
  settleFeed(
    subscriber: string,
    settled: { readonly position: string; readonly deliveries: readonly Delivery[] },
  ): Promise<void>
  feedStatus(subscriber: string): Promise<FeedStatus>
  /** Of all tenants, by name. */
  listSubscribers(): Promise<readonly Subscriber[]>
  /** Oldest first; `asked`: only those that somebody wants delivered once more. */
  readDeadLetters(subscriber: string, limit: number, asked?: 'asked'): Promise<readonly DeadLetter[]>
  /** Asks for one to be delivered once more; without an instant, takes that back. False when it does not exist. */
  askRedelivery(subscriber: string, runKey: RunKey, runSeq: number, askedAt?: number): Promise<boolean>
  /** Removes one after it was delivered by hand. False when it did not exist. */
  dropDeadLetter(subscriber: string, runKey: RunKey, runSeq: number): Promise<boolean>
  /** Subscribers, by name, that have settled something before but not yet all events of this run. */
  subscribersBehind(runKey: RunKey): Promise<readonly string[]>
  /** Removes a subscriber with its cursors, failures and dead letters. */
  dropSubscriber(subscriber: string): Promise<void>
}
