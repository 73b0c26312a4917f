/** What an embedded engine is opened with: its store and driver, its times and limits, and who is told of what. */
import type { ClockJump } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { TurnResult, RunDriver } from '../../../ports/engine.ts'
import type { StoreTrouble } from '../../../ports/listeners.ts'
import type { RunKey, RunRow, RunStore } from '../../../ports/run-store.ts'
import type { Timers } from '../../../ports/timers.ts'

export interface EmbeddedEngineOptions {
  readonly store: RunStore
  readonly driver: RunDriver
  readonly clock: Clock
  readonly timers: Timers
  /** Names this process in leases. */
  readonly owner: string
  readonly leaseMs?: number
  readonly pollMs?: number
  /** Steps at work in this process at once, over all runs (SCH-15). */
  readonly maxSteps?: number
  /**
   * Adopt runs of other processes whose lease ran out (P-30). A process that does not adopt runs keeps its own until they end.
   */
  readonly adoptOthers: boolean
  /** A run in which nothing is under way, and will be for this long, is let go after that time. */
  readonly dormantAfterMs?: number
  /** What is known about the holder of a lease without asking the store: it certainly no longer exists, or it certainly lives. */
  readonly isOwnerGone?: (owner: string) => boolean
  readonly isOwnerAlive?: (owner: string) => boolean
  /** May this process drive the run? A run whose handlers it lacks is left alone. */
  readonly canDrive?: (row: RunRow, hold: () => Promise<RunRow | undefined>) => Promise<boolean>
  /** Rings when some run may have something to do; a bell that is late or lost is replaced by the next poll (P-22). */
  readonly onWake?: (listener: () => void) => () => void
  readonly onProgress?: (runKey: RunKey, report: TurnResult) => void
  readonly onLost?: (runKey: RunKey, problem: unknown) => void
  /** The store has not answered for a while, or does again. */
  readonly onStoreTrouble?: (trouble: StoreTrouble) => void
  /** The wall clock was set while this process lives. */
  readonly onClockJump?: (jump: ClockJump) => void
}

export const DEFAULT_LEASE_MS = 10_000
export const DEFAULT_POLL_MS = 500
export const DEFAULT_MAX_STEPS = 256
export const DEFAULT_DORMANT_AFTER_MS = 5_000
