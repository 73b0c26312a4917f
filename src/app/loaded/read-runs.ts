/**
 * Runs as a reader folds them. It keeps the fold of the last run it was asked for, because a command asks for one run several times
 * in a row; whether that fold is still the newest is for its caller to check.
 */
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { PlanShelf } from '../plans/load.ts'
import { loadRun, type LoadedRun } from './load-run.ts'

export class ReadRuns {
  readonly #store: RunStore
  readonly plans: PlanShelf
  #last: LoadedRun | undefined

  constructor(store: RunStore) {
    this.#store = store
    this.plans = new PlanShelf(store)
  }

  async current(runKey: RunKey): Promise<LoadedRun> {
    if (this.#last?.row.runKey !== runKey) this.#last = await loadRun(this.#store, this.plans, runKey)
    return this.#last
  }

  forget(runKey: RunKey): void {
    if (this.#last?.row.runKey === runKey) this.#last = undefined
  }
}
