/**
 * Stops repeated calls to a provider that does not answer: after some consecutive failures it is not called for a
 * while; then one caller may try, and its result closes the breaker or opens it once more (ENG-10).
 */
import { steadyNow } from '../../core/clock-jumps.ts'
import type { Clock } from '../../ports/clock.ts'

export interface BreakerOptions {
  readonly failures?: number
  readonly restMs?: number
}

export type Tried<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The provider was not called. */
  | { readonly kind: 'resting' }

const FAILURES = 3
const REST_MS = 30_000

export class CircuitBreaker {
  readonly #clock: Clock
  readonly #failures: number
  readonly #restMs: number
  #inARow = 0
  #closedUntil = -Infinity

  constructor(clock: Clock, { failures = FAILURES, restMs = REST_MS }: BreakerOptions = {}) {
    this.#clock = clock
    this.#failures = failures
    this.#restMs = restMs
  }

  async try<T>(ask: () => Promise<T>): Promise<Tried<T>> {
    const now = steadyNow(this.#clock)
    if (now < this.#closedUntil) return { kind: 'resting' }
    // Only one caller tries after the pause: the others are refused until there is an answer.
    if (this.#inARow >= this.#failures) this.#closedUntil = now + this.#restMs
    try {
      const value = await ask()
      this.#inARow = 0
      this.#closedUntil = -Infinity
      return { kind: 'answered', value }
    } catch (error) {
      this.#inARow += 1
      if (this.#inARow >= this.#failures) this.#closedUntil = steadyNow(this.#clock) + this.#restMs
      return { kind: 'failed', error }
    }
  }
}
