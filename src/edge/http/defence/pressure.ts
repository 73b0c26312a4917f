/**
 * Whether the process has more work than it can do: its timers come late, or its memory is nearly used up. Requests are refused then
 * until it has recovered, so that those that were taken can end.
 */
import { getHeapStatistics } from 'node:v8'

export interface PressureLimits {
  readonly busyLoopMs: number
  readonly busyHeapPercent: number
}

const LOOK_MS = 250
/** One is a pause that is over when it is seen. */
const LATE_LOOKS = 3

export class Pressure {
  readonly #limits: PressureLimits
  readonly #looking: NodeJS.Timeout
  #lookedAt = performance.now()
  #lateLooks = 0
  #why: string | undefined

  constructor(limits: PressureLimits) {
    this.#limits = limits
    this.#look(0)
    this.#looking = setInterval(() => this.#look(performance.now() - this.#lookedAt - LOOK_MS), LOOK_MS).unref()
  }

  /** Undefined: it has room. */
  get why(): string | undefined {
    return this.#why
  }

  close(): void {
    clearInterval(this.#looking)
  }

  #look(lateMs: number): void {
    this.#lookedAt = performance.now()
    const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics()
    this.#lateLooks = lateMs > this.#limits.busyLoopMs ? this.#lateLooks + 1 : 0
    if (this.#lateLooks >= LATE_LOOKS) this.#why = 'it is behind with its work'
    else this.#why = (used / most) * 100 > this.#limits.busyHeapPercent ? 'its memory is nearly used up' : undefined
  }
}
