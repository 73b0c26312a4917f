/**
 * Callers that wait for the end of a run. They are told at once about runs that this process drives; the end of any other run is
 * found in its row.
 */
import { isSettled } from '../../../core/run/state/transitions.ts'
import type { EngineHost } from '../../../ports/engine.ts'
import type { RunKey, RunStore } from '../../../ports/run-store.ts'
import { eachOf } from './each-of.ts'

export type RunEnded = Awaited<ReturnType<EngineHost['ended']>>

/** Ends of runs that others drive, asked for at each poll. */
const ASKED_AT_ONCE = 100

export class RunEnds {
  readonly #store: Pick<RunStore, 'getRun'>
  readonly #waiters = new Map<RunKey, ((ended: RunEnded) => void)[]>()

  constructor(store: Pick<RunStore, 'getRun'>) {
    this.#store = store
  }

  /** Resolves with the run's final status once this process has seen it end. */
  wait(runKey: RunKey, signal?: AbortSignal): Promise<RunEnded> {
    return new Promise((resolve) => {
      this.#waiters.set(runKey, [...(this.#waiters.get(runKey) ?? []), resolve])
      signal?.addEventListener('abort', () => this.#waitsNoMore(runKey, resolve), { once: true })
    })
  }

  tell(runKey: RunKey, ended: RunEnded): void {
    for (const resolve of this.#waiters.get(runKey) ?? []) resolve(ended)
    this.#waiters.delete(runKey)
  }

  /** The end of a run that another process drives, or took up while the run only waited, is found in its row. */
  async ask(isDriven: (runKey: RunKey) => boolean): Promise<void> {
    const asked: RunKey[] = []
    for (const runKey of this.#waiters.keys()) {
      if (asked.length >= ASKED_AT_ONCE) break
      if (!isDriven(runKey)) asked.push(runKey)
    }
    await eachOf(asked, async (runKey) => {
      const row = await this.#store.getRun(runKey)
      if (row !== undefined && isSettled(row)) this.tell(runKey, { status: row.status })
      else this.#askLater(runKey)
    })
  }

  #waitsNoMore(runKey: RunKey, waiter: (ended: RunEnded) => void): void {
    const others = (this.#waiters.get(runKey) ?? []).filter((one) => one !== waiter)
    if (others.length === 0) this.#waiters.delete(runKey)
    else this.#waiters.set(runKey, others)
  }

  #askLater(runKey: RunKey): void {
    const waiters = this.#waiters.get(runKey)
    if (waiters === undefined) return
    this.#waiters.delete(runKey)
    this.#waiters.set(runKey, waiters)
  }
}
