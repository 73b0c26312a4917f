/**
 * Runs of which this process does not know what was committed. A turn that failed may have been written all the same;
 * then effects are owed that were not handed out (P-10). And an abandoned commit may still be on its way: it can arrive
 * at any time, until a later one has taken its place.
 */
import type { RunKey } from '../../ports/run-store.ts'

export class CommitDoubts {
  /** The next report lists everything that is owed. */
  readonly #unsure = new Set<RunKey>()
  readonly #underWay = new Set<RunKey>()

  failed(runKey: RunKey): void {
    this.#unsure.add(runKey)
    this.#underWay.add(runKey)
  }

  /** The log was read again, and may include an abandoned commit of our own. */
  reloaded(runKey: RunKey): void {
    if (this.#underWay.has(runKey)) this.#unsure.add(runKey)
  }

  /** A later commit made the log longer: an earlier one can no longer succeed. */
  moved(runKey: RunKey): void {
    this.#underWay.delete(runKey)
  }

  /** Must the next report list everything that is owed? Resets the answer. */
  tellAll(runKey: RunKey): boolean {
    return this.#unsure.delete(runKey)
  }

  release(runKey: RunKey): void {
    this.#unsure.delete(runKey)
    this.#underWay.delete(runKey)
  }
}
