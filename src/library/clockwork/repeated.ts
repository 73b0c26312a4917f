/**
 * Work that is done again and again: at every bell, and after a while without one. Bells during the work cause one more round after
 * it. A round that fails is told by its code until the next one succeeds.
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Timers } from '../../ports/timers.ts'

export interface RepeatedWork {
  readonly timers: Timers
  readonly everyMs: number
  /** Between two rounds, however often the bell rings. */
  readonly leastMs: number
  readonly work: () => Promise<void>
}

export class Repeated {
  readonly #given: RepeatedWork
  #cancel: (() => void) | undefined
  #round: Promise<void> | undefined
  #isRung = false
  #isClosed = false
  #trouble: string | undefined

  constructor(given: RepeatedWork) {
    this.#given = given
    this.#arm(0)
  }

  get trouble(): string | undefined {
    return this.#trouble
  }

  ring(): void {
    if (this.#isRung) return
    this.#isRung = true
    if (this.#round === undefined) this.#arm(this.#given.leastMs)
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
    this.#isRung = false
    try {
      await this.#given.work()
      this.#trouble = undefined
    } catch (thrown) {
      this.#trouble = thrown instanceof KeelsonError ? thrown.code : 'INTERNAL'
    }
    this.#round = undefined
    this.#arm(this.#isRung ? this.#given.leastMs : this.#given.everyMs)
  }
}
