/** When a driven run wakes by itself: at the instant that its last turn named. */
import { steadyNow } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Timers } from '../../../ports/timers.ts'

export class WakeUp {
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #wake: () => void
  #instant: number | undefined
  #cancelTimer: (() => void) | undefined
  /** When the timer rings: in elapsed time, which it goes by also when the wall clock is set. */
  #ringsAt = 0

  constructor(clock: Clock, timers: Timers, wake: () => void) {
    this.#clock = clock
    this.#timers = timers
    this.#wake = wake
  }

  /** By the wall clock. */
  get instant(): number | undefined {
    return this.#instant
  }

  /**
   * A timer that rings before the instant stays, and is set again when it rings: each step of a chain puts the instant a little
   * further off, and hardly any is ever reached.
   */
  set(instant: number | undefined): void {
    this.#instant = instant
    if (instant === undefined) return this.cancel()
    const delay = Math.max(0, instant - this.#clock.now())
    const ringsAt = steadyNow(this.#clock) + delay
    if (this.#cancelTimer !== undefined && this.#ringsAt <= ringsAt) return
    this.cancel()
    this.#ringsAt = ringsAt
    this.#cancelTimer = this.#timers.after(delay, () => this.#ring())
  }

  cancel(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #ring(): void {
    this.#cancelTimer = undefined
    if (this.#instant !== undefined && this.#instant > this.#clock.now()) this.set(this.#instant)
    else this.#wake()
  }
}
