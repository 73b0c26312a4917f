/**
 * The time of a run. It advances as real time does, also when the wall clock is set forward or back: a backoff of 300
 * ms lasts 300 ms. A run whose log is ahead of the wall clock goes on from there; an idle run returns to the wall clock
 * as far as its log allows: no event is earlier than the one before it (P-25).
 */
import { ClockJumps, JUMP_MS, steadyNow } from '../../core/clock-jumps.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { countsElapsedTime } from '../../core/run/state/timers.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunKey } from '../../ports/run-store.ts'

export interface RunMoment {
  /** The time that is written to the log. */
  readonly now: number
  /** How far that time is ahead of the wall clock; negative when it is behind. */
  readonly lead: number
}

interface Base {
  readonly era: number
  readonly lead: number
}

/**
 * Released runs are remembered, so that one adopted again later knows of a jump in between; the oldest are dropped
 * first.
 */
const REMEMBERED = 100_000

export class RunTimes {
  readonly #clock: Clock
  readonly #jumps = new ClockJumps()
  readonly #bases = new Map<RunKey, Base>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#look()
  }

  moment(runKey: RunKey, state: RunState): RunMoment {
    const wall = this.#look()
    const lead = this.#leadOf(runKey, state, wall)
    this.#remember(runKey, { era: this.#jumps.era, lead })
    return { now: Math.max(wall + lead, state.lastNow), lead }
  }

  forget(runKey: RunKey): void {
    this.#bases.delete(runKey)
  }

  #look(): number {
    const wall = this.#clock.now()
    this.#jumps.look(wall, steadyNow(this.#clock))
    return wall
  }

  #leadOf(runKey: RunKey, state: RunState, wall: number): number {
    const { lastNow } = state
    const base = this.#bases.get(runKey) ?? { era: this.#jumps.eraOf(lastNow, wall), lead: 0 }
    const lead = base.lead - this.#jumps.sinceEra(base.era)
    const behindLog = lastNow - (wall + lead)
    if (lead === 0 && behindLog < JUMP_MS) return 0
    if (!countsElapsedTime(state)) return Math.max(0, lastNow - wall)
    return behindLog < JUMP_MS ? lead : lead + behindLog
  }

  #remember(runKey: RunKey, base: Base): void {
    this.#bases.delete(runKey)
    this.#bases.set(runKey, base)
    if (this.#bases.size <= REMEMBERED) return
    const [oldest] = this.#bases.keys()
    if (oldest !== undefined) this.#bases.delete(oldest)
  }
}
