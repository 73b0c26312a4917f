/**
 * The embedded engine: an event loop over the runs this process holds a lease on. It launches effects, wakes runs
 * when they are due, renews leases, lets go of runs that only wait, and adopts runs that are due and have no driver. It
 * decides nothing.
 */
import { isSettled } from '../../../core/run/state/transitions.ts'
import { steadyNow } from '../../../core/clock-jumps.ts'
import type { TurnResult, EngineHost } from '../../../ports/engine.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import { DormantRuns } from './dormant-runs.ts'
import { DrivenRun } from './driven-run.ts'
import { DueRuns } from './due-runs.ts'
import { eachOf } from './each-of.ts'
import {
  DEFAULT_DORMANT_AFTER_MS,
  DEFAULT_LEASE_MS,
  DEFAULT_MAX_STEPS,
  DEFAULT_POLL_MS,
  type EmbeddedEngineOptions,
} from './engine-options.ts'
import { OldEvents } from './old-events.ts'
import { LateInboxRows } from './late-inbox-rows.ts'
import { isElsewhere, isQueued } from './not-driven-here.ts'
import { ProcessPlaces } from './process-places.ts'
import { RunEnds, type RunEnded } from './run-ends.ts'
import { RunLeases, type LeaseTime } from './run-leases.ts'
import { StoreHealth } from './store-health.ts'

