/** Suspects that are put into processes of their own take turns: a wide fan-out must not become hundreds of processes at once. */
const AT_ONCE = 4

export class SuspectTurns {
  #atWork = 0
  readonly #waiting = new Set<() => void>()

  /** An attempt that is asked to stop while it waits continues at once: it only has to report that it stopped. */
  async during<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const hasTurn = await this.#enter(signal)
    try {
      return await work()
    } finally {
      if (hasTurn) this.#leave()
    }
  }

  #enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    if (this.#atWork < AT_ONCE) {
      this.#atWork += 1
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve(true)
      }
      const giveUp = (): void => {
        this.#waiting.delete(begin)
        resolve(false)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(begin)
    })
  }

  /** The turn goes to the next that waits; it becomes free only when nobody waits. */
  #leave(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#atWork -= 1
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
