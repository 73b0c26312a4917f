/**
 * The time of one attempt: its own limit, combined with the signal by which others may stop it. Nothing stays behind on the outer
 * signal once the attempt is over.
 */
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { Timers } from '../../ports/timers.ts'

/** The attempt's own time. A signal would also work, but it costs something for every step and hardly ever fires. */
export interface TimeLimit {
  /** Calls back when the time is up, or at once if it is up already. For one caller only. */
  readonly whenUp: (callback: (reason: KeelsonError) => void) => void
  readonly throwIfUp: () => void
}

export interface AttemptTime {
  readonly signal: AbortSignal
  readonly limit: TimeLimit
  /** The attempt begins only now, or anew: it has so much time from here. */
  readonly restart: (timeoutMs: number) => void
  readonly aborted: () => 'cancel' | 'timeout' | undefined
  /** The attempt is over although its work may continue: the work is told to stop. */
  readonly abandon: (reason: unknown) => void
  readonly stop: () => void
}

/**
 * The attempt's own time limit joined with the engine's signal; which of the two fired is remembered. Once the
 * attempt is asked to stop, the decider's grace counts and no longer its own limit.
 */
export function watchTime(timers: Timers, timeoutMs: number | 'not-begun', outer: AbortSignal): AttemptTime {
  const controller = new AbortController()
  let up: KeelsonError | undefined
  let tell: ((reason: KeelsonError) => void) | undefined
  let cause: 'cancel' | 'timeout' | undefined
  const abort = (why: 'cancel' | 'timeout', reason: unknown): void => {
    cause ??= why
    controller.abort(reason)
  }
  let cancelTimer: () => void = () => undefined
  const start = (ms: number): void => {
    cancelTimer = timers.after(ms, () => {
      up = new KeelsonError([problem('TIMEOUT', `the attempt ran longer than ${ms} ms`)])
      abort('timeout', up)
      tell?.(up)
    })
  }
  if (timeoutMs !== 'not-begun') start(timeoutMs)
  const onOuter = (): void => {
    cancelTimer()
    abort('cancel', outer.reason)
  }
  if (outer.aborted) onOuter()
  else outer.addEventListener('abort', onOuter, { once: true })
  return {
    signal: controller.signal,
    limit: {
      whenUp: (callback) => (up === undefined ? (tell = callback) : callback(up)),
      throwIfUp: () => {
        if (up !== undefined) throw up
      },
    },
    restart: (ms) => {
      cancelTimer()
      if (cause === undefined) start(ms)
    },
    aborted: () => cause,
    abandon: (reason) => controller.abort(reason),
    stop: () => {
      cancelTimer()
      outer.removeEventListener('abort', onOuter)
    },
  }
}

/**
 * A step whose time is up is abandoned: its attempt ends now, whatever the step still does. A step that was asked to stop is
 * waited for: its result counts within the grace and is recorded as late after it (CAN-01, X-31).
 */
export function untilTimeIsUp<T>(work: Promise<T>, limit: TimeLimit): Promise<T> {
  return new Promise((resolve, reject) => {
    limit.whenUp(reject)
    work.then(resolve, reject)
  })
}

/**
 * Work that can be ended by force is ended when its time is up. Its attempt lasts until the work has ended, so that the next
 * attempt does not run beside it. A result that comes by then is too late (RTY-07).
 */
export async function untilGone<T>(work: Promise<T>, limit: TimeLimit): Promise<T> {
  const [end] = await Promise.allSettled([work])
  limit.throwIfUp()
  if (end.status === 'rejected') throw end.reason
  return end.value
}
