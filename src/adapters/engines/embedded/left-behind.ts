/**
 * Runs of holders that are surely gone, whose lease still runs: a process of this machine that was killed. They are looked for every
 * now and then, so that nobody waits for that lease to end; where it cannot be told that a holder is gone, its lease decides.
 */
import { steadyNow } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RunRow, RunStore } from '../../../ports/run-store.ts'

export interface LeftBehindParts {
  readonly store: Pick<RunStore, 'leasedRuns'>
  readonly clock: Clock
  /** Names this process in leases. */
  readonly owner: string
  readonly adoptOthers: boolean
  readonly isOwnerGone?: (owner: string) => boolean
  readonly takeOne: (row: RunRow) => Promise<void>
  readonly onFailure: (thrown: unknown) => void
}

const EVERY_MS = 1_000
/** Those whose lease ends first. Who lives renews its leases, so that the dead come first among many. */
const PAGE = 200

export class LeftBehind {
  readonly #parts: LeftBehindParts
  #lookAt = -Infinity

  constructor(parts: LeftBehindParts) {
    this.#parts = parts
  }

  async take(): Promise<void> {
    const { store, clock, adoptOthers, isOwnerGone, takeOne, onFailure } = this.#parts
    if (!adoptOthers || isOwnerGone === undefined || steadyNow(clock) < this.#lookAt) return
    const leased = await store.leasedRuns(clock.now(), PAGE)
    const gone = this.#goneOf(leased, isOwnerGone)
    for (const row of leased) {
      // A run that cannot be taken must not delay the runs after it; it is found again at the next look.
      if (row.lease !== undefined && gone.has(row.lease.owner)) await takeOne(row).catch(onFailure)
    }
    // A page full of them: there are more of them behind it.
    if (gone.size === 0 || leased.length < PAGE) this.#lookAt = steadyNow(clock) + EVERY_MS
  }

  /** Each holder is asked about once in a look: it may have many runs. */
  #goneOf(leased: readonly RunRow[], isOwnerGone: (owner: string) => boolean): ReadonlySet<string> {
    const owners = new Set(leased.flatMap(({ lease }) => (lease === undefined ? [] : [lease.owner])))
    owners.delete(this.#parts.owner)
    return new Set([...owners].filter((owner) => isOwnerGone(owner)))
  }
}
