/**
 * A program's subscription to the log of its tenant's runs, under a name that keeps its place (the log is the outbox).
 * Every event comes at least once and in order per run, also those recorded while nobody listened.
 */
import { Follower } from '../../app/feed/follow.ts'
import { recordOf } from '../../app/log/read-events.ts'
import { redeliverAsked, redeliverDead, type Redelivered } from '../../app/feed/redeliver-dead.ts'
import type { Services } from '../../app/services.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { subscriberName } from '../../core/feed/subscriber.ts'
import { fail } from '../../core/problems/problem.ts'
import type { DeadLetter, FeedItem, FeedStatus } from '../../ports/feed.ts'
import type { TellProblem } from './receipt-service.ts'

export interface FeedEvent {
  readonly runId: string
  readonly tenantId: string
  readonly record: LogRecord
  /** Failed deliveries of this very event so far. */
  readonly attempts: number
}

export type FeedHandler = (event: FeedEvent) => unknown

export interface SubscribeOptions {
  /** For who serves a whole fleet: events of every tenant's runs. Default: of the tenant that Keelson was opened for. */
  readonly allTenants?: boolean
  /** Failed deliveries after which an event becomes a dead letter and its run goes on; default 10. */
  readonly maxAttempts?: number
  /** How often it looks for what other processes wrote; default 500 ms. */
  readonly pollMs?: number
  /** Failed deliveries and a feed that does not move; default: a warning of the process. */
  readonly onProblem?: TellProblem
}

const DEAD_SHOWN = 100

export class Subscription {
  readonly #services: Services
  readonly #follower: Follower
  readonly #deliver: (item: FeedItem) => Promise<void>
  readonly #release: () => void
  /** As its program calls it. */
  readonly name: string
  /** As the store has it: whose runs it is told of is part of it. */
  readonly #subscriber: string
  #isStopped = false

  constructor(
    services: Services,
    subscriber: string,
    handler: FeedHandler,
    options: SubscribeOptions & { readonly onProblem: TellProblem; readonly onMove: (wake: () => void) => () => void },
  ) {
    const { store, clock, random, timers } = services
    const { onMove, allTenants: _, ...settings } = options
    this.#services = services
    this.name = subscriberName(subscriber)
    this.#subscriber = subscriber
    this.#deliver = async (item) => {
      await handler(feedEvent(item))
    }
    const deliver = { each: this.#deliver }
    const onIdle = (): Promise<void> => redeliverAsked({ store, subscriber, deliver: this.#deliver })
    this.#follower = new Follower({ store, clock, random, timers, subscriber, deliver, onIdle, ...settings })
    this.#follower.start()
    this.#release = onMove(() => this.#follower.wake())
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Delivers what there is now; answers how many events that were. */
  drain(): Promise<number> {
    return this.#follower.drain()
  }

  status(): Promise<FeedStatus> {
    return this.#services.store.feedStatus(this.#subscriber)
  }

  /** What was given up, oldest first. */
  deadLetters(limit = DEAD_SHOWN): Promise<readonly DeadLetter[]> {
    return this.#services.store.readDeadLetters(this.#subscriber, limit)
  }

  /** Hands dead letters to the handler once more; those that succeed are gone. */
  redeliver(limit = DEAD_SHOWN): Promise<Redelivered> {
    return redeliverDead({
      store: this.#services.store,
      subscriber: this.#subscriber,
      deliver: this.#deliver,
      limit,
    })
  }

  /** Ends when what is under way is settled. The place in the log is kept under the name. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#release()
    await this.#follower.stop()
  }
}

function feedEvent({ run, event, attempts }: FeedItem): FeedEvent {
  const record = recordOf(event)
  if (!record.ok) return fail('RUN_QUARANTINED', `event ${event.runSeq} of run ${run.runId} cannot be read`)
  return { runId: run.runId, tenantId: run.tenantId, record: record.value, attempts }
}
