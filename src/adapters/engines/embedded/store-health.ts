/**
 * Whether the store answers this process. Every caller repeats its own failed call; here the failures are counted, so that people
 * are told about trouble that lasts (once, and then from time to time) and about its end.
 */
import { steadyNow } from '../../../core/clock-jumps.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { StoreTrouble } from '../../../ports/listeners.ts'

/** A failure after which the next try succeeds is not reported. */
const TOLD_AFTER_MS = 1_000
const TOLD_AGAIN_AFTER_MS = 60_000
/** Reads may succeed where writes fail: only this long without any failure is an end. */
const QUIET_MS = 3_000

export class StoreHealth {
  readonly #clock: Clock
  readonly #tell: (trouble: StoreTrouble) => void
  #failures = 0
  #since = 0
  /** The same instant, for people. */
  #sinceWall = 0
  #lastAt = 0
  #toldAt: number | undefined

  constructor(clock: Clock, tell: (trouble: StoreTrouble) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** A failure that a repeat cannot help is an answer of the store, and is reported elsewhere. */
  failed(thrown: unknown): void {
    if (thrown instanceof KeelsonError && thrown.problems.every((one) => !one.retryable)) return
    const now = steadyNow(this.#clock)
    this.#endIfQuiet(now)
    if (this.#failures === 0) {
      this.#since = now
      this.#sinceWall = this.#clock.now()
    }
    this.#failures += 1
    this.#lastAt = now
    const isDue =
      this.#toldAt === undefined ? now - this.#since >= TOLD_AFTER_MS : now - this.#toldAt >= TOLD_AGAIN_AFTER_MS
    if (!isDue) return
    this.#toldAt = now
    this.#say('failing', thrown)
  }

  /** A whole round of calls was answered. */
  answered(): void {
    this.#endIfQuiet(steadyNow(this.#clock))
  }

  #endIfQuiet(now: number): void {
    if (this.#failures === 0 || now - this.#lastAt < QUIET_MS) return
    if (this.#toldAt !== undefined) this.#say('recovered')
    this.#failures = 0
    this.#toldAt = undefined
  }

  #say(state: StoreTrouble['state'], thrown?: unknown): void {
    this.#tell({
      state,
      failures: this.#failures,
      since: new Date(this.#sinceWall).toISOString(),
      ...(state === 'failing' ? { code: codeOf(thrown), message: messageOf(thrown) } : {}),
    })
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof KeelsonError ? thrown.code : 'INTERNAL'
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
