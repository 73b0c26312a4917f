/** The machine's clocks: the wall clock, and the monotonic one that nobody can set. */
import type { Clock } from '../../ports/clock.ts'

/** Whole milliseconds, like the instants in a log. */
export const systemClock: Clock = { now: () => Date.now(), steady: () => Math.floor(performance.now()) }
