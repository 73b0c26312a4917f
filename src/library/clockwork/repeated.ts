/**
 * Work that is done again and again: at every bell, and after a while without one. Bells during the work cause one more round after
 * it. A round that fails is told by its code until the next one succeeds. Looking in vain never takes more than a tenth of the time,
 * however long a look is and however often the bell rings.
 */
import { steadyNow } from '../../core/clock-jumps.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Timers } from '../../ports/timers.ts'

export interface RepeatedWork {
  readonly clock: Clock
  readonly timers: Timers
  readonly everyMs: number
  /** Between two rounds, however often the bell rings. */
  readonly leastMs: number
  /** True: there is more at once. False: it looked, and there was nothing to do. */
  readonly work: () => Promise<boolean | undefined>
}

/** Between two looks in vain, times what the first one took. */
const REST = 9

export class Repeated {
  readonly #given: RepeatedWork
  #cancel: (() => void) | undefined
  #round: Promise<void> | undefined
  #isRung = false
  #isClosed = false
  /** From a bell to the next round. */
  #restMs: number
  #trouble: string | undefined

  constructor(given: RepeatedWork) {
    this.#given = given
    this.#restMs = given.leastMs
    this.#arm(0)
  }

  get trouble(): string | undefined {
    return this.#trouble
  }

  ring(): void {
    if (this.#isRung) return
    this.#isRung = true
    if (this.#round === undefined) this.#arm(this.#restMs)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    await this.#round
  }

  #arm(afterMs: number): void {
    if (this.#isClosed) return
    this.#cancel?.()
    this.#cancel = this.#given.timers.after(afterMs, () => {
      this.#round = this.#work()
    })
  }

  async #work(): Promise<void> {
    const { clock, leastMs, everyMs } = this.#given
    this.#isRung = false
    const from = steadyNow(clock)
    let found: boolean | undefined
    try {
      found = await this.#given.work()
      this.#trouble = undefined
    } catch (thrown) {
      this.#trouble = thrown instanceof KeelsonError ? thrown.code : 'INTERNAL'
    }
    this.#round = undefined
    this.#isRung ||= found === true
    const restMs = found === false ? REST * (steadyNow(clock) - from) : 0
    this.#restMs = Math.min(everyMs, Math.max(leastMs, restMs))
    this.#arm(this.#isRung ? this.#restMs : everyMs)
  }
}
