/**
 * Runs that could not be dealt with are left alone for a while, twice as long after each failure, so that what cannot work takes no
 * turn from what can. What is kept is bounded: of too many the one that failed longest ago is tried anew.
 */
import { deliveryDelayMs } from '../../app/feed/backoff.ts'
import { steadyNow } from '../../core/clock-jumps.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { RunKey } from '../../ports/run-store.ts'

const BACKOFF = { initialMs: 1_000, maxMs: 60_000 }
const KEPT = 10_000
/** So long after its time has come without a failure, a run is somebody else's. */
const FORGOTTEN_MS = 2 * BACKOFF.maxMs

interface Failed {
  readonly failures: number
  readonly until: number
}

export class PutOff {
  readonly #clock: Clock
  readonly #random: Random
  /** In the order of their last failure. */
  readonly #failed = new Map<RunKey, Failed>()

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  /** Returns how often it has failed. */
  failed(runKey: RunKey): number {
    const failures = (this.#failed.get(runKey)?.failures ?? 0) + 1
    this.#failed.delete(runKey)
    const until = steadyNow(this.#clock) + deliveryDelayMs(failures, this.#random, BACKOFF)
    this.#failed.set(runKey, { failures, until })
    const [oldest] = this.#failed.keys()
    if (this.#failed.size > KEPT && oldest !== undefined) this.#failed.delete(oldest)
    return failures
  }

  done(runKey: RunKey): void {
    this.#failed.delete(runKey)
  }

  /** Those whose time has not come. */
  now(): readonly RunKey[] {
    const now = steadyNow(this.#clock)
    const waiting: RunKey[] = []
    for (const [runKey, { until }] of this.#failed) {
      if (until > now) waiting.push(runKey)
      else if (until + FORGOTTEN_MS < now) this.#failed.delete(runKey)
    }
    return waiting
  }
}
