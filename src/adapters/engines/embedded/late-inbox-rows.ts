/**
 * Inbox rows to runs that have ended (P-21): their senders still saw a live run. The driver of the run looks once more after its
 * end, unless the commit of the end has looked itself (P-53). If the driver died before that, another process finds the rows in its sweep, so that a late outcome or signal is recorded
 * in any case.
 */
import { steadyNow } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RunDriver } from '../../../ports/engine.ts'
import type { RunKey, RunStore } from '../../../ports/run-store.ts'

/** How often the rows are looked for, and how old a row must be: the driver of its run answers sooner. */
const SWEEP_MS = 5_000
const AT_ONCE = 32

export class LateInboxRows {
  readonly #store: RunStore
  readonly #driver: RunDriver
  readonly #clock: Clock
  readonly #onFailure: (thrown: unknown) => void
  #sweepsAt = -Infinity

  constructor(store: RunStore, driver: RunDriver, clock: Clock, onFailure: (thrown: unknown) => void) {
    this.#store = store
    this.#driver = driver
    this.#clock = clock
    this.#onFailure = onFailure
  }

  /** What came between the last look into the inbox and the end. */
  async answerLast(runKey: RunKey): Promise<void> {
    try {
      if ((await this.#store.readInbox(runKey)).length > 0) await this.#driver.advance(runKey)
    } catch (thrown) {
      this.#onFailure(thrown)
    }
  }

  async sweep(): Promise<void> {
    const steady = steadyNow(this.#clock)
    if (steady < this.#sweepsAt) return
    this.#sweepsAt = steady + SWEEP_MS
    const until = this.#clock.now() - SWEEP_MS
    for (const { runKey } of await this.#store.endedWithInboxRows(until, AT_ONCE)) await this.answerLast(runKey)
  }
}
