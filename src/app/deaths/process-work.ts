/**
 * What is at work in this process, over all stores opened in it. Noted work (see last-words.ts) runs one at a time, and
 * no step begins beside it: so a remaining note tells which work was running when the process ended.
 */
export class ProcessWork {
  #atWork = 0
  #noted = 0
  #last: Promise<unknown> = Promise.resolve()

  /** Steps whose code is running. */
  get atWork(): number {
    return this.#atWork
  }

  /** Is noted work running or waiting? */
  get isNoted(): boolean {
    return this.#noted > 0
  }

  async untilQuiet(): Promise<void> {
    while (this.#noted > 0) await this.#last
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#noted += 1
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      this.#noted -= 1
    }
  }

  begin(): void {
    this.#atWork += 1
  }

  end(): void {
    this.#atWork -= 1
  }
}
