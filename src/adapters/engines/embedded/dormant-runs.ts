/**
 * Runs that only wait, for a far instant or for a person, are let go of: `next_wake_at` and the inbox bring them back (P-25).
 * The lease that such a run is left under is not renewed and runs out, or is given back when the engine stops.
 */
import { steadyNow } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { TurnResult, RunDriver } from '../../../ports/engine.ts'
import type { RunKey, RunStore } from '../../../ports/run-store.ts'
import type { DrivenRun } from './driven-run.ts'
import { eachOf } from './each-of.ts'
import { QuietRuns } from './quiet-runs.ts'
import type { RunLeases } from './run-leases.ts'

export interface DormantRunsParts {
  readonly store: RunStore
  readonly driver: RunDriver
  readonly clock: Clock
  readonly owner: string
  readonly leases: RunLeases
  /** A process that does not adopt runs keeps its own runs until they end. */
  readonly adoptOthers: boolean
  /** A run in which nothing will be under way for this long is let go after that time. */
  readonly afterMs: number
  /** The runs that the engine drives; what is let go leaves it. */
  readonly driven: Map<RunKey, DrivenRun>
}

/** More quiet runs than these are let go at once, without waiting for a poll. */
const QUIET_MAX = 256

export class DormantRuns {
  readonly #parts: DormantRunsParts
  readonly #quiet: QuietRuns
  /** Each with the end of the lease under which it was left, by elapsed time. */
  readonly #leftUntil = new Map<RunKey, number>()

  constructor(parts: DormantRunsParts) {
    this.#parts = parts
    this.#quiet = new QuietRuns(parts.afterMs, QUIET_MAX)
  }

  note(runKey: RunKey, { terminal, owed, wakeAt }: TurnResult): void {
    const { clock, adoptOthers, afterMs } = this.#parts
    const until = clock.now() + afterMs
    const waits = !terminal && owed !== true && (wakeAt === undefined || wakeAt > until)
    if (waits && adoptOthers) this.#quiet.add(runKey, steadyNow(clock))
    else this.#quiet.delete(runKey)
    if (this.#quiet.isFull) void this.letGo()
  }

  /** This process no longer drives the run, so it need not be let go. */
  gone(runKey: RunKey): void {
    this.#quiet.delete(runKey)
  }

  /** The run is driven again, here or by another process. */
  takenUp(runKey: RunKey): void {
    this.#leftUntil.delete(runKey)
  }

  async letGo(): Promise<void> {
    this.#forgetOldLeases()
    const { store, driver, clock, driven, leases, owner, afterMs } = this.#parts
    await eachOf(this.#quiet.take(steadyNow(clock)), async (runKey) => {
      const row = await store.getRun(runKey).catch(() => undefined)
      const run = driven.get(runKey)
      if (run === undefined) return
      const until = clock.now() + afterMs
      const isKept = row === undefined || row.owed === true || (row.nextWakeAt ?? Infinity) <= until
      if (isKept || !run.isQuietUntil(until)) {
        this.#quiet.add(runKey, steadyNow(clock))
        return
      }
      run.stop(false)
      driven.delete(runKey)
      if (row.lease?.owner === owner) this.#leftUntil.set(runKey, run.lease.steady)
      leases.leave(runKey)
      driver.forget?.(runKey)
    })
  }

  /** For an engine that stops: the runs whose lease this process may still hold. They are forgotten here. */
  takeLeased(): readonly RunKey[] {
    this.#forgetOldLeases()
    const keys = [...this.#leftUntil.keys()]
    this.#leftUntil.clear()
    return keys
  }

  #forgetOldLeases(): void {
    const now = steadyNow(this.#parts.clock)
    for (const [runKey, until] of this.#leftUntil) if (until <= now) this.#leftUntil.delete(runKey)
  }
}
