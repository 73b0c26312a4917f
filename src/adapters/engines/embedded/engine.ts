/**
 * The embedded engine: an event loop over the runs this process holds a lease on. It launches effects, wakes runs
 * when they are due, renews leases, lets go of runs that only wait, and adopts runs that are due and have no driver. It
 * decides nothing.
 */
import { engineTypeOf, isOutside } from '../../../core/run/engines.ts'
import { isSettled } from '../../../core/run/transitions.ts'
import { steadyNow, type ClockJump } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AdvanceReport, EngineHost, RunDriver } from '../../../ports/engine.ts'
import type { StoreTrouble } from '../../../ports/hooks.ts'
import type { RunKey, RunRow, RunStore } from '../../../ports/run-store.ts'
import type { Timers } from '../../../ports/timers.ts'
import { DrivenRun } from './driven-run.ts'
import { eachOf } from './each-of.ts'
import { LateLetters } from './late-letters.ts'
import { ProcessSlots } from './process-slots.ts'
import { QuietRuns } from './quiet-runs.ts'
import { RunEnds, type RunEnded } from './run-ends.ts'
import { RunLeases, type LeaseTime } from './run-leases.ts'
import { StoreHealth } from './store-health.ts'

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
  /** Adopt runs of other processes whose lease ran out (P-30). Who does not keeps hold of its own until they end. */
  readonly adoptOthers: boolean
  /** A run in which nothing is under way, and will be for this long, is let go after that time. */
  readonly dormantAfterMs?: number
  /** What is known of the holder of a lease without asking the store: it surely no longer exists, or surely lives. */
  readonly isOwnerGone?: (owner: string) => boolean
  readonly isOwnerAlive?: (owner: string) => boolean
  /** May this process drive the run? A run whose handlers it lacks is left alone (DESIGN §9). */
  readonly canDrive?: (row: RunRow) => Promise<boolean>
  /** Rings when some run may have something to do; the polls make up for a bell that is late or lost (P-22). */
  readonly onWake?: (listener: () => void) => () => void
  readonly onProgress?: (runKey: RunKey, report: AdvanceReport) => void
  readonly onLost?: (runKey: RunKey, problem: unknown) => void
  /** The store has not answered for a while, or does again. */
  readonly onStoreTrouble?: (trouble: StoreTrouble) => void
  /** The wall clock was set while this process lives. */
  readonly onClockJump?: (jump: ClockJump) => void
}

export const DEFAULT_LEASE_MS = 10_000
const DEFAULT_POLL_MS = 500
const DEFAULT_MAX_STEPS = 256
const DEFAULT_DORMANT_AFTER_MS = 5_000
const DUE_PAGE = 100
const DUE_PAGE_MAX = 3_200
/** More quiet runs than these are let go at once, without waiting for a poll. */
const QUIET_MAX = 256

