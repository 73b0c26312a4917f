/**
 * The steps of a moment as everybody is shown them. A step that no event has changed between two moments is the same object in both:
 * so moving the cursor costs by what changed, and what is drawn of the others stays as it is.
 */
import { vectorGet } from '../../../src/core/collections/vector.ts'
import type { RunSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { EMPTY_STEP, type RunView, type StepFold } from '../../../src/core/view/fold/run-view.ts'
import { mayRetry } from '../../../src/core/view/show/substatus.ts'
import { snapshotOf, stepSnapshot } from '../../../src/core/view/show/snapshot-of.ts'

interface Kept {
  readonly mayRetry: boolean
  readonly snapshot: StepSnapshot
}

export class StepSnapshots {
  readonly #begun = new WeakMap<StepFold, Kept>()
  /** By number: steps that no event has named yet. */
  readonly #pending: StepSnapshot[] = []

  snapshotOf(view: RunView): RunSnapshot {
    const retries = mayRetry(view)
    return snapshotOf(
      view,
      Array.from({ length: view.names.size }, (_, number) => this.#step(view, number, retries)),
    )
  }

  #step(view: RunView, number: number, retries: boolean): StepSnapshot {
    const fold = vectorGet(view.steps, number)
    if (fold === undefined || fold === EMPTY_STEP) return (this.#pending[number] ??= stepSnapshot(view, number))
    const kept = this.#begun.get(fold)
    if (kept?.mayRetry === retries) return kept.snapshot
    const snapshot = stepSnapshot(view, number)
    this.#begun.set(fold, { mayRetry: retries, snapshot })
    return snapshot
  }
}
