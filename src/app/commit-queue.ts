/**
 * Group commit: what all runs produced in one turn of the loop goes to the store as one batch, atomic per run.
 * A batch that failed whole, or took longer than its budget, tells every run in it, and each folds again (P-10).
 */
import { LIMITS } from '../core/limits.ts'
import type { CommitResult, RunCommit, RunStore } from '../ports/run-store.ts'
import type { Timers } from '../ports/timers.ts'
import { withinBudget } from './commit-budget.ts'

const BATCH_EVENTS_MAX = 4_000

interface Waiting {
  readonly commit: RunCommit
  readonly resolve: (result: CommitResult) => void
  readonly reject: (reason: unknown) => void
}

export class CommitQueue {
  readonly #store: RunStore
  readonly #timers: Timers
  readonly #budgetMs: number
  #waiting: Waiting[] = []
  #scheduled = false

  constructor(store: RunStore, timers: Timers, budgetMs: number = LIMITS.writeLatencyBudgetMs) {
    this.#store = store
    this.#timers = timers
    this.#budgetMs = budgetMs
  }

  submit(commit: RunCommit): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#timers.defer(() => {
      void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    const batch = this.#take()
    try {
      const write = this.#store.commit(batch.map((one) => one.commit))
      const results = await withinBudget(this.#timers, this.#budgetMs, write)
      batch.forEach((one, index) => {
        const result = results[index]
        if (result === undefined) one.reject(new RangeError('the store answered fewer runs than it was given'))
        else one.resolve(result)
      })
    } catch (thrown) {
      for (const one of batch) one.reject(thrown)
    } finally {
      this.#scheduled = false
      if (this.#waiting.length > 0) this.#schedule()
    }
  }

  #take(): Waiting[] {
    let events = 0
    let count = 0
    for (const one of this.#waiting) {
      events += one.commit.events.length
      if (count > 0 && events > BATCH_EVENTS_MAX) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }
}
