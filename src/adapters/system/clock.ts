/** The machine's clock: the wall clock, and the monotonic one that nobody can set. */
import type { Clock } from '../../ports/clock.ts'

/** Whole milliseconds, as instants in a log are. */
export const systemClock: Clock = { now: () => Date.now(), steady: () => Math.floor(performance.now()) }
