/**
 * The clock and the timers of the mock engine. Nothing really waits: once nothing is left to do at this instant, the instant of
 * the next alarm becomes now. While the code of a step runs, time passes as on a real clock.
 */
import type { Clock } from '../../../ports/clock.ts'
import type { StepHandlers } from '../../../ports/step-handlers.ts'
import type { Timers } from '../../../ports/timers.ts'

interface Alarm {
  readonly at: number
  readonly order: number
  readonly callback: () => void
}

const LONGEST_REAL_MS = 2 ** 31 - 1

export class SimulatedTime implements Clock, Timers {
  #now: number
  #setBy = 0
  #made = 0
  #deferred = 0
  #holds = 0
  /** Calls of real code at work, and the real instant from which time has gone on since the first of them. */
  #atWork = 0
  #workingSince = 0
  /** Something happened since the bells last rang. */
  #stirred = false
  #turning = false
  #realAlarm: NodeJS.Timeout | undefined
  readonly #alarms = new Set<Alarm>()
  readonly #bells = new Set<() => void>()

  constructor(startsAt = Date.UTC(2030, 0, 1)) {
    this.#now = startsAt
  }

  now(): number {
    return this.steady() + this.#setBy
  }

  steady(): number {
    return this.#atWork === 0 ? this.#now : this.#now + Math.floor(performance.now() - this.#workingSince)
  }

  /** Sets the wall clock, as somebody may on a real machine; no time passes by it. */
  jump(byMs: number): void {
    this.#setBy += byMs
    this.#stir()
  }

  /** An alarm that is endlessly far away never rings. */
  after(ms: number, callback: () => void): () => void {
    if (!Number.isFinite(ms)) return () => undefined
    const alarm = { at: this.steady() + Math.max(0, ms), order: (this.#made += 1), callback }
    this.#alarms.add(alarm)
    this.#stir()
    return () => void this.#alarms.delete(alarm)
  }

  defer(callback: () => void): void {
    this.#deferred += 1
    setImmediate(() => {
      this.#deferred -= 1
      callback()
      this.#stir()
    })
  }

  /** Time stands still until the answer is called: somebody outside is about to act at this instant. */
  hold(): () => void {
    this.#holds += 1
    let held = true
    return () => {
      if (held) this.#holds -= 1
      held = false
      this.#stir()
    }
  }

  /** Rings when nothing is left to do at an instant, before time moves on: whoever polls by the clock looks now instead. */
  onQuiet(bell: () => void): () => void {
    this.#bells.add(bell)
    return () => void this.#bells.delete(bell)
  }

  /** Real code takes real time: until a call has come to its end, no alarm rings early. */
  inRealTime(handlers: StepHandlers): StepHandlers {
    return {
      ...handlers,
      call: async (call) => {
        this.#begin()
        try {
          return await handlers.call(call)
        } finally {
          this.#end()
        }
      },
    }
  }

  #begin(): void {
    if (this.#atWork === 0) this.#workingSince = performance.now()
    this.#atWork += 1
  }

  #end(): void {
    const now = this.steady()
    this.#atWork -= 1
    if (this.#atWork === 0) this.#now = now
    this.#stir()
  }

  #stir(): void {
    this.#stirred = true
    if (this.#turning) return
    this.#turning = true
    void this.#turn()
  }

  /** One alarm after another, each followed by everything that it causes; then nothing happens until there is something new. */
  async #turn(): Promise<void> {
    clearTimeout(this.#realAlarm)
    for (;;) {
      await this.#settled()
      if (this.#holds > 0) break
      if (this.#stirred && this.#bells.size > 0) {
        this.#stirred = false
        for (const bell of this.#bells) bell()
        continue
      }
      if (!this.#ringNext()) break
    }
    this.#turning = false
  }

  async #settled(): Promise<void> {
    do {
      await new Promise<void>((resolve) => void setImmediate(resolve))
    } while (this.#deferred > 0)
  }

  /** False when there is nothing to ring now. */
  #ringNext(): boolean {
    const next = this.#next()
    if (next === undefined) return false
    const leftMs = next.at - this.steady()
    if (this.#atWork > 0 && leftMs > 0) {
      this.#realAlarm = setTimeout(() => this.#stir(), Math.min(leftMs, LONGEST_REAL_MS))
      return false
    }
    this.#alarms.delete(next)
    if (this.#atWork === 0) this.#now = Math.max(this.#now, next.at)
    this.#stirred = true
    next.callback()
    return true
  }

  #next(): Alarm | undefined {
    let first: Alarm | undefined
    for (const alarm of this.#alarms) {
      if (first === undefined || alarm.at < first.at || (alarm.at === first.at && alarm.order < first.order))
        first = alarm
    }
    return first
  }
}
