/** The one timer of a run's workflow, by the workflow's own clock. */
import { CancellationScope, sleep } from '@temporalio/workflow'

export class WakeTimer {
  readonly #wake: () => void
  #set: { readonly at: number; readonly scope: CancellationScope } | undefined

  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** A timer that fires too early only wakes once more; starting another for every later instant would cost history. */
  set(wakeAt: number): void {
    if (wakeAt <= Date.now()) {
      this.#wake()
      return
    }
    if (this.#set !== undefined && this.#set.at <= wakeAt) return
    this.#set?.scope.cancel()
    const scope = new CancellationScope()
    this.#set = { at: wakeAt, scope }
    void this.#wakeAfter(scope, Math.max(1, wakeAt - Date.now()))
  }

  async #wakeAfter(scope: CancellationScope, ms: number): Promise<void> {
    try {
      await scope.run(() => sleep(ms))
    } catch {
      // An earlier timer has replaced this one.
      return
    }
    this.#set = undefined
    this.#wake()
  }
}
