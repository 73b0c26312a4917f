/**
 * Letters to runs that have ended (P-21): their senders saw a run that would read them. Its driver looks once more after the
 * end; where that died first, whoever sweeps answers, so that a late outcome or a signal is on record all the same.
 */
import { steadyNow } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RunDriver } from '../../../ports/engine.ts'
import type { RunKey, RunStore } from '../../../ports/run-store.ts'

/** How often they are looked for, and how old one must be: its run's own driver answers it sooner. */
const SWEEP_MS = 5_000
const AT_ONCE = 32

export class LateLetters {
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
    for (const { runKey } of await this.#store.endedWithLetters(until, AT_ONCE)) await this.answerLast(runKey)
  }
}
