/**
 * The logs of runs that somebody watches: one reader for each run, however many watch it. Each is woken when its run moves, by
 * this process or another; a run that nobody watches any more is forgotten.
 */
import type { MoveWatch } from '../../app/feed/watch-moves.ts'
import { BoundedCache } from '../../app/schemas/bounded-cache.ts'
import { LIMITS } from '../../core/limits.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { Lump } from '../tell/lumps.ts'
import type { Moves } from '../tell/moves.ts'
import type { RunReader } from './run-reader.ts'
import { RunTail, type RunTailOptions } from './run-tail.ts'

export interface RunTailsOptions extends Pick<RunTailOptions, 'clock' | 'textOf' | 'lookAgainMs'> {
  readonly moves: Moves
  readonly watch: MoveWatch
}

export class RunTails {
  readonly #options: RunTailsOptions
  readonly #ofTail: RunTailOptions
  readonly #tails = new Map<RunKey, RunTail>()
  #names = 0
  #leave: (() => void) | undefined

  constructor(options: RunTailsOptions) {
    const { clock, textOf, lookAgainMs } = options
    const pages = new BoundedCache<string, readonly Lump[]>(LIMITS.streamCacheBytes)
    this.#options = options
    this.#ofTail = { clock, textOf, lookAgainMs, pages, nextName: () => ++this.#names }
  }

  /** `onMove` is called when there may be something new. The watcher is counted until it calls `leave`. */
  watch(run: RunReader, onMove: () => void): { readonly tail: RunTail; readonly leave: () => void } {
    const { runKey } = run.row
    const tail = this.#tails.get(runKey) ?? new RunTail(run, this.#ofTail)
    this.#tails.set(runKey, tail)
    tail.seen(run)
    this.#leave ??= this.#listen()
    tail.watchers.add(onMove)
    return { tail, leave: () => this.#left(runKey, tail, onMove) }
  }

  #left(runKey: RunKey, tail: RunTail, onMove: () => void): void {
    tail.watchers.delete(onMove)
    if (tail.watchers.size === 0 && this.#tails.get(runKey) === tail) this.#tails.delete(runKey)
    if (this.#tails.size > 0) return
    this.#leave?.()
    this.#leave = undefined
  }

  #listen(): () => void {
    const { moves, watch } = this.#options
    const wakeAll = (): void => {
      for (const tail of this.#tails.values()) tail.wake()
    }
    const ofThisProcess = moves.listen((runKey) => this.#tails.get(runKey)?.wake())
    const ofAll = watch.listen({
      moved: (runs) => {
        for (const { runKey, lastEventSeq } of runs) this.#tails.get(runKey)?.wake(lastEventSeq)
      },
      lost: wakeAll,
    })
    // What another process wrote before the feed's place was known is found by looking once more.
    void watch.place().then(wakeAll, () => undefined)
    return () => {
      ofThisProcess()
      ofAll()
    }
  }
}
