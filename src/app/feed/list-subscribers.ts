/**
 * Who follows the logs, and how far behind each is: in runs, and in events up to a number that can be counted at once. What is counted is
 * what the subscriber would read next; nothing is settled by it.
 */
import { subscriberName, subscriberTenant } from '../../core/feed/subscriber.ts'
import type { FeedStatus, FeedStore } from '../../ports/feed.ts'
import type { RunRef } from '../../ports/stored-run.ts'

/** An event that a subscriber failed on; it is tried again. */
export interface FailingDelivery {
  readonly run: RunRef
  readonly runSeq: number
  readonly tries: number
}

export interface SubscriberState extends FeedStatus {
  readonly subscriber: string
  readonly position: string
  /** As its program calls it. */
  readonly name: string
  readonly ofTenant?: string
  /** Unsettled events, counted up to `COUNTED`. */
  readonly eventsBehind: number
  /** There may be more of them than were counted. */
  readonly moreBehind: boolean
  /** When the oldest of those counted was stored. */
  readonly oldestAt?: number
  /** The first ones. */
  readonly failing: readonly FailingDelivery[]
}

const COUNTED = 500
const FAILING_SHOWN = 20

type Feed = Pick<FeedStore, 'listSubscribers' | 'feedStatus' | 'readFeed'>

export async function listSubscribers(store: Feed): Promise<readonly SubscriberState[]> {
  const states: SubscriberState[] = []
  for (const one of await store.listSubscribers()) {
    const ofTenant = subscriberTenant(one.subscriber)
    const status = await store.feedStatus(one.subscriber)
    states.push({
      ...one,
      name: subscriberName(one.subscriber),
      ...(ofTenant === undefined ? {} : { ofTenant }),
      ...status,
      ...(status.runsBehind === 0 ? IN_STEP : await lagOf(store, one.subscriber)),
    })
  }
  return states
}

const IN_STEP: Lag = { eventsBehind: 0, moreBehind: false, failing: [] }

type Lag = Pick<SubscriberState, 'eventsBehind' | 'moreBehind' | 'oldestAt' | 'failing'>

/** At the end of time every delivery that waits is due. */
async function lagOf(store: Feed, subscriber: string): Promise<Lag> {
  const { items } = await store.readFeed(subscriber, { now: Number.MAX_SAFE_INTEGER, limit: COUNTED })
  const oldestAt = items.reduce((oldest, { event }) => Math.min(oldest, event.persistedAt), Infinity)
  const failing = items.filter(({ attempts }) => attempts > 0).slice(0, FAILING_SHOWN)
  return {
    eventsBehind: items.length,
    moreBehind: items.length >= COUNTED,
    ...(items.length === 0 ? {} : { oldestAt }),
    failing: failing.map(({ run, event, attempts }) => ({ run, runSeq: event.runSeq, tries: attempts })),
  }
}
