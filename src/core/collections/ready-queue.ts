/**
 * A queue by priority, first in first out within one: lower numbers go first, no priority is 0. Every operation keeps the
 * order stable; times play no part, so equal instants cannot change it (SCH-03, SCH-13).
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

  /** Takes out what the predicate picks, and gives it back in order. */
  remove(picks: (value: T) => boolean): readonly T[] {
    const removed = this.#entries.filter(({ value }) => picks(value))
    if (removed.length > 0) this.#entries = this.#entries.filter(({ value }) => !picks(value))
    return removed.map(({ value }) => value)
  }

  /** What the predicate picks, in order; the queue stays as it is. */
  filter(picks: (value: T) => boolean): readonly T[] {
    return this.#entries.map(({ value }) => value).filter(picks)
  }

  /** Everything, in order; the queue is empty then. */
  drain(): readonly T[] {
    const all = this.#entries.map(({ value }) => value)
    this.#entries = []
    return all
  }
}
