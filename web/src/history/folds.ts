/** The fold of a list at any of its lengths: one is kept every so many events, and the last that was asked for. */
const EVERY = 500

export class Folds<T, E> {
  readonly #fold: (before: T, event: E) => T
  /** After 0, 500, 1,000 … events. */
  readonly #kept: T[]
  #last: { readonly count: number; readonly value: T }

  constructor(first: T, fold: (before: T, event: E) => T) {
    this.#fold = fold
    this.#kept = [first]
    this.#last = { count: 0, value: first }
  }

  after(events: readonly E[], count: number): T {
    const nearest = Math.min(Math.floor(count / EVERY), this.#kept.length - 1)
    const kept = { count: nearest * EVERY, value: this.#kept[nearest] as T }
    let { count: at, value } = this.#last.count <= count && this.#last.count > kept.count ? this.#last : kept
    while (at < count) {
      value = this.#fold(value, events[at] as E)
      at += 1
      if (at === this.#kept.length * EVERY) this.#kept.push(value)
    }
    this.#last = { count, value }
    return value
  }
}
