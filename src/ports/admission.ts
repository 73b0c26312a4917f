/** Limits for starts, kept in the store and changed while servers run, and the queue of what waits behind them. Stores decide nothing. */
import type { RunKey, RunRow } from './stored-run.ts'

export type WhenFull = 'REJECT' | 'QUEUE' | 'DELAY' | 'REPLACE_OLDEST'

export interface RunLimit {
  readonly tenantId: string
  /** `tenant`, `plan:<planId>`, or `key:<planId>`: one count for each value of the plan's `concurrencyKey`. */
  readonly name: string
  readonly maxRunning?: number
  readonly ratePerMinute?: number
  readonly whenFull: WhenFull
  /** Lower goes first among those that wait. */
  readonly priority: number
  /** Of `tenant` only: the most that a plan may ask for as its `concurrency` (SCH-12). */
  readonly maxConcurrentSteps?: number
  readonly setBy: string
  readonly setAt: number
}

export interface AdmissionStore {
  /** Sets or replaces the limit of that name. */
  putLimit(limit: RunLimit): Promise<void>
  /** False when there was none. */
  removeLimit(tenantId: string, name: string): Promise<boolean>
  /** By name. */
  listLimits(tenantId: string): Promise<readonly RunLimit[]>
  /**
   * Runs of that engine that were admitted, wait for nobody's approval and no instant, are held by nobody, and either wait for no units
   * or were offered them. In turn for each tenant, oldest first. `without`: those are passed over, and others have their turn.
   */
  queuedRuns(
    engineType: string,
    now: number,
    page: { readonly limit: number; readonly without: readonly RunKey[] },
  ): Promise<readonly RunRow[]>
  /** Ended runs that still hold units, or wait for them, in the name of the run itself, but not `without`. Oldest first. */
  endedHolders(page: { readonly limit: number; readonly without: readonly RunKey[] }): Promise<readonly RunRow[]>
}
