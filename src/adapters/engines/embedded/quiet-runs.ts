/**
 * Driven runs that wait for something far away, in the order in which they became quiet: the first ones are let go first. A run
 * that has been quiet for a while is let go; when many are quiet, the first of them are let go at once, so that quiet runs do not
 * fill the memory of the process.
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
