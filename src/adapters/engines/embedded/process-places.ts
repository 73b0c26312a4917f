/**
 * The process's own limit on steps at work (SCH-15): a step that has started waits here for a place, whatever its run allows.
 * Runs take turns, so that a wide one does not keep the others waiting; within a run places go in order. A step that must run
 * alone goes before all others. It starts when all others have ended, and no other step runs beside it.
 */
import { ReadyQueue } from '../../../core/collections/ready-queue.ts'
import type { RunKey } from '../../../ports/run-store.ts'

type Entry = 'entered' | 'aborted'

interface Waiter {
  readonly enter: () => void
}

export class ProcessPlaces {
  readonly #limit: number
  #used = 0
  /** Runs in the order of their turns: a map keeps insertion order, and who was served goes to its end. */
  readonly #queues = new Map<RunKey, ReadyQueue<Waiter>>()
  readonly #loners = new ReadyQueue<Waiter>()
  #isHeldAlone = false

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** At once where there is a place; otherwise once there is one, or as soon as the signal aborts: then no place was taken. */
  enter(runKey: RunKey, signal: AbortSignal, alone = false): Entry | Promise<Entry> {
    if (signal.aborted) return 'aborted'
    if (this.#hasRoom(alone)) {
      this.#take(alone)
      return 'entered'
    }
    return new Promise((resolve) => {
      const waiter: Waiter = {
        enter: () => {
          signal.removeEventListener('abort', onAbort)
          resolve('entered')
        },
      }
      const onAbort = (): void => {
        queue.remove((one) => one === waiter)
        resolve('aborted')
        // The step that waited to run alone no longer has to wait for this one.
        if (alone) this.#fill()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const queue = alone ? this.#loners : this.#queueOf(runKey)
      queue.enqueue(waiter)
    })
  }

  leave(): void {
    this.#used -= 1
    this.#isHeldAlone = false
    this.#fill()
  }

  #queueOf(runKey: RunKey): ReadyQueue<Waiter> {
    const queue = this.#queues.get(runKey) ?? new ReadyQueue<Waiter>()
    this.#queues.set(runKey, queue)
    return queue
  }

  #hasRoom(alone: boolean): boolean {
    if (this.#isHeldAlone) return false
    return alone ? this.#used === 0 : this.#used < this.#limit && this.#loners.size === 0
  }

  #take(alone: boolean): void {
    this.#used += 1
    this.#isHeldAlone = alone
  }

  #fill(): void {
    const loner = this.#hasRoom(true) ? this.#loners.dequeue() : undefined
    if (loner !== undefined) {
      this.#take(true)
      loner.enter()
      return
    }
    while (this.#hasRoom(false)) {
      const next = this.#next()
      if (next === undefined) return
      this.#take(false)
      next.enter()
    }
  }

  #next(): Waiter | undefined {
    for (const [runKey, queue] of this.#queues) {
      this.#queues.delete(runKey)
      const waiter = queue.dequeue()
      if (queue.size > 0) this.#queues.set(runKey, queue)
      if (waiter !== undefined) return waiter
    }
    return undefined
  }
}
