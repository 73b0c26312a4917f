/** A clock and timers that a test moves by hand, for a clockwork that sleeps until the test wakes it. */
import type { Clock } from '../../src/ports/clock.ts'
import type { Timers } from '../../src/ports/timers.ts'

export interface HandClock {
  readonly clock: Clock
  readonly timers: Timers
  /** Resolves once the clockwork sleeps, with how long it means to. */
  slept(): Promise<number>
  /** Time goes on, and the sleeper wakes if it slept long enough. */
  pass(ms: number): void
  /** The wall clock is set; elapsed time goes on. The sleeper wakes. */
  set(at: number): void
}

export function handClock(start: number): HandClock {
  let [wall, elapsed] = [start, 0]
  let sleeping: { readonly at: number; readonly ms: number; readonly wake: () => void } | undefined
  let told: ((ms: number) => void) | undefined
  const wake = (): void => {
    const due = sleeping
    sleeping = undefined
    due?.wake()
  }
  return {
    clock: { now: () => wall, steady: () => elapsed },
    timers: {
      after: (ms, callback) => {
        sleeping = { at: elapsed + ms, ms, wake: callback }
        told?.(ms)
        return () => {
          sleeping = undefined
        }
      },
      defer: (callback) => queueMicrotask(callback),
    },
    slept: () =>
      sleeping === undefined
        ? new Promise((resolve) => {
            told = resolve
          })
        : Promise.resolve(sleeping.ms),
    pass: (ms) => {
      wall += ms
      elapsed += ms
      if (sleeping !== undefined && sleeping.at <= elapsed) wake()
    },
    set: (at) => {
      wall = at
      wake()
    },
  }
}
