/** The place of a step at work is freed once: when the step ends, or when it was told to stop and its grace is over. */
import { LIMITS } from '../../../core/limits.ts'
import type { Timers } from '../../../ports/timers.ts'

/**
 * A step that does not stop within the grace is given up: another step gets its place, and its result will be late (CAN-04). Call
 * the returned function when the step has ended.
 */
export function afterGrace(timers: Timers, signal: AbortSignal, giveUp: () => void): () => void {
  let cancelTimer: () => void = () => undefined
  const onAbort = (): void => {
    cancelTimer = timers.after(LIMITS.cancelGraceMs, giveUp)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return () => {
    signal.removeEventListener('abort', onAbort)
    cancelTimer()
  }
}

export function once(action: () => void): () => void {
  let done = false
  return () => {
    if (!done) action()
    done = true
  }
}
