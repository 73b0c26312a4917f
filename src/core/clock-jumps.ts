/**
 * A wall clock may be set by an hour while a process lives; elapsed time cannot. Whoever looks at both now and then finds
 * each jump here, and what it means for an instant that was written down before it (P-25).
 */

/** Less than this is a clock that is being corrected: it is followed, and nobody needs to know. */
export const JUMP_MS = 1_000

export interface ClockJump {
  /** What the wall clock would have said, and what it said. */
  readonly from: number
  readonly to: number
  /** Positive when the clock was set forward. */
  readonly byMs: number
}

export class ClockJumps {
  readonly #jumps: ClockJump[] = []
  #offset: number | undefined

  /** Takes a reading of both clocks. The jump, when there was one since the last reading. */
  look(wall: number, steady: number): ClockJump | undefined {
    const known = this.#offset
    this.#offset = wall - steady
    if (known === undefined || Math.abs(this.#offset - known) < JUMP_MS) return undefined
    const jump = { from: steady + known, to: wall, byMs: Math.round(this.#offset - known) }
    this.#jumps.push(jump)
    return jump
  }

  /** Counts the jumps: between two of them the wall clock goes on as time does. */
  get era(): number {
    return this.#jumps.length
  }

  /** How much later the wall clock is, since then, than time alone would have made it. */
  sinceEra(era: number): number {
    return this.#jumps.slice(era).reduce((sum, { byMs }) => sum + byMs, 0)
  }

  /**
   * The era in which an instant was taken from the wall clock. Instants that a clock set forward left out cannot be later
   * ones; those that lie ahead of a clock set back are earlier ones. Where both may be, it is taken for the later.
   */
  eraOf(instant: number, wall: number): number {
    for (let era = this.#jumps.length; era > 0; era -= 1) {
      const jump = this.#jumps[era - 1]
      const isBefore = jump !== undefined && (jump.byMs > 0 ? instant < jump.to : instant > wall)
      if (!isBefore) return era
    }
    return 0
  }
}

/** For durations within a process: elapsed time, where the clock can tell it from its own. */
export function steadyNow(clock: { now(): number; steady?(): number }): number {
  return clock.steady?.() ?? clock.now()
}