export class EmbeddedEngine implements EngineHost {
  readonly #options: EmbeddedEngineOptions
  readonly #driven = new Map<RunKey, DrivenRun>()
  /** Runs that have ended while something of theirs still runs here: its result is recorded as late when it comes. */
  readonly #lingering = new Set<DrivenRun>()
  readonly #ends: RunEnds
  readonly #wanted = new Set<RunKey>()
  /** Runs let go of, with the end of the lease they were left under by elapsed time: it is not renewed and runs out. */
  readonly #dormant = new Map<RunKey, number>()
  readonly #quiet: QuietRuns
  readonly #leases: RunLeases
  readonly #pollMs: number
  readonly #dormantAfterMs: number
  readonly #slots: ProcessSlots
  readonly #health: StoreHealth
  readonly #letters: LateLetters
  readonly #stopListening: (() => void) | undefined
  #cancelPoll: (() => void) | undefined
  #looking = false
  #lookAgain = false
  #stopped = false

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options
    this.#pollMs = options.pollMs ?? DEFAULT_POLL_MS
    this.#leases = new RunLeases({
      ...options,
      leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
      pollMs: this.#pollMs,
    })
    this.#dormantAfterMs = options.dormantAfterMs ?? DEFAULT_DORMANT_AFTER_MS
    this.#quiet = new QuietRuns(this.#dormantAfterMs, QUIET_MAX)
    this.#slots = new ProcessSlots(options.maxSteps ?? DEFAULT_MAX_STEPS)
    this.#health = new StoreHealth(options.clock, (trouble) => options.onStoreTrouble?.(trouble))
    const { store, driver, clock } = options
    this.#ends = new RunEnds(store)
    this.#letters = new LateLetters(store, driver, clock, (thrown) => this.#health.failed(thrown))
    this.#stopListening = options.onWake?.(() => {
      void this.#look()
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

  /** Drives a run this process just created, from the report of its creation. */
  drive(runKey: RunKey, report: AdvanceReport): void {
    // It was elsewhere meanwhile, and this process has not noticed yet.
    if ((this.#driven.get(runKey)?.epoch ?? report.epoch) < report.epoch) void this.letGo(runKey)
    if (this.#stopped || this.#driven.has(runKey)) return
    this.#add(runKey, false, this.#leases.time()).begin(report)
  }

  async letGo(runKey: RunKey): Promise<void> {
    this.#driven.get(runKey)?.lose()
    this.#driven.delete(runKey)
    this.#quiet.delete(runKey)
    this.#dormant.delete(runKey)
    this.#wanted.delete(runKey)
    this.#options.driver.forget?.(runKey)
  }

  /** Takes a run over if it has no driver: epoch + 1, everything owed goes out again. False when it is not to be had. */
  async adopt(runKey: RunKey): Promise<boolean> {
    const row = this.#driven.has(runKey) ? undefined : await this.#options.store.getRun(runKey)
    return row === undefined ? this.#driven.has(runKey) : this.#adopt(row)
  }

  async #adopt({ runKey, ...found }: RunRow): Promise<boolean> {
    if (this.#stopped || this.#driven.has(runKey)) return this.#driven.has(runKey)
    this.#lookAtClock()
    const time = this.#leases.time()
    const row = await this.#leases.takeFree({ runKey, ...found })
    if (row === undefined || this.#stopped || this.#driven.has(runKey)) return false
    this.#wanted.delete(runKey)
    if (isElsewhere(row)) {
      await this.#options.store.releaseLease(runKey, this.#options.owner)
      return false
    }
    this.#add(runKey, true, time).wake()
    return true
  }

  /** Adopts a run as soon as it is to be had: a child whose parent this process drives. */
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
    else if (this.#options.adoptOthers) void this.#look()
  }

  /** Stops driving and gives the leases back; runs stay as they are and can be adopted at once. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelPoll?.()
    this.#stopListening?.()
    const { store, owner } = this.#options
    this.#forgetOldLeases()
    const keys = [...this.#driven.keys(), ...this.#dormant.keys()]
    for (const run of [...this.#driven.values(), ...this.#lingering]) run.stop(true)
    this.#driven.clear()
    this.#dormant.clear()
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
        slots: this.#slots,
        onFailure: (thrown) => this.#health.failed(thrown),
        isLeaseOver: () => this.#leases.isOver(run.lease),
        renew: () => this.#renew(runKey, run),
        isElsewhere: async () => isElsewhere(await this.#options.store.getRun(runKey)),
        onReport: (report) => {
          onProgress?.(runKey, report)
          this.#noteQuiet(runKey, report)
          // Whoever of our runs the units were offered to need not wait for the next poll.
          if (report.freed === true) void this.#look()
          if (report.terminal) this.#ended(runKey, run, report)
        },
        onDone: (reason, problem) => {
          if (this.#driven.get(runKey) === run) this.#driven.delete(runKey)
          this.#quiet.delete(runKey)
          this.#lingering.delete(run)
          if (reason === 'lost') onLost?.(runKey, problem)
        },
      },
      adopting,
      lease,
    )
    this.#dormant.delete(runKey)
    this.#leases.takenUp(runKey)
    this.#driven.set(runKey, run)
    return run
  }

  #ended(runKey: RunKey, run: DrivenRun, { status, end }: AdvanceReport): void {
    if (this.#driven.get(runKey) === run) this.#driven.delete(runKey)
    this.#lingering.add(run)
    this.#ends.tell(runKey, { status, ...(end === undefined ? {} : { end }) })
    void this.#letters.answerLast(runKey)
  }

  #schedulePoll(): void {
    this.#cancelPoll = this.#options.timers.after(this.#pollMs, () => {
      void this.#poll()
    })
  }

  /** Wake-ups carry nothing and may be lost: this sweep makes up for them within a second (P-22). */
  async #poll(): Promise<void> {
    try {
      this.#lookAtClock()
      await this.#renewLeases()
      await this.#adoptWanted()
      await this.#takeDue()
      await this.#letGo()
      await this.#ends.ask((runKey) => this.#driven.has(runKey))
      await this.#options.store.sweepGrants()
      if (this.#options.adoptOthers) await this.#letters.sweep()
      this.#health.answered()
    } catch (thrown) {
      // A store that does not answer now is asked again at the next poll; nothing is lost meanwhile.
      this.#health.failed(thrown)
    } finally {
      if (!this.#stopped) this.#schedulePoll()
    }
  }

  async #takeDue(): Promise<void> {
    const now = this.#options.clock.now()
    await this.#takeDueAt(now, () => true)
    const { behindMs } = this.#leases
    if (behindMs > 0) await this.#takeDueAt(now + behindMs, (row) => this.#leases.isFromBefore(row))
  }

  /** Page by page, each as large as all before it: runs that are due and still waiting for us do not hide the others. */
  async #takeDueAt(now: number, isMeant: (row: RunRow) => boolean): Promise<void> {
    const seen = new Set<RunKey>()
    for (let limit = DUE_PAGE; limit <= DUE_PAGE_MAX && !this.#stopped; limit *= 2) {
      const due = await this.#options.store.dueRuns(now, this.#options.owner, limit)
      const fresh = due.filter(({ runKey }) => !seen.has(runKey))
      // One that cannot be taken must not keep those after it waiting; it is due again at the next look.
      for (const row of fresh.filter(isMeant))
        await this.#takeOne(row).catch((thrown: unknown) => this.#health.failed(thrown))
      for (const { runKey } of fresh) seen.add(runKey)
      if (due.length < limit || fresh.length === 0) return
    }
  }

  async #takeOne(row: RunRow): Promise<void> {
    const own = this.#driven.get(row.runKey)
    if (own !== undefined) own.wake()
    else if (this.#options.adoptOthers && (await this.#mayDrive(row))) await this.#adopt(row)
  }

  /** A bell may ring at every commit of a busy fleet: those that ring during a look are one more look after it. */
  async #look(): Promise<void> {
    this.#lookAgain = true
    if (this.#looking) return
    this.#looking = true
    while (this.#lookAgain && !this.#stopped) {
      this.#lookAgain = false
      this.#lookAtClock()
      // A look that fails is made up for by the next poll.
      await this.#takeDue().catch((thrown: unknown) => this.#health.failed(thrown))
    }
    this.#looking = false
  }

  async #adoptWanted(): Promise<void> {
    for (const runKey of this.#wanted) {
      const row = await this.#options.store.getRun(runKey)
      if (row === undefined || isSettled(row) || isElsewhere(row)) this.#wanted.delete(runKey)
      else await this.#adopt(row)
    }
  }

  async #mayDrive(row: RunRow): Promise<boolean> {
    return this.#options.canDrive === undefined || this.#options.canDrive(row)
  }

  /** Whoever waits for an instant waits for another one now, and leases say something else than was meant. */
  #lookAtClock(): void {
    const jump = this.#leases.look()
    if (jump === undefined) return
    this.#options.onClockJump?.(jump)
    for (const [runKey, run] of this.#driven) {
      run.wake()
      // Whoever does not answer is asked again at the next poll.
      this.#renew(runKey, run).catch((thrown: unknown) => this.#health.failed(thrown))
    }
  }

  async #renewLeases(): Promise<void> {
    const now = steadyNow(this.#options.clock)
    const due = [...this.#driven].filter(([, run]) => run.lease.renewAt <= now)
    await eachOf(due, ([runKey, run]) => this.#renew(runKey, run))
  }

  /** False when somebody else has the run or had it meanwhile; a turn of its own tells why. */
  async #renew(runKey: RunKey, run: DrivenRun): Promise<boolean> {
    const time = this.#leases.time()
    const row = await this.#leases.take(runKey)
    const isOurs = row !== undefined && (run.epoch === undefined || run.epoch === row.epoch)
    if (isOurs) run.lease = time
    else run.wake()
    return isOurs
  }

  #noteQuiet(runKey: RunKey, { terminal, owed, wakeAt }: AdvanceReport): void {
    const { clock, adoptOthers } = this.#options
    const until = clock.now() + this.#dormantAfterMs
    const waits = !terminal && owed !== true && (wakeAt === undefined || wakeAt > until)
    if (waits && adoptOthers) this.#quiet.add(runKey, steadyNow(clock))
    else this.#quiet.delete(runKey)
    if (this.#quiet.isFull) void this.#letGo()
  }

  /** Whoever waits for a far instant or for a person is not kept: `next_wake_at` and the inbox bring it back (P-25). */
  async #letGo(): Promise<void> {
    this.#forgetOldLeases()
    const { store, driver, clock } = this.#options
    await eachOf(this.#quiet.take(steadyNow(clock)), async (runKey) => {
      const row = await store.getRun(runKey).catch(() => undefined)
      const run = this.#driven.get(runKey)
      if (run === undefined || this.#stopped) return
      const until = clock.now() + this.#dormantAfterMs
      const isKept = row === undefined || row.owed === true || (row.nextWakeAt ?? Infinity) <= until
      if (isKept || !run.isQuietUntil(until)) {
        this.#quiet.add(runKey, steadyNow(clock))
        return
      }
      run.stop(false)
      this.#driven.delete(runKey)
      if (row.lease?.owner === this.#options.owner) this.#dormant.set(runKey, run.lease.steady)
      this.#leases.leave(runKey)
      driver.forget?.(runKey)
    })
  }

  #forgetOldLeases(): void {
    const now = steadyNow(this.#options.clock)
    for (const [runKey, until] of this.#dormant) if (until <= now) this.#dormant.delete(runKey)
  }
}

/** Another engine's workers move it: a lease gives nobody a right to it. */
function isElsewhere(row: RunRow | undefined): boolean {
  return row !== undefined && isOutside(engineTypeOf(row.engineType))
}
