/**
 * A follower of the log (the log is the outbox): reads a page, delivers it, settles it, and repeats. What was delivered
 * but not settled comes again, so every event arrives at least once and in order per run (BUS-02, BUS-03).
 */
import { steadyNow } from '../../core/clock-jumps.ts'
import { shownSubscriber } from '../../core/feed/subscriber.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Delivery, FeedItem, FeedStore } from '../../ports/feed.ts'
import type { Random } from '../../ports/random.ts'
import type { Timers } from '../../ports/timers.ts'
import { DELIVERY_BACKOFF, deliveryDelayMs, type DeliveryBackoff } from './backoff.ts'
import { deliverPage } from './deliver-page.ts'
import { describeError } from '../redact/describe-error.ts'

/**
 * `each`: event by event; failures are counted and end as dead letters. `page`: all or nothing, repeated until it
 * works.
 */
export type Deliver =
  | { readonly each: (item: FeedItem) => Promise<void> }
  | { readonly page: (items: readonly FeedItem[]) => Promise<void> }

export interface FollowerOptions {
  readonly store: FeedStore
  readonly clock: Clock
  readonly random: Random
  readonly timers: Timers
  /** Its position in the log is kept under this name. */
  readonly subscriber: string
  readonly deliver: Deliver
  /** Failed deliveries after which an event becomes a dead letter; default 10. */
  readonly maxAttempts?: number
  readonly backoff?: DeliveryBackoff
  readonly pageEvents?: number
  readonly runsAtOnce?: number
  readonly pollMs?: number
  /** What else is to be looked at now and then, while nothing comes. */
  readonly onIdle?: () => Promise<void>
  /** FEED_STALLED, EVENT_BUS_DELIVERY_FAILED, and failures of the store or of a whole page. */
  readonly onProblem?: (problem: Problem) => void
}

const DEFAULTS = { maxAttempts: 10, pageEvents: 500, runsAtOnce: 16, pollMs: 500, backoff: DELIVERY_BACKOFF }
const STATUS_EVERY_MS = 5_000

export class Follower {
  readonly #options: FollowerOptions & typeof DEFAULTS
  #turn: Promise<number> = Promise.resolve(0)
  #position: string | undefined
  #isRunning = false
  #cancelWait: (() => void) | undefined
  #failures = 0
  #lookedAt = -Infinity
  #stalledBy: number | undefined

  /** Epoch milliseconds at elapsed time zero: pauses between deliveries use elapsed time. */
  readonly #origin: number

  constructor(options: FollowerOptions) {
    this.#options = { ...DEFAULTS, ...options }
    this.#origin = options.clock.now() - steadyNow(options.clock)
  }

  #now(): number {
    return this.#origin + steadyNow(this.#options.clock)
  }

  /** Follows until nothing more is available now, or for that long. Returns how many events it received. */
  async drain(withinMs = Infinity): Promise<number> {
    const deadline = steadyNow(this.#options.clock) + withinMs
    let given = 0
    for (;;) {
      const count = await this.#next()
      given += count
      if (count === 0 || steadyNow(this.#options.clock) >= deadline) break
    }
    await this.#look(true)
    return given
  }

  /** Follows until it is stopped. */
  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#wait(0)
  }

  /** Something was appended: look now and not at the next poll. May be lost, may come without reason. */
  wake(): void {
    if (this.#isRunning && this.#cancelWait !== undefined && this.#failures === 0) this.#wait(0)
  }

  /** Resolves when work in progress is settled. */
  async stop(): Promise<void> {
    this.#isRunning = false
    this.#cancelWait?.()
    this.#cancelWait = undefined
    await this.#turn.catch(() => undefined)
  }

  #wait(ms: number): void {
    this.#cancelWait?.()
    this.#cancelWait = this.#options.timers.after(ms, () => {
      this.#cancelWait = undefined
      void this.#poll()
    })
  }

  async #poll(): Promise<void> {
    const { pollMs, random, backoff, onProblem } = this.#options
    let pause = pollMs
    try {
      if ((await this.#next()) > 0) pause = 0
      else await this.#look(false)
      this.#failures = 0
    } catch (thrown) {
      this.#failures += 1
      pause = deliveryDelayMs(this.#failures, random, backoff)
      onProblem?.(problemOf(thrown))
    }
    if (this.#isRunning) this.#wait(pause)
  }

  /** One page at a time, for all callers. */
  #next(): Promise<number> {
    const turn = this.#turn.catch(() => 0).then(() => this.#follow())
    this.#turn = turn
    return turn
  }

  async #follow(): Promise<number> {
    const { store, subscriber, pageEvents } = this.#options
    const { items, position } = await store.readFeed(subscriber, { now: this.#now(), limit: pageEvents })
    if (items.length === 0 && (this.#position === undefined || position === this.#position)) {
      this.#position = position
      return 0
    }
    await store.settleFeed(subscriber, { position, deliveries: await this.#deliver(items) })
    this.#position = position
    return items.length
  }

  async #deliver(items: readonly FeedItem[]): Promise<readonly Delivery[]> {
    const { deliver, maxAttempts, runsAtOnce, random, backoff, onProblem } = this.#options
    if ('page' in deliver) {
      if (items.length > 0) await deliver.page(items)
      return items.map(({ runKey, event }) => ({ runKey, runSeq: event.runSeq, result: 'delivered' }))
    }
    return deliverPage(items, {
      deliver: deliver.each,
      maxAttempts,
      runsAtOnce,
      retryAt: (failures) => this.#now() + deliveryDelayMs(failures, random, backoff),
      onProblem: (one) => onProblem?.(one),
    })
  }

  async #look(now: boolean): Promise<void> {
    const { clock, onIdle } = this.#options
    if (!now && steadyNow(clock) - this.#lookedAt < STATUS_EVERY_MS) return
    this.#lookedAt = steadyNow(clock)
    await this.#lookForStall()
    await onIdle?.()
  }

  /** Reported once for each blocking transaction. */
  async #lookForStall(): Promise<void> {
    const { store, subscriber, onProblem } = this.#options
    if (onProblem === undefined) return
    const { stalledBy } = await store.feedStatus(subscriber)
    if (stalledBy !== undefined && stalledBy.pid !== this.#stalledBy) {
      const message = `the feed of '${shownSubscriber(subscriber)}' waits for a transaction of process ${stalledBy.pid}, open for ${stalledBy.sinceMs} ms`
      onProblem(problem('FEED_STALLED', message, { details: stalledBy }))
    }
    this.#stalledBy = stalledBy?.pid
  }
}

function problemOf(thrown: unknown): Problem {
  const [first] = thrown instanceof KeelsonError ? thrown.problems : []
  return first ?? problem('STORE_UNAVAILABLE', describeError(thrown).errorText.message)
}
