/**
 * The embedded engine: an event loop over the runs this process holds a lease on. It launches effects, wakes runs
 * when they are due, renews leases, and adopts runs whose driver is gone. It decides nothing.
 */
import { isTerminalRun } from '../../../core/run/transitions.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AdvanceReport, EngineHost, RunDriver } from '../../../ports/engine.ts'
import type { RunKey, RunRow, RunStatus, RunStore } from '../../../ports/run-store.ts'
import type { Timers } from '../../../ports/timers.ts'
import { DrivenRun } from './driven-run.ts'

export interface EmbeddedEngineOptions {
  readonly store: RunStore
  readonly driver: RunDriver
  readonly clock: Clock
  readonly timers: Timers
  /** Names this process in leases. */
  readonly owner: string
  readonly leaseMs?: number
  readonly pollMs?: number
  /** Adopt runs of other processes whose lease ran out (P-30). */
  readonly adoptOthers: boolean
  /** True when the holder of a lease surely no longer exists: its lease need not run out first. */
  readonly isOwnerGone?: (owner: string) => boolean
  /** May this process drive the run? A run whose handlers it lacks is left alone (DESIGN §9). */
  readonly canDrive?: (row: RunRow) => Promise<boolean>
  readonly onProgress?: (runKey: RunKey, report: AdvanceReport) => void
  readonly onLost?: (runKey: RunKey, problem: unknown) => void
}

const DEFAULT_LEASE_MS = 10_000
const DEFAULT_POLL_MS = 500
const DUE_PAGE = 100

export class EmbeddedEngine implements EngineHost {
  readonly #options: EmbeddedEngineOptions
  readonly #driven = new Map<RunKey, DrivenRun>()
  /** Runs that have ended while something of theirs still runs here: its result is recorded as late when it comes. */
  readonly #lingering = new Set<DrivenRun>()
  readonly #waiters = new Map<RunKey, ((status: RunStatus) => void)[]>()
  readonly #wanted = new Set<RunKey>()
  readonly #leaseMs: number
  #cancelPoll: (() => void) | undefined
  #stopped = false

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS
    this.#schedulePoll()
  }

  get drivenRuns(): number {
    return this.#driven.size
  }

  /** Lease for a run about to be created by this process. */
  lease(): { owner: string; until: number } {
    return { owner: this.#options.owner, until: this.#options.clock.now() + this.#leaseMs }
  }

  /** Drives a run this process just created, from the report of its creation. */
  drive(runKey: RunKey, report: AdvanceReport): void {
    if (this.#stopped || this.#driven.has(runKey)) return
    this.#add(runKey, false).begin(report)
  }

  /** Takes a run over if its lease is free: epoch + 1, everything owed goes out again. False when it is not to be had. */
  async adopt(runKey: RunKey): Promise<boolean> {
    if (this.#stopped || this.#driven.has(runKey)) return this.#driven.has(runKey)
    const row = (await this.#takeLease(runKey)) ?? (await this.#takeFromGone(runKey))
    if (row === undefined || this.#stopped || this.#driven.has(runKey)) return false
    this.#wanted.delete(runKey)
    this.#add(runKey, true).wake()
    return true
  }

  /** Adopts a run as soon as it is to be had: a child whose parent this process drives. */
  async want(runKey: RunKey): Promise<void> {
    this.#wanted.add(runKey)
    await this.adopt(runKey)
  }

  async #takeLease(runKey: RunKey): Promise<RunRow | undefined> {
    const now = this.#options.clock.now()
    return this.#options.store.acquireLease(runKey, this.#options.owner, now, now + this.#leaseMs)
  }

  async #takeFromGone(runKey: RunKey): Promise<RunRow | undefined> {
    const { store, isOwnerGone } = this.#options
    const lease = (await store.getRun(runKey))?.lease
    if (lease === undefined || isOwnerGone?.(lease.owner) !== true) return undefined
    await store.releaseLease(runKey, lease.owner)
    return this.#takeLease(runKey)
  }

  /** Resolves with the run's final status once this process has seen it end. */
  ended(runKey: RunKey): Promise<RunStatus> {
    return new Promise((resolve) => {
      this.#waiters.set(runKey, [...(this.#waiters.get(runKey) ?? []), resolve])
    })
  }

  wake(runKey: RunKey): void {
    this.#driven.get(runKey)?.wake()
  }

  /** Stops driving and gives the leases back; runs stay as they are and can be adopted at once. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelPoll?.()
    const keys = [...this.#driven.keys()]
    for (const run of [...this.#driven.values(), ...this.#lingering]) run.stop(true)
    this.#driven.clear()
    this.#lingering.clear()
    await Promise.all(keys.map((runKey) => this.#options.store.releaseLease(runKey, this.#options.owner)))
  }

  #add(runKey: RunKey, adopting: boolean): DrivenRun {
    const { driver, clock, timers, onProgress, onLost } = this.#options
    const run: DrivenRun = new DrivenRun(
      {
        runKey,
        driver,
        clock,
        timers,
        onReport: (report) => {
          onProgress?.(runKey, report)
          if (report.terminal) this.#ended(runKey, run, report.status)
        },
        onDone: (reason, problem) => {
          if (this.#driven.get(runKey) === run) this.#driven.delete(runKey)
          this.#lingering.delete(run)
          if (reason === 'lost') onLost?.(runKey, problem)
        },
      },
      adopting,
    )
    this.#driven.set(runKey, run)
    return run
  }

  #ended(runKey: RunKey, run: DrivenRun, status: RunStatus): void {
    if (this.#driven.get(runKey) === run) this.#driven.delete(runKey)
    this.#lingering.add(run)
    for (const resolve of this.#waiters.get(runKey) ?? []) resolve(status)
    this.#waiters.delete(runKey)
  }

  #schedulePoll(): void {
    this.#cancelPoll = this.#options.timers.after(this.#options.pollMs ?? DEFAULT_POLL_MS, () => {
      void this.#poll()
    })
  }

  /** Wake-ups carry nothing and may be lost: this sweep makes up for them within a second (P-22). */
  async #poll(): Promise<void> {
    try {
      await this.#renewLeases()
      await this.#adoptWanted()
      const due = await this.#options.store.dueRuns(this.#options.clock.now(), this.#options.owner, DUE_PAGE)
      for (const row of due) {
        const own = this.#driven.get(row.runKey)
        if (own !== undefined) own.wake()
        else if (this.#options.adoptOthers && (await this.#mayDrive(row))) await this.adopt(row.runKey)
      }
    } catch {
      // A store that does not answer now is asked again at the next poll; nothing is lost meanwhile.
    } finally {
      if (!this.#stopped) this.#schedulePoll()
    }
  }

  async #adoptWanted(): Promise<void> {
    for (const runKey of this.#wanted) {
      const row = await this.#options.store.getRun(runKey)
      if (row === undefined || isTerminalRun(row.status)) this.#wanted.delete(runKey)
      else await this.adopt(runKey)
    }
  }

  async #mayDrive(row: RunRow): Promise<boolean> {
    return this.#options.canDrive === undefined || this.#options.canDrive(row)
  }

  async #renewLeases(): Promise<void> {
    const now = this.#options.clock.now()
    for (const runKey of this.#driven.keys()) {
      const held = await this.#options.store.acquireLease(runKey, this.#options.owner, now, now + this.#leaseMs)
      if (held === undefined) this.#driven.get(runKey)?.wake()
    }
  }
}
