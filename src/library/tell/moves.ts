/**
 * Who waits for a run to move is woken when this process moves it; of runs that others drive it says nothing. Whoever
 * still waits when Keelson is closed is told so, and waits no more.
 */
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { TurnResult } from '../../ports/engine.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { Timers } from '../../ports/timers.ts'

type MoveListener = (runKey: RunKey, report: TurnResult) => void

export class Moves {
  readonly #timers: Timers
  readonly #listeners = new Set<MoveListener>()
  readonly #sleepers = new Map<RunKey, Set<() => void>>()
  readonly #awaiting = new Set<() => void>()
  #isClosed = false

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Calls back whenever any run moves; gives back what ends that. */
  listen(listener: MoveListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  moved(runKey: RunKey, report: TurnResult): void {
    for (const listener of this.#listeners) listener(runKey, report)
    for (const wake of this.#sleepers.get(runKey) ?? []) wake()
  }

  /** `moved` resolves at the run's next move, after `atMost` milliseconds, when all is closed, or when it is forgotten. */
  next(runKey: RunKey, atMost: number): { readonly moved: Promise<void>; readonly forget: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>()
    const sleepers = this.#sleepers.get(runKey) ?? new Set()
    const wake = (): void => {
      cancel()
      sleepers.delete(wake)
      if (sleepers.size === 0 && this.#sleepers.get(runKey) === sleepers) this.#sleepers.delete(runKey)
      resolve()
    }
    const cancel = this.#timers.after(atMost, wake)
    this.#sleepers.set(runKey, sleepers.add(wake))
    if (this.#isClosed) wake()
    return { moved: promise, forget: wake }
  }

  /** What is awaited, unless Keelson is closed or the caller gives up before. Nothing is kept of it afterwards. */
  async whileOpen<T>(awaited: Promise<T>, signal?: AbortSignal): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const onClose = (): void => reject(new KeelsonError([problem('KEELSON_CLOSED', 'Keelson was closed')]))
    const onAbort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#awaiting.add(onClose)
    if (this.#isClosed) onClose()
    if (signal?.aborted === true) onAbort()
    try {
      return await Promise.race([awaited, promise])
    } finally {
      this.#awaiting.delete(onClose)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  close(): void {
    this.#isClosed = true
    for (const sleepers of this.#sleepers.values()) for (const wake of sleepers) wake()
    for (const onClose of this.#awaiting) onClose()
  }
}
