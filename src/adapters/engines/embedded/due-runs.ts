/**
 * Runs that have something to do, and runs of holders that are gone: found page by page at each poll, and whenever a bell rings. Each
 * is given to `take`; a run that cannot be taken does not delay the runs after it.
 */
import type { Clock } from '../../../ports/clock.ts'
import type { RunKey, RunRow, RunStore } from '../../../ports/run-store.ts'
import { LeftBehind } from './left-behind.ts'
import type { RunLeases } from './run-leases.ts'
import type { StoreHealth } from './store-health.ts'

export interface DueRunsParts {
  readonly store: RunStore
  readonly clock: Clock
  readonly owner: string
  readonly leases: RunLeases
  readonly health: StoreHealth
  /** Called before each look. */
  readonly lookAtClock: () => void
  readonly takeOne: (row: RunRow) => Promise<void>
  readonly adoptOthers: boolean
  readonly isOwnerGone?: (owner: string) => boolean
}

const PAGE = 100
const PAGE_MAX = 3_200

export class DueRuns {
  readonly #parts: DueRunsParts
  readonly #leftBehind: LeftBehind
  #looking = false
  #lookAgain = false
  #stopped = false

  constructor(parts: DueRunsParts) {
    this.#parts = parts
    this.#leftBehind = new LeftBehind({ ...parts, onFailure: (thrown) => parts.health.failed(thrown) })
  }

  stop(): void {
    this.#stopped = true
  }

  /** A bell may ring at every commit of a busy fleet: all rings during one look cause one more look after it. */
  async look(): Promise<void> {
    this.#lookAgain = true
    if (this.#looking) return
    this.#looking = true
    while (this.#lookAgain && !this.#stopped) {
      this.#lookAgain = false
      this.#parts.lookAtClock()
      // After a look that failed, the next poll looks again.
      await this.take().catch((thrown: unknown) => this.#parts.health.failed(thrown))
    }
    this.#looking = false
  }

  async take(): Promise<void> {
    const { clock, leases } = this.#parts
    const now = clock.now()
    await this.#takeAt(now, () => true)
    const { behindMs } = leases
    if (behindMs > 0) await this.#takeAt(now + behindMs, (row) => leases.isFromBefore(row))
    await this.#leftBehind.take()
  }

  /** Page by page, each as large as all before it: runs that are due and still waiting for us do not hide the others. */
  async #takeAt(now: number, isMeant: (row: RunRow) => boolean): Promise<void> {
    const { store, owner, health, takeOne } = this.#parts
    const seen = new Set<RunKey>()
    for (let limit = PAGE; limit <= PAGE_MAX && !this.#stopped; limit *= 2) {
      const due = await store.dueRuns(now, owner, limit)
      const fresh = due.filter(({ runKey }) => !seen.has(runKey))
      // A run that cannot be taken must not delay the runs after it; it is due again at the next look.
      for (const row of fresh.filter(isMeant)) await takeOne(row).catch((thrown: unknown) => health.failed(thrown))
      for (const { runKey } of fresh) seen.add(runKey)
      if (due.length < limit || fresh.length === 0) return
    }
  }
}