export class EmbeddedEngine implements EngineHost {
  readonly #options: EmbeddedEngineOptions
  readonly #driven = new Map<RunKey, DrivenRun>()
  /** Runs that have ended while something of theirs still runs here: its result is recorded as late when it comes. */
  readonly #lingering = new Set<DrivenRun>()
  readonly #ends: RunEnds
  readonly #wanted = new Set<RunKey>()
  readonly #dormant: DormantRuns
  readonly #due: DueRuns
  readonly #leases: RunLeases
  readonly #pollMs: number
  readonly #places: ProcessPlaces
  readonly #health: StoreHealth
  readonly #inboxRows: LateInboxRows
  readonly #oldEvents: OldEvents
  readonly #stopListening: (() => void) | undefined
  #cancelPoll: (() => void) | undefined
  #stopped = false

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options
    this.#pollMs = options.pollMs ?? DEFAULT_POLL_MS
    this.#leases = new RunLeases({
      ...options,
      leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
      pollMs: this.#pollMs,
    })
    this.#places = new ProcessPlaces(options.maxSteps ?? DEFAULT_MAX_STEPS)
    this.#health = new StoreHealth(options.clock, (trouble) => options.onStoreTrouble?.(trouble))
    const { store, driver, clock } = options
    const leases = this.#leases
    const afterMs = options.dormantAfterMs ?? DEFAULT_DORMANT_AFTER_MS
    this.#dormant = new DormantRuns({ ...options, leases, afterMs, driven: this.#driven })
    this.#due = new DueRuns({
      ...options,
      leases,
      health: this.#health,
      lookAtClock: () => this.#lookAtClock(),
      takeOne: (row) => this.#takeOne(row),
    })
    this.#ends = new RunEnds(store)
    this.#oldEvents = new OldEvents(store, clock)
    this.#inboxRows = new LateInboxRows(store, driver, clock, (thrown) => this.#health.failed(thrown))
    this.#stopListening = options.onWake?.(() => {
      void this.#due.look()
    })
    this.#schedulePoll()
  }

  get drivenRuns(): number {
    return this.#driven.size
  }

  /** Lease for a run about to be created by this process. */
  lease(): { owner: string; until: number } {
    return this.#leases.fresh()
  }

  /** Drives a run that this process has just created or started, from the report of its start. */
  drive(runKey: RunKey, report: TurnResult): void {
    // Another process drove the run meanwhile, and this process has not noticed yet.
    if ((this.#driven.get(runKey)?.epoch ?? report.epoch) < report.epoch) void this.letGo(runKey)
    if (this.#stopped) return
    const own = this.#driven.get(runKey)
    // The run was taken up because of an inbox row, before its start. Only this process can carry out what the start opened.
    if (own === undefined) this.#add(runKey, false, this.#leases.time()).begin(report)
    else if ((own.epoch ?? report.epoch) === report.epoch) own.begin(report)
  }

  async letGo(runKey: RunKey): Promise<void> {
    this.#driven.get(runKey)?.lose()
    this.#driven.delete(runKey)
    this.#dormant.gone(runKey)
    this.#dormant.takenUp(runKey)
    this.#wanted.delete(runKey)
    this.#options.driver.forget?.(runKey)
  }

  /** Takes a run over if it has no driver: epoch + 1, everything owed goes out again. False when another process holds it. */
  async adopt(runKey: RunKey): Promise<boolean> {
    const row = this.#driven.has(runKey) ? undefined : await this.#options.store.getRun(runKey)
    return row === undefined ? this.#driven.has(runKey) : this.#adopt(row)
  }

  async hold(row: RunRow): Promise<RunRow | undefined> {
    if (this.#stopped || this.#driven.has(row.runKey) || isElsewhere(row)) return undefined
    this.#lookAtClock()
    return this.#leases.takeFree(row)
  }

  async #adopt({ runKey, ...found }: RunRow): Promise<boolean> {
    if (this.#stopped || this.#driven.has(runKey)) return this.#driven.has(runKey)
    this.#lookAtClock()
    const time = this.#leases.time()
    const row = await this.#leases.takeFree({ runKey, ...found })
    if (row === undefined || this.#stopped || this.#driven.has(runKey)) return false
    this.#wanted.delete(runKey)
    // Since it was found due it may have ended, here too, or have gone to another engine.
    if (isElsewhere(row) || isSettled(row)) {
      await this.#options.store.releaseLease(runKey, this.#options.owner)
      return isSettled(row)
    }
    this.#add(runKey, true, time).wake()
    return true
  }

  /** Adopts a run as soon as no other process holds it: a child whose parent this process drives. */
  async want(runKey: RunKey): Promise<void> {
    this.#wanted.add(runKey)
    await this.adopt(runKey)
  }

  drives(runKey: RunKey): boolean {
    return this.#driven.has(runKey)
  }

  ended(runKey: RunKey, signal?: AbortSignal): Promise<RunEnded> {
    return this.#ends.wait(runKey, signal)
  }

  wake(runKey: RunKey): void {
    const run = this.#driven.get(runKey)
    if (run !== undefined) run.wake()
    else if (this.#options.adoptOthers) void this.#due.look()
  }

  /** Stops driving and gives the leases back; runs stay as they are and can be adopted at once. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelPoll?.()
    this.#stopListening?.()
    const { store, owner } = this.#options
    this.#due.stop()
    const keys = [...this.#driven.keys(), ...this.#dormant.takeLeased()]
    for (const run of [...this.#driven.values(), ...this.#lingering]) run.stop(true)
    this.#driven.clear()
    this.#lingering.clear()
    await eachOf(keys, (runKey) => store.releaseLease(runKey, owner))
  }

  #add(runKey: RunKey, adopting: boolean, lease: LeaseTime): DrivenRun {
    const { driver, clock, timers, onProgress, onLost } = this.#options
    const run: DrivenRun = new DrivenRun(
      {
        runKey,
        driver,
        clock,
        timers,
        places: this.#places,
        onFailure: (thrown) => this.#health.failed(thrown),
        isLeaseOver: () => this.#leases.isOver(run.lease),
        renew: () => this.#renew(runKey, run),
        onTold: () => void this.#due.look(),
        isElsewhere: async () => isElsewhere(await this.#options.store.getRun(runKey)),
        onReport: (report) => {
          onProgress?.(runKey, report)
          this.#dormant.note(runKey, report)
          // Runs of this process that were offered units or told something need not wait for the next poll.
          if (report.freed === true || report.told === true) void this.#due.look()
          if (report.terminal) this.#ended(runKey, run, report)
        },
        onDone: (reason, problem) => {
          if (this.#driven.get(runKey) === run) this.#driven.delete(runKey)
          this.#dormant.gone(runKey)
          this.#lingering.delete(run)
          if (reason === 'lost') onLost?.(runKey, problem)
        },
      },
      adopting,
      lease,
    )
    this.#dormant.takenUp(runKey)
    this.#leases.takenUp(runKey)
    this.#driven.set(runKey, run)
    return run
  }

  #ended(runKey: RunKey, run: DrivenRun, { status, end, inboxEmpty }: TurnResult): void {
    if (this.#driven.get(runKey) === run) this.#driven.delete(runKey)
    this.#lingering.add(run)
    this.#ends.tell(runKey, { status, ...(end === undefined ? {} : { end }) })
    if (inboxEmpty !== true) void this.#inboxRows.answerLast(runKey)
  }

  #schedulePoll(): void {
    this.#cancelPoll = this.#options.timers.after(this.#pollMs, () => {
      void this.#poll()
    })
  }

  /** Wake-ups carry no data and may be lost: this sweep finds their runs within a second (P-22). */
  async #poll(): Promise<void> {
    try {
      this.#lookAtClock()
      await this.#renewLeases()
      await this.#adoptWanted()
      await this.#due.take()
      await this.#dormant.letGo()
      await this.#ends.ask((runKey) => this.#driven.has(runKey))
      await this.#options.store.sweepGrants()
      await this.#oldEvents.purge()
      if (this.#options.adoptOthers) await this.#inboxRows.sweep()
      this.#health.answered()
    } catch (thrown) {
      // A store that does not answer now is asked again at the next poll; nothing is lost meanwhile.
      this.#health.failed(thrown)
    } finally {
      if (!this.#stopped) this.#schedulePoll()
    }
  }

  async #takeOne(row: RunRow): Promise<void> {
    const own = this.#driven.get(row.runKey)
    if (own !== undefined) own.wake()
    else if (!this.#options.adoptOthers || !(await this.#mayDrive(row))) return
    else if (isQueued(row)) await this.#answerQueued(row)
    else await this.#adopt(row)
  }

  /** Its inbox rows are read, but the run is not held: a holder would keep it from the process that starts it. */
  async #answerQueued({ runKey }: RunRow): Promise<void> {
    const { driver } = this.#options
    const { status, terminal, end, told } = await driver.advance(runKey)
    if (told === true) void this.#due.look()
    if (terminal) this.#ends.tell(runKey, { status, ...(end === undefined ? {} : { end }) })
    driver.forget?.(runKey)
  }

  async #adoptWanted(): Promise<void> {
    for (const runKey of this.#wanted) {
      const row = await this.#options.store.getRun(runKey)
      if (row === undefined || isSettled(row) || isElsewhere(row)) this.#wanted.delete(runKey)
      else await this.#adopt(row)
    }
  }

  async #mayDrive(row: RunRow): Promise<boolean> {
    return this.#options.canDrive === undefined || this.#options.canDrive(row, () => this.hold(row))
  }

  /** The clock was set: waiting runs wait for another instant now, and the instants of leases have another meaning. */
  #lookAtClock(): void {
    const jump = this.#leases.look()
    if (jump === undefined) return
    this.#options.onClockJump?.(jump)
    for (const [runKey, run] of this.#driven) {
      run.wake()
      // A store that does not answer is asked again at the next poll.
      this.#renew(runKey, run).catch((thrown: unknown) => this.#health.failed(thrown))
    }
  }

  async #renewLeases(): Promise<void> {
    const now = steadyNow(this.#options.clock)
    const due = [...this.#driven].filter(([, run]) => run.lease.renewAt <= now)
    await eachOf(due, ([runKey, run]) => this.#renew(runKey, run))
  }

  /** False when another process has the run or had it meanwhile; a turn of this process tells why. */
  async #renew(runKey: RunKey, run: DrivenRun): Promise<boolean> {
    const time = this.#leases.time()
    const row = await this.#leases.take(runKey)
    const isOurs = row !== undefined && (run.epoch === undefined || run.epoch === row.epoch)
    if (isOurs) run.lease = time
    else run.wake()
    return isOurs
  }
}
