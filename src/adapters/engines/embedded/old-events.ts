/** Events from outside whose time is over (P-54): deleted now and then, by whoever has the store open. */
import { steadyNow } from '../../../core/clock-jumps.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RunStore } from '../../../ports/run-store.ts'

const PURGE_MS = 10 * 60 * 1000
const AT_ONCE = 1_000

export class OldEvents {
  readonly #store: Pick<RunStore, 'purgeEvents'>
  readonly #clock: Clock
  #purgesAt: number

  constructor(store: Pick<RunStore, 'purgeEvents'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
    // A command that is over in a second leaves it to others.
    this.#purgesAt = steadyNow(clock) + PURGE_MS / 10
  }

  async purge(): Promise<void> {
    if (steadyNow(this.#clock) < this.#purgesAt) return
    const gone = await this.#store.purgeEvents(AT_ONCE)
    // What one purge leaves, the next poll deletes.
    this.#purgesAt = gone < AT_ONCE ? steadyNow(this.#clock) + PURGE_MS : -Infinity
  }
}
