/** The machine's timers. A wait longer than a platform timer allows is split. */
import type { Timers } from '../../ports/timers.ts'

const LONGEST_MS = 2 ** 31 - 1

export const systemTimers: Timers = {
  after(ms, callback) {
    let handle: NodeJS.Timeout
    const arm = (left: number): void => {
      const now = Math.min(left, LONGEST_MS)
      handle = setTimeout(() => (left > now ? arm(left - now) : callback()), Math.max(0, now))
    }
    arm(ms)
    return () => clearTimeout(handle)
  },
  defer(callback) {
    setImmediate(callback)
  },
}
