/**
 * Questions to the store that many ask at the same moment: those that come in one turn of the loop are asked once, when all of them are
 * there. So the answer is never older than any of the questions.
 */
import type { Timers } from '../../ports/timers.ts'

export class AskedTogether<A> {
  readonly #timers: Pick<Timers, 'defer'>
  readonly #open = new Map<string, Promise<A>>()

  constructor(timers: Pick<Timers, 'defer'>) {
    this.#timers = timers
  }

  ask(question: string, find: () => Promise<A>): Promise<A> {
    const known = this.#open.get(question)
    if (known !== undefined) return known
    const answer = this.#atTheEnd(question, find)
    this.#open.set(question, answer)
    return answer
  }

  async #atTheEnd(question: string, find: () => Promise<A>): Promise<A> {
    await new Promise<void>((resolve) => this.#timers.defer(resolve))
    this.#open.delete(question)
    return find()
  }
}
