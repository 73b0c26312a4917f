/**
 * The process's own limit on steps at work (SCH-15): a step that has started waits here for a place, whatever its run
 * allows. Runs take turns, so that a wide one does not keep the others waiting; within a run places go in order.
 */
import { ReadyQueue } from '../../../core/collections/ready-queue.ts'
import type { RunKey } from '../../../ports/run-store.ts'

interface Waiter {
  readonly enter: () => void
}

export class ProcessSlots {
  readonly #limit: number
  #used = 0
  /** Runs in the order of their turns: a map keeps insertion order, and who was served goes to its end. */
  readonly #queues = new Map<RunKey, ReadyQueue<Waiter>>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** Resolves once there is a place, or as soon as the signal aborts: then there is nothing to leave. */
  enter(runKey: RunKey, signal: AbortSignal): Promise<'entered' | 'aborted'> {
    if (signal.aborted) return Promise.resolve('aborted')
    if (this.#used < this.#limit) {
      this.#used += 1
      return Promise.resolve('entered')
    }
    return new Promise((resolve) => {
      const waiter: Waiter = {
        enter: () => {
          signal.removeEventListener('abort', onAbort)
          resolve('entered')
        },
      }
      const onAbort = (): void => {
        this.#queues.get(runKey)?.remove((one) => one === waiter)
        resolve('aborted')
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const queue = this.#queues.get(runKey) ?? new ReadyQueue<Waiter>()
      this.#queues.set(runKey, queue)
      queue.enqueue(waiter)
    })
  }

  leave(): void {
    const next = this.#next()
    if (next === undefined) this.#used -= 1
    else next.enter()
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
