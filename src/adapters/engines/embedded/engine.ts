/**
 * The embedded engine: an event loop over the runs this process holds a lease on. It launches effects, wakes runs
 * when they are due, renews leases, lets go of runs that only wait, and adopts runs that are due and have no driver. It
 * decides nothing.
 */
import { engineTypeOf, isOutside } from '../../../core/run/engines.ts'
import { isTerminalRun } from '../../../core/run/transitions.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AdvanceReport, EngineHost, RunDriver } from '../../../ports/engine.ts'
import type { StoreTrouble } from '../../../ports/hooks.ts'
import type { RunKey, RunRow, RunStore } from '../../../ports/run-store.ts'
import type { Timers } from '../../../ports/timers.ts'
import { DrivenRun } from './driven-run.ts'
import { LateLetters } from './late-letters.ts'
import { ProcessSlots } from './process-slots.ts'
import { QuietRuns } from './quiet-runs.ts'
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
  /** True when the holder of a lease surely no longer exists: its lease need not run out first. */
  readonly isOwnerGone?: (owner: string) => boolean
  /** May this process drive the run? A run whose handlers it lacks is left alone (DESIGN §9). */
  readonly canDrive?: (row: RunRow) => Promise<boolean>
  /** Rings when some run may have something to do; the polls make up for a bell that is late or lost (P-22). */
  readonly onWake?: (listener: () => void) => () => void
  readonly onProgress?: (runKey: RunKey, report: AdvanceReport) => void
  readonly onLost?: (runKey: RunKey, problem: unknown) => void
  /** The store has not answered for a while, or does again. */
  readonly onStoreTrouble?: (trouble: StoreTrouble) => void
}

const DEFAULT_LEASE_MS = 10_000
const DEFAULT_POLL_MS = 500
const DEFAULT_MAX_STEPS = 256
const DEFAULT_DORMANT_AFTER_MS = 5_000
const DUE_PAGE = 100
const DUE_PAGE_MAX = 3_200
/** More quiet runs than these are let go at once, without waiting for a poll. */
const QUIET_MAX = 256
/** Store calls on their way at once where one is made for each of many runs. */
const AT_ONCE = 32
/** Ends of runs that others drive, asked for at each poll. */
const ASKED_AT_ONCE = 100

type Ended = Awaited<ReturnType<EngineHost['ended']>>

export class EmbeddedEngine implements EngineHost {
  readonly #options: EmbeddedEngineOptions
  readonly #driven = new Map<RunKey, DrivenRun>()
  /** Runs that have ended while something of theirs still runs here: its result is recorded as late when it comes. */
  readonly #lingering = new Set<DrivenRun>()
  readonly #waiters = new Map<RunKey, ((ended: Ended) => void)[]>()
  readonly #wanted = new Set<RunKey>()
  /** Runs let go of, with the end of the lease they were left under: it is not renewed and runs out. */
  readonly #dormant = new Map<RunKey, number>()
  readonly #quiet: QuietRuns
  readonly #leaseMs: number
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
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS
    this.#pollMs = options.pollMs ?? DEFAULT_POLL_MS
    this.#dormantAfterMs = options.dormantAfterMs ?? DEFAULT_DORMANT_AFTER_MS
    this.#quiet = new QuietRuns(this.#dormantAfterMs, QUIET_MAX)
    this.#slots = new ProcessSlots(options.maxSteps ?? DEFAULT_MAX_STEPS)
    this.#health = new StoreHealth(options.clock, (trouble) => options.onStoreTrouble?.(trouble))
    const { store, driver, clock } = options
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
    return { owner: this.#options.owner, until: this.#options.clock.now() + this.#leaseMs }
  }

