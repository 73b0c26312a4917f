/**
 * Driven runs that wait for something far away, in the order in which they fell quiet: the next ones to be let go. Those
 * quiet for a while go, and when many wait, the first of them at once: the memory of a process does not grow with what
 * lies still (DESIGN §6).
 */
import type { RunKey } from '../../../ports/run-store.ts'

export class QuietRuns {
  readonly #since = new Map<RunKey, number>()
  readonly #afterMs: number
  readonly #max: number

  constructor(afterMs: number, max: number) {
    this.#afterMs = afterMs
    this.#max = max
  }

  /** From now on it is quiet, whatever it was before. */
  add(runKey: RunKey, now: number): void {
    this.#since.delete(runKey)
    this.#since.set(runKey, now)
  }

  delete(runKey: RunKey): void {
    this.#since.delete(runKey)
  }

  get isFull(): boolean {
    return this.#since.size > this.#max
  }

  /** Takes out those whose time has come. */
  take(now: number): readonly RunKey[] {
    const taken: RunKey[] = []
    for (const [runKey, since] of this.#since) {
      if (now - since < this.#afterMs && !this.isFull) break
      this.#since.delete(runKey)
      taken.push(runKey)
    }
    return taken
  }
}
