/**
 * One redactor for each run whose steps this process executes. It exists while any attempt of the run with a secret is
 * in flight, and afterwards for late output, until the run has ended here.
 */
import { Redactor } from './redact.ts'
import type { RunKey } from '../../ports/run-store.ts'

/** Runs without an attempt in flight: those that wait, and those that moved elsewhere unnoticed. */
const WAITING_KEPT = 100_000
/** Output of a run may arrive shortly after its end. */
const ENDED_KEPT = 1_000

interface Held {
  readonly redactor: Redactor
  attempts: number
  hasEnded: boolean
}

export class RunRedactors {
  readonly #inFlight = new Map<RunKey, Held>()
  /** Oldest work first. */
  readonly #waiting = new Map<RunKey, Held>()
  readonly #ended = new Map<RunKey, Held>()

  /** Undefined for a run that was given no secret here. */
  of(runKey: RunKey): Redactor | undefined {
    return this.#find(runKey)?.redactor
  }

  #find(runKey: RunKey): Held | undefined {
    return this.#inFlight.get(runKey) ?? this.#waiting.get(runKey) ?? this.#ended.get(runKey)
  }

  /** Before anything can repeat them. The returned function is called once, when the attempt is over. */
  hold(runKey: RunKey, values: readonly string[]): () => void {
    const held = this.#find(runKey) ?? { redactor: new Redactor(), attempts: 0, hasEnded: false }
    held.attempts += 1
    this.#waiting.delete(runKey)
    this.#ended.delete(runKey)
    this.#inFlight.set(runKey, held)
    for (const value of values) held.redactor.hold(value)
    return () => {
      for (const value of values) held.redactor.release(value)
      held.attempts -= 1
      if (held.attempts === 0) this.#rest(runKey, held)
    }
  }

  ended(runKey: RunKey): void {
    const held = this.#find(runKey)
    if (held === undefined || held.hasEnded) return
    held.hasEnded = true
    if (held.attempts === 0) this.#rest(runKey, held)
  }

  #rest(runKey: RunKey, held: Held): void {
    this.#inFlight.delete(runKey)
    this.#waiting.delete(runKey)
    held.redactor.rest()
    const [kept, limit] = held.hasEnded ? [this.#ended, ENDED_KEPT] : [this.#waiting, WAITING_KEPT]
    kept.set(runKey, held)
    const [oldest] = kept.keys()
    if (kept.size > limit && oldest !== undefined) kept.delete(oldest)
  }

  /** A line about the process, not about a run: the secrets of all attempts in flight are masked in it. */
  text(text: string): string {
    let masked = text
    for (const { redactor } of this.#inFlight.values()) masked = redactor.text(masked)
    return masked
  }
}