  /** Drives a run this process just created, from the report of its creation. */
  drive(runKey: RunKey, report: AdvanceReport): void {
    // It was elsewhere meanwhile, and this process has not noticed yet.
    if ((this.#driven.get(runKey)?.epoch ?? report.epoch) < report.epoch) void this.letGo(runKey)
    if (this.#stopped || this.#driven.has(runKey)) return
    this.#add(runKey, false, this.lease().until).begin(report)
  }

  async letGo(runKey: RunKey): Promise<void> {
    this.#driven.get(runKey)?.lose()
    this.#driven.delete(runKey)
    this.#quiet.delete(runKey)
    this.#dormant.delete(runKey)
    this.#wanted.delete(runKey)
    this.#options.driver.forget?.(runKey)
  }

  /** Takes a run over if its lease is free: epoch + 1, everything owed goes out again. False when it is not to be had. */
  async adopt(runKey: RunKey): Promise<boolean> {
    if (this.#stopped || this.#driven.has(runKey)) return this.#driven.has(runKey)
    const row = (await this.#takeLease(runKey)) ?? (await this.#takeFromGone(runKey))
    if (row === undefined || this.#stopped || this.#driven.has(runKey)) return false
    this.#wanted.delete(runKey)
    if (isElsewhere(row)) {
      await this.#options.store.releaseLease(runKey, this.#options.owner)
      return false
    }
    this.#add(runKey, true, row.lease?.until ?? 0).wake()
    return true
  }

  /** Adopts a run as soon as it is to be had: a child whose parent this process drives. */
  async want(runKey: RunKey): Promise<void> {
    this.#wanted.add(runKey)
    await this.adopt(runKey)
  }

  async #takeLease(runKey: RunKey, gone?: string): Promise<RunRow | undefined> {
    const now = this.#options.clock.now()
    return this.#options.store.acquireLease(runKey, this.#options.owner, now, now + this.#leaseMs, gone)
  }

  async #takeFromGone(runKey: RunKey): Promise<RunRow | undefined> {
    const { store, isOwnerGone } = this.#options
    const lease = (await store.getRun(runKey))?.lease
    if (lease === undefined || isOwnerGone?.(lease.owner) !== true) return undefined
    return this.#takeLease(runKey, lease.owner)
  }

  drives(runKey: RunKey): boolean {
    return this.#driven.has(runKey)
  }

  /** Resolves with the run's final status once this process has seen it end: at once if it drives it, else by polling. */
  ended(runKey: RunKey, signal?: AbortSignal): Promise<Ended> {
    return new Promise((resolve) => {
      this.#waiters.set(runKey, [...(this.#waiters.get(runKey) ?? []), resolve])
      signal?.addEventListener('abort', () => this.#waitsNoMore(runKey, resolve), { once: true })
    })
  }

  #waitsNoMore(runKey: RunKey, waiter: (ended: Ended) => void): void {
    const others = (this.#waiters.get(runKey) ?? []).filter((one) => one !== waiter)
    if (others.length === 0) this.#waiters.delete(runKey)
    else this.#waiters.set(runKey, others)
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

  #add(runKey: RunKey, adopting: boolean, leaseUntil: number): DrivenRun {
    const { driver, clock, timers, onProgress, onLost } = this.#options
    const run: DrivenRun = new DrivenRun(
      {
        runKey,
        driver,
        clock,
        timers,
        slots: this.#slots,
        onFailure: (thrown) => this.#health.failed(thrown),
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
    )
    run.leaseUntil = leaseUntil
    run.renewAt = this.#nextRenewal()
    this.#dormant.delete(runKey)
    this.#driven.set(runKey, run)
    return run
  }

  #ended(runKey: RunKey, run: DrivenRun, { status, end }: AdvanceReport): void {
    if (this.#driven.get(runKey) === run) this.#driven.delete(runKey)
    this.#lingering.add(run)
    this.#tell(runKey, { status, ...(end === undefined ? {} : { end }) })
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
      await this.#renewLeases()
      await this.#adoptWanted()
      await this.#takeDue()
      await this.#letGo()
      await this.#askForEnds()
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

  /** Page by page, each as large as all before it: runs that are due and still waiting for us do not hide the others. */
  async #takeDue(): Promise<void> {
    const seen = new Set<RunKey>()
    for (let limit = DUE_PAGE; limit <= DUE_PAGE_MAX && !this.#stopped; limit *= 2) {
      const due = await this.#options.store.dueRuns(this.#options.clock.now(), this.#options.owner, limit)
      const fresh = due.filter(({ runKey }) => !seen.has(runKey))
      // One that cannot be taken must not keep those after it waiting; it is due again at the next look.
      for (const row of fresh) await this.#takeOne(row).catch((thrown: unknown) => this.#health.failed(thrown))
      for (const { runKey } of fresh) seen.add(runKey)
      if (due.length < limit || fresh.length === 0) return
    }
  }

  async #takeOne(row: RunRow): Promise<void> {
    const own = this.#driven.get(row.runKey)
    if (own !== undefined) own.wake()
    else if (this.#options.adoptOthers && (await this.#mayDrive(row))) await this.adopt(row.runKey)
  }

  /** A bell may ring at every commit of a busy fleet: those that ring during a look are one more look after it. */
  async #look(): Promise<void> {
    this.#lookAgain = true
    if (this.#looking) return
    this.#looking = true
    while (this.#lookAgain && !this.#stopped) {
      this.#lookAgain = false
      // A look that fails is made up for by the next poll.
      await this.#takeDue().catch((thrown: unknown) => this.#health.failed(thrown))
    }
    this.#looking = false
  }

  async #adoptWanted(): Promise<void> {
    for (const runKey of this.#wanted) {
      const row = await this.#options.store.getRun(runKey)
      if (row === undefined || isTerminalRun(row.status) || isElsewhere(row)) this.#wanted.delete(runKey)
      else await this.adopt(runKey)
    }
  }

  async #mayDrive(row: RunRow): Promise<boolean> {
    return this.#options.canDrive === undefined || this.#options.canDrive(row)
  }

  async #renewLeases(): Promise<void> {
    const now = this.#options.clock.now()
    const due = [...this.#driven].filter(([, run]) => run.renewAt <= now)
    await eachOf(due, ([runKey, run]) => this.#renew(runKey, run))
  }

  /** False when somebody else has the run or had it meanwhile; a turn of its own tells why. */
  async #renew(runKey: RunKey, run: DrivenRun): Promise<boolean> {
    const row = await this.#takeLease(runKey)
    const isOurs = row !== undefined && (run.epoch === undefined || run.epoch === row.epoch)
    if (!isOurs) run.wake()
    else {
      run.leaseUntil = row.lease?.until ?? 0
      run.renewAt = this.#nextRenewal()
    }
    return isOurs
  }

  /** With two polls to spare, or a lease would run out between them. */
  #nextRenewal(): number {
    return this.#options.clock.now() + Math.max(0, Math.min(this.#leaseMs / 3, this.#leaseMs - 2 * this.#pollMs))
  }

  #noteQuiet(runKey: RunKey, { terminal, owed, wakeAt }: AdvanceReport): void {
    const now = this.#options.clock.now()
    const waits = !terminal && owed !== true && (wakeAt === undefined || wakeAt > now + this.#dormantAfterMs)
    if (waits && this.#options.adoptOthers) this.#quiet.add(runKey, now)
    else this.#quiet.delete(runKey)
    if (this.#quiet.isFull) void this.#letGo()
  }

  /** Whoever waits for a far instant or for a person is not kept: `next_wake_at` and the inbox bring it back (P-25). */
  async #letGo(): Promise<void> {
    this.#forgetOldLeases()
    const { store, driver, clock } = this.#options
    await eachOf(this.#quiet.take(clock.now()), async (runKey) => {
      const row = await store.getRun(runKey).catch(() => undefined)
      const run = this.#driven.get(runKey)
      if (run === undefined || this.#stopped) return
      const until = clock.now() + this.#dormantAfterMs
      const isKept = row === undefined || row.owed === true || (row.nextWakeAt ?? Infinity) <= until
      if (isKept || !run.isQuietUntil(until)) {
        this.#quiet.add(runKey, clock.now())
        return
      }
      run.stop(false)
      this.#driven.delete(runKey)
      if (row.lease?.owner === this.#options.owner) this.#dormant.set(runKey, row.lease.until)
      driver.forget?.(runKey)
    })
  }

  #forgetOldLeases(): void {
    const now = this.#options.clock.now()
    for (const [runKey, until] of this.#dormant) if (until <= now) this.#dormant.delete(runKey)
  }

  /** The end of a run that is driven elsewhere, or that another took up while it lay still, is seen in its row. */
  async #askForEnds(): Promise<void> {
    const asked: RunKey[] = []
    for (const runKey of this.#waiters.keys()) {
      if (asked.length >= ASKED_AT_ONCE) break
      if (!this.#driven.has(runKey)) asked.push(runKey)
    }
    await eachOf(asked, async (runKey) => {
      const row = await this.#options.store.getRun(runKey)
      if (row !== undefined && isTerminalRun(row.status)) this.#tell(runKey, { status: row.status })
      else this.#askLater(runKey)
    })
  }

  #askLater(runKey: RunKey): void {
    const waiters = this.#waiters.get(runKey)
    if (waiters === undefined) return
    this.#waiters.delete(runKey)
    this.#waiters.set(runKey, waiters)
  }

  #tell(runKey: RunKey, ended: Ended): void {
    for (const resolve of this.#waiters.get(runKey) ?? []) resolve(ended)
    this.#waiters.delete(runKey)
  }
}

/** Another engine's workers move it: a lease gives nobody a right to it. */
function isElsewhere(row: RunRow | undefined): boolean {
  return row !== undefined && isOutside(engineTypeOf(row.engineType))
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE)
    await Promise.all(items.slice(from, from + AT_ONCE).map(work))
}
