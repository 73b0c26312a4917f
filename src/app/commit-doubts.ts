/**
 * Runs of which this process does not know what was committed. A turn that failed may have been written all the same, then
 * effects are owed that nobody was given (P-10). And a commit that was given up may still be on its way: it can land at any
 * time, until a later one has taken its place.
 */
import type { RunKey } from '../ports/run-store.ts'

export class CommitDoubts {
  /** The next report says everything that is owed. */
  readonly #unsure = new Set<RunKey>()
  readonly #underWay = new Set<RunKey>()

  failed(runKey: RunKey): void {
    this.#unsure.add(runKey)
    this.#underWay.add(runKey)
  }

  /** The log was read again, and may have grown by a commit of our own that was given up. */
  reloaded(runKey: RunKey): void {
    if (this.#underWay.has(runKey)) this.#unsure.add(runKey)
  }

  /** A later commit made the log longer: an earlier one would find that it has moved on. */
  moved(runKey: RunKey): void {
    this.#underWay.delete(runKey)
  }

  /** Must everything that is owed be told? Asked once. */
  tellAll(runKey: RunKey): boolean {
    return this.#unsure.delete(runKey)
  }

  release(runKey: RunKey): void {
    this.#unsure.delete(runKey)
    this.#underWay.delete(runKey)
  }
}
