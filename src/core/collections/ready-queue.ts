/**
 * A queue by priority, first in first out within one priority: lower numbers first, no priority is 0. Every operation
 * keeps the order stable; times do not matter, so equal instants cannot change it (SCH-03, SCH-13).
 */
interface Entry<T> {
  readonly value: T
  readonly priority: number
}

export class ReadyQueue<T> {
  #entries: Entry<T>[] = []

  get size(): number {
    return this.#entries.length
  }

  enqueue(value: T, priority = 0): void {
    let at = this.#entries.length
    while (at > 0 && (this.#entries[at - 1]?.priority ?? 0) > priority) at -= 1
    this.#entries.splice(at, 0, { value, priority })
  }

  dequeue(): T | undefined {
    return this.#entries.shift()?.value
  }

  peek(): T | undefined {
    return this.#entries[0]?.value
  }

  /** Removes what the predicate selects, and returns it in order. */
  remove(picks: (value: T) => boolean): readonly T[] {
    const removed = this.#entries.filter(({ value }) => picks(value))
    if (removed.length > 0) this.#entries = this.#entries.filter(({ value }) => !picks(value))
    return removed.map(({ value }) => value)
  }

  /** What the predicate selects, in order; the queue stays unchanged. */
  filter(picks: (value: T) => boolean): readonly T[] {
    return this.#entries.map(({ value }) => value).filter(picks)
  }

  /** Returns everything in order, and empties the queue. */
  drain(): readonly T[] {
    const all = this.#entries.map(({ value }) => value)
    this.#entries = []
    return all
  }
}
