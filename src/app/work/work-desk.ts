/**
 * Where a process hears of work for remote workers: executors wait here until theirs has moved, and requests for work until some is
 * offered. What this process does itself is heard at once; for what other processes did the store is asked every now and then, once
 * for all that wait (P-22).
 */
import { LIMITS } from '../../core/limits.ts'
import type { Timers } from '../../ports/timers.ts'
import type { StoredWork, WorkRef, WorkStore } from '../../ports/work.ts'

interface Watched {
  row: StoredWork
  moved: () => void
}

/** One row that an executor waits for. */
export interface WatchedWork {
  /** As it was last heard of. */
  readonly row: StoredWork
  /** Until it moves, the signal aborts, or the time is over. */
  readonly next: (ms: number, signal: AbortSignal) => Promise<void>
  readonly stop: () => void
}

export class WorkDesk {
  readonly #store: Pick<WorkStore, 'movedWork'>
  readonly #timers: Timers
  readonly #looked: (waiting: readonly StoredWork[]) => Promise<void>
  readonly #watched = new Map<string, Watched>()
  readonly #askers = new Map<string, Set<() => void>>()
  #cancelLook: (() => void) | undefined

  /** `looked` is told of all that is waited for here, each time that the store was asked. */
  constructor(
    store: Pick<WorkStore, 'movedWork'>,
    timers: Timers,
    looked: (waiting: readonly StoredWork[]) => Promise<void>,
  ) {
    this.#store = store
    this.#timers = timers
    this.#looked = looked
  }

  watch(row: StoredWork): WatchedWork {
    const watched: Watched = { row, moved: () => undefined }
    const key = keyOf(row)
    this.#watched.set(key, watched)
    this.#arm()
    return {
      get row() {
        return watched.row
      },
      next: (ms, signal) => this.#next(watched, ms, signal),
      stop: () => {
        if (this.#watched.get(key) === watched) this.#watched.delete(key)
        if (this.#watched.size === 0) this.#rest()
      },
    }
  }

  /** This process has written the row. */
  moved(row: StoredWork): void {
    const watched = this.#watched.get(keyOf(row))
    if (watched !== undefined && watched.row.revision < row.revision) {
      watched.row = row
      watched.moved()
    }
    if (row.state === 'offered') for (const ring of this.#askers.get(queueKey(row.tenantId, row.queue)) ?? []) ring()
  }

  /** Until work may have been offered in one of the queues, the signal aborts, or the time is over. */
  untilOffered(tenantId: string, queues: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
    const keys = queues.map((queue) => queueKey(tenantId, queue))
    return this.#until(ms, signal, (ring) => {
      for (const key of keys) this.#askersOf(key).add(ring)
      return () => {
        for (const key of keys) this.#leave(key, ring)
      }
    })
  }

  #next(watched: Watched, ms: number, signal: AbortSignal): Promise<void> {
    return this.#until(ms, signal, (ring) => {
      watched.moved = ring
      return () => (watched.moved = () => undefined)
    })
  }

  #until(ms: number, signal: AbortSignal, listen: (ring: () => void) => () => void): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        cancel()
        unlisten()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const cancel = this.#timers.after(ms, done)
      const unlisten = listen(done)
      signal.addEventListener('abort', done, { once: true })
    })
  }

  #askersOf(key: string): Set<() => void> {
    const askers = this.#askers.get(key) ?? new Set()
    this.#askers.set(key, askers)
    return askers
  }

  #leave(key: string, ring: () => void): void {
    const askers = this.#askersOf(key)
    askers.delete(ring)
    if (askers.size === 0) this.#askers.delete(key)
  }

  #arm(): void {
    this.#cancelLook ??= this.#timers.after(LIMITS.workLookMs, () => void this.#look())
  }

  #rest(): void {
    this.#cancelLook?.()
    this.#cancelLook = undefined
  }

  async #look(): Promise<void> {
    try {
      const seen = [...this.#watched.values()].map(({ row }) => row)
      for (const one of await this.#store.movedWork(seen)) this.moved(one)
      await this.#looked([...this.#watched.values()].map(({ row }) => row))
    } catch {
      // Whoever waits goes on waiting: it is asked again, and the engine tells that its store is away.
    }
    this.#cancelLook = undefined
    if (this.#watched.size > 0) this.#arm()
  }
}

function keyOf({ runKey, slot, attempt }: WorkRef): string {
  return `${runKey}:${attempt}:${slot}`
}

function queueKey(tenantId: string, queue: string): string {
  return JSON.stringify([tenantId, queue])
}
