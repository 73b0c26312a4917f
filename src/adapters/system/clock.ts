/** The machine's clock: the wall clock, and the monotonic one that nobody can set. */
import type { Clock } from '../../ports/clock.ts'

export const systemClock: Clock = { now: () => Date.now(), steady: () => performance.now() }
