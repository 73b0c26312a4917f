/**
 * The time of one attempt: its own limit joined with the signal of whoever may stop it. Nothing stays behind on the
 * outer signal once the attempt is over.
 */
import { KeelsonError, problem } from '../core/problems/problem.ts'
import type { Timers } from '../ports/timers.ts'

export interface AttemptTime {
  readonly signal: AbortSignal
  /** Fires when the attempt's own time is up. */
  readonly limit: AbortSignal
  readonly aborted: () => 'cancel' | 'timeout' | undefined
  /** The attempt is over though its work may not be: that is told to stop. */
  readonly abandon: (reason: unknown) => void
  readonly stop: () => void
}

/**
 * The attempt's own time limit joined with the engine's signal; which of the two fired is remembered. Once the
 * attempt is asked to stop, the decider's grace counts and no longer its own limit.
 */
export function watchTime(timers: Timers, timeoutMs: number, outer: AbortSignal): AttemptTime {
  const controller = new AbortController()
  const limit = new AbortController()
  let cause: 'cancel' | 'timeout' | undefined
  const abort = (why: 'cancel' | 'timeout', reason: unknown): void => {
    cause ??= why
    controller.abort(reason)
  }
  const cancelTimer = timers.after(timeoutMs, () => {
    const timeout = new KeelsonError([problem('TIMEOUT', `the attempt ran longer than ${timeoutMs} ms`)])
    abort('timeout', timeout)
    limit.abort(timeout)
  })
  const onOuter = (): void => {
    cancelTimer()
    abort('cancel', outer.reason)
  }
  if (outer.aborted) onOuter()
  else outer.addEventListener('abort', onOuter, { once: true })
  return {
    signal: controller.signal,
    limit: limit.signal,
    aborted: () => cause,
    abandon: (reason) => controller.abort(reason),
    stop: () => {
      cancelTimer()
      outer.removeEventListener('abort', onOuter)
    },
  }
}

/**
 * A step whose time is up is abandoned: its attempt ends now, whatever it still does. One that was asked to stop is
 * waited for: its result counts within the grace and is recorded as late after it (CAN-01, X-31).
 */
export async function untilTimeIsUp<T>(work: Promise<T>, limit: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined
  const expired = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(limit.reason as Error)
    stop = () => limit.removeEventListener('abort', onAbort)
    limit.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, expired])
  } finally {
    stop()
  }
}

/**
 * What can be ended is ended when its time is up, and its attempt lasts until it is gone: the next attempt must not meet
 * it still at work. Whatever it brings by then is too late (RTY-07).
 */
export async function untilGone<T>(work: Promise<T>, limit: AbortSignal): Promise<T> {
  const [end] = await Promise.allSettled([work])
  limit.throwIfAborted()
  if (end.status === 'rejected') throw end.reason
  return end.value
}
