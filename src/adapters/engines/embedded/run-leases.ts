/**
 * The leases of one process: from which holders it may take a run, and until when it certainly holds its own. Its own leases are
 * counted by elapsed time; the instants in the store follow the wall clock, which may be set while all processes live (P-25).
 */
import { ClockJumps, steadyNow, type ClockJump } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RunKey, RunRow, RunStore } from '../../../ports/run-store.ts'

export interface RunLeasesOptions {
  readonly store: RunStore
  readonly clock: Clock
  readonly owner: string
  readonly leaseMs: number
  readonly pollMs: number
  /** True when the holder of a lease surely no longer exists: its lease need not run out first. */
  readonly isOwnerGone?: (owner: string) => boolean
  /** True when the holder surely lives and is at work, on this machine: what it has in flight is not begun again beside it. */
  readonly isOwnerAlive?: (owner: string) => boolean
}

/** How long a lease holds, by either clock: a machine that slept has a steady clock that slept, too. */
export interface LeaseTime {
  readonly wall: number
  readonly steady: number
  readonly renewAt: number
}

/** Beyond this number the oldest runs that were let go are forgotten; for those only the wall clock is known. */
const REMEMBERED = 100_000

export class RunLeases {
  readonly #options: RunLeasesOptions
  readonly #jumps = new ClockJumps()
  /** Until then no lease counts as run out: after a jump of the clock its holder needs a moment to renew it. */
  #calmUntil = -Infinity
  #latestJump: ClockJump | undefined
  /** Runs let go of, with the era of the wall clock their rows were written in. */
  readonly #asleep = new Map<RunKey, number>()

  constructor(options: RunLeasesOptions) {
    this.#options = options
    this.look()
  }

  /** The jump of the wall clock since the last look, if there was one. */
  look(): ClockJump | undefined {
    const { clock, leaseMs } = this.#options
    const jump = this.#jumps.look(clock.now(), steadyNow(clock))
    if (jump === undefined) return undefined
    this.#calmUntil = steadyNow(clock) + leaseMs
    this.#latestJump = jump
    return jump
  }

  /** How far the wall clock is still behind what it has said before: what came due by then is looked for. */
  get behindMs(): number {
    const jump = this.#latestJump
    if (jump === undefined || jump.byMs > 0) return 0
    return this.#options.clock.now() < jump.from ? -jump.byMs : 0
  }

  /** The run is let go of; its row says when it is due, by the wall clock of now. */
  leave(runKey: RunKey): void {
    this.#asleep.set(runKey, this.#jumps.era)
    const [oldest] = this.#asleep.keys()
    if (this.#asleep.size > REMEMBERED && oldest !== undefined) this.#asleep.delete(oldest)
  }

  takenUp(runKey: RunKey): void {
    this.#asleep.delete(runKey)
  }

  /** Was the row written before the clock was set back? Then the instants in it are by what the clock said then. */
  isFromBefore({ runKey, updatedAt }: RunRow): boolean {
    const left = this.#asleep.get(runKey)
    return (left !== undefined && left < this.#jumps.era) || updatedAt > this.#options.clock.now()
  }

  /** For a run about to be created. */
  fresh(): { owner: string; until: number } {
    const { owner, clock, leaseMs } = this.#options
    return { owner, until: clock.now() + leaseMs }
  }

  /** Counted from now, so ask for it before the lease is taken. With two polls to spare, or it would run out between them. */
  time(): LeaseTime {
    const { clock, leaseMs, pollMs } = this.#options
    const steady = steadyNow(clock)
    const renewAfter = Math.max(0, Math.min(leaseMs / 3, leaseMs - 2 * pollMs))
    return { wall: clock.now() + leaseMs, steady: steady + leaseMs, renewAt: steady + renewAfter }
  }

  isOver({ wall, steady }: LeaseTime): boolean {
    const { clock } = this.#options
    return clock.now() >= wall || steadyNow(clock) >= steady
  }

  /** `gone`: a holder that is surely no more, whose lease need not run out first. */
  async take(runKey: RunKey, gone?: string): Promise<RunRow | undefined> {
    const { store, owner, clock, leaseMs } = this.#options
    const now = clock.now()
    return store.acquireLease(runKey, owner, now, now + leaseMs, gone)
  }

  /** Takes a run that has no driver: its lease was given back or ran out, or its holder is gone. */
  async takeFree(row: RunRow): Promise<RunRow | undefined> {
    const { owner, isOwnerGone } = this.#options
    const { runKey, lease } = row
    if (lease === undefined || lease.owner === owner) return this.take(runKey)
    if (isOwnerGone?.(lease.owner) === true || this.#isLeftOver(lease.until)) return this.take(runKey, lease.owner)
    return this.#isKept(row) ? undefined : this.take(runKey)
  }

  /** Its lease ran out, and yet its driver is alive. */
  #isKept({ lease, owed }: RunRow): boolean {
    const { clock, isOwnerAlive } = this.#options
    if (steadyNow(clock) < this.#calmUntil) return true
    return lease !== undefined && owed === true && isOwnerAlive?.(lease.owner) === true
  }

  /**
   * The lease was taken before the clock was set back, and would be over by the clock of that time. A holder that lives has
   * renewed it since.
   */
  #isLeftOver(until: number): boolean {
    const { clock, leaseMs } = this.#options
    const now = clock.now()
    if (steadyNow(clock) < this.#calmUntil) return false
    return until > now + leaseMs && until <= now + this.behindMs
  }
}
