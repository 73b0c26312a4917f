/**
 * Group commit: what all runs produced in one turn of the event loop goes to the store as one batch, atomic per run. A store that
 * says so gets a second batch while the first is on its way; a run is never in both (P-06). When a batch fails or exceeds its
 * time limit, every run in it is told, and each folds again (P-10); the other batch is not concerned.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import { LIMITS } from '../../core/limits.ts'
import type { CommitResult, RunCommit, RunStore } from '../../ports/run-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Timers } from '../../ports/timers.ts'
import { withinBudget } from './budget.ts'
import { rowsOf } from './rows-of.ts'

const BATCH_EVENTS_MAX = 4_000
/** Below so many commits a batch of their own costs more than it saves. */
const SHARE_MIN = 16

interface Waiting {
  readonly commit: RunCommit
  readonly resolve: (result: CommitResult) => void
  readonly reject: (reason: unknown) => void
}

/** Who wants to know how long commits take. */
export interface CommitWatch {
  readonly clock: Clock
  readonly onWritten: (ms: number) => void
}

export class CommitQueue {
  readonly #watch: CommitWatch | undefined
  readonly #store: RunStore
  readonly #timers: Timers
  readonly #budgetMs: number
  /** Batches on their way at once. */
  readonly #atOnce: number
  #waiting: Waiting[] = []
  /** Rows that the batches on their way write. */
  readonly #taken = new Set<string | number>()
  #underWay = 0
  /** Commits in the batches on their way. */
  #onTheWay = 0
  #scheduled = false

  constructor(store: RunStore, timers: Timers, budgetMs: number = LIMITS.writeLatencyBudgetMs, watch?: CommitWatch) {
    this.#watch = watch
    this.#store = store
    this.#timers = timers
    this.#budgetMs = budgetMs
    this.#atOnce = store.commitsAtOnce ?? 1
  }

  submit(commit: RunCommit): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#underWay >= this.#atOnce) return
    this.#scheduled = true
    this.#timers.defer(() => {
      this.#scheduled = false
      if (this.#underWay < this.#atOnce) this.#writeNext()
    })
  }

  #writeNext(): void {
    const batch = this.#take()
    // Nothing: all that waits is of runs in the batch on its way, whose answer schedules again.
    if (batch.length > 0) void this.#write(batch)
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const rows = this.#atOnce === 1 ? [] : batch.flatMap(({ commit }) => rowsOf(commit))
    for (const row of rows) this.#taken.add(row)
    this.#underWay += 1
    this.#onTheWay += batch.length
    this.#schedule()
    const began = this.#steady()
    let results: readonly CommitResult[] = []
    let failure: { readonly thrown: unknown } | undefined
    try {
      const write = this.#store.commit(batch.map((one) => one.commit))
      results = await withinBudget(this.#timers, this.#budgetMs, write)
    } catch (thrown) {
      failure = { thrown }
    }
    this.#watch?.onWritten(this.#steady() - began)
    this.#underWay -= 1
    this.#onTheWay -= batch.length
    for (const row of rows) this.#taken.delete(row)
    // The store need not wait until everything that comes of these results is decided.
    if (this.#atOnce > 1 && this.#waiting.length >= SHARE_MIN / 2) this.#writeNext()
    batch.forEach((one, index) => {
      const result = results[index]
      if (failure !== undefined) one.reject(failure.thrown)
      else if (result === undefined) one.reject(new RangeError('the store answered fewer runs than it was given'))
      else one.resolve(result)
    })
    this.#schedule()
  }

  #steady(): number {
    const clock = this.#watch?.clock
    return clock?.steady?.() ?? clock?.now() ?? 0
  }

  /**
   * Of what waits and what is on its way each batch gets an equal share: if one had everything, nothing could be decided while it is
   * written, and nothing be written while that is decided.
   */
  #share(): number {
    if (this.#atOnce === 1) return Infinity
    return Math.max(SHARE_MIN, Math.ceil((this.#waiting.length + this.#onTheWay) / this.#atOnce))
  }

  /** The longest waiting first. What must wait keeps back what comes after it of the same run. */
  #take(): Waiting[] {
    const blocked = this.#taken.size === 0 ? undefined : new Set(this.#taken)
    const batch: Waiting[] = []
    const later: Waiting[] = []
    const share = this.#share()
    let events = 0
    for (const [index, one] of this.#waiting.entries()) {
      const rows = blocked === undefined ? [] : rowsOf(one.commit)
      if (rows.some((row) => blocked?.has(row))) {
        for (const row of rows) blocked?.add(row)
        later.push(one)
        continue
      }
      events += one.commit.events.length
      if (batch.length > 0 && (events > BATCH_EVENTS_MAX || batch.length >= share)) {
        appendAll(later, this.#waiting.slice(index))
        break
      }
      batch.push(one)
    }
    this.#waiting = later
    return batch
  }
}
