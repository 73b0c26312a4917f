/**
 * The world's clock and its queue of what happens next. Nothing waits for real: an event runs, every promise it woke
 * runs to its end, then the next event's instant becomes now. What belongs to a dead process is dropped; what belongs
 * to a stalled one waits until the stall is over.
 */
/** The instant every history starts at. */
export const START = Date.UTC(2030, 0, 1)

/** Whom an event belongs to: a simulated process, or nobody (the disk, people, the world itself). */
export interface Owner {
  readonly isDead: boolean
  readonly stalledUntil: number
}

interface Entry {
  at: number
  readonly order: number
  readonly owner: Owner | undefined
  run: (() => void) | undefined
}

/** Resolves once no promise has anything left to run: Node takes ticks only when the microtask queue is empty. */
export function drained(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

export class VirtualTime {
  now = START
  /** Events run so far. */
  steps = 0
  /** Events run at this very instant. */
  stepsNow = 0
  readonly #heap: Entry[] = []
  #made = 0

  schedule(at: number, run: () => void, owner?: Owner): () => void {
    const entry: Entry = { at: Math.max(at, this.now), order: (this.#made += 1), owner, run }
    this.#push(entry)
    return () => {
      entry.run = undefined
    }
  }

  /** Instant of the next event that will really run. */
  nextAt(): number {
    this.#dropDead()
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  /** Runs the next event and everything it woke. False when there is none. */
  async step(): Promise<boolean> {
    this.#dropDead()
    const entry = this.#pop()
    if (entry === undefined) return false
    const { owner } = entry
    if (owner !== undefined && owner.stalledUntil > Math.max(entry.at, this.now)) {
      entry.at = owner.stalledUntil
      this.#push(entry)
      return true
    }
    this.stepsNow = entry.at > this.now ? 0 : this.stepsNow + 1
    this.now = Math.max(this.now, entry.at)
    this.steps += 1
    entry.run?.()
    await drained()
    return true
  }

  #dropDead(): void {
    for (
      let top = this.#heap[0];
      top !== undefined && (top.run === undefined || top.owner?.isDead === true);
      top = this.#heap[0]
    )
      this.#pop()
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(entry)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as Entry
      if (precedes(above, entry)) break
      heap[at] = above
      at = parent
    }
    heap[at] = entry
  }

  #pop(): Entry | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined || heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && precedes(heap[child + 1] as Entry, heap[child] as Entry)) child += 1
      if (precedes(last, heap[child] as Entry)) break
      heap[at] = heap[child] as Entry
      at = child
    }
    heap[at] = last
    return top
  }
}

function precedes(a: Entry, b: Entry): boolean {
  return a.at !== b.at ? a.at < b.at : a.order < b.order
}
