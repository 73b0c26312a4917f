/**
 * A wall clock may be set by an hour while a process runs; elapsed time cannot. Regular readings of both show each jump
 * here, and what it means for an instant that was recorded before it (P-25).
 */

/** A smaller difference is a normal clock correction: it is followed silently. */
export const JUMP_MS = 1_000

export interface ClockJump {
  /** What the wall clock should have shown, and what it showed. */
  readonly from: number
  readonly to: number
  /** Positive when the clock was set forward. */
  readonly byMs: number
}

export class ClockJumps {
  readonly #jumps: ClockJump[] = []
  #offset: number | undefined

  /** Takes a reading of both clocks. Returns the jump, if there was one since the last reading. */
  look(wall: number, steady: number): ClockJump | undefined {
    const known = this.#offset
    this.#offset = wall - steady
    if (known === undefined || Math.abs(this.#offset - known) < JUMP_MS) return undefined
    const jump = { from: steady + known, to: wall, byMs: Math.round(this.#offset - known) }
    this.#jumps.push(jump)
    return jump
  }

  /** Counts the jumps: between two of them the wall clock advances with elapsed time. */
  get era(): number {
    return this.#jumps.length
  }

  /** How far jumps have moved the wall clock since that era. */
  sinceEra(era: number): number {
    return this.#jumps.slice(era).reduce((sum, { byMs }) => sum + byMs, 0)
  }

  /**
   * The era in which an instant was taken from the wall clock. An instant before the end of a forward jump belongs
   * to an earlier era; so does an instant ahead of a clock that was set back. Where both are possible, the later era
   * is assumed.
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

/** For durations within a process: elapsed time, if the clock provides it. */
export function steadyNow(clock: { now(): number; steady?(): number }): number {
  return clock.steady?.() ?? clock.now()
}
