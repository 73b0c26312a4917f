/**
 * Which runs move, whoever drives them: one reader of the feed's positions for all who want to know in this process. It keeps no
 * name in the store, looks only while somebody listens, and begins where the feed stands then.
 */
import type { FeedStore, MovedRun } from '../../ports/feed.ts'
import type { Timers } from '../../ports/timers.ts'

export interface MoveListener {
  /** Of all tenants, each run once. */
  moved(runs: readonly MovedRun[]): void
  /** The feed is no longer the one that was read: nobody knows what moved. */
  lost(): void
}

export interface MoveWatchOptions {
  readonly store: Pick<FeedStore, 'readMoves'>
  readonly timers: Timers
  /** How often it looks for what other processes wrote. */
  readonly pollMs: number
}

const PAGE = 1_000
const LONGEST_PAUSE_MS = 5_000

export class MoveWatch {
  readonly #options: MoveWatchOptions
  readonly #listeners = new Set<MoveListener>()
  #position: string | undefined
  #opening: Promise<string> | undefined
  #cancel: (() => void) | undefined
  #failures = 0
  /** Raised when the last listener leaves: what was under way then means nothing later. */
  #round = 0

  constructor(options: MoveWatchOptions) {
    this.#options = options
  }

  /** Ends with what is given back. Moves are told from where `place` then says. */
  listen(listener: MoveListener): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#wait(this.#round, 0)
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop()
    }
  }

  /** Where the feed stands; every later move is told to who listens. */
  place(): Promise<string> {
    if (this.#position !== undefined) return Promise.resolve(this.#position)
    const opening = this.#opening ?? this.#open(this.#round)
    this.#opening = opening
    void opening.catch(() => undefined).then(() => this.#opening === opening && (this.#opening = undefined))
    return opening
  }

  async #open(round: number): Promise<string> {
    const position = (await this.#options.store.readMoves(undefined, 1))?.position ?? ''
    if (round === this.#round && this.#listeners.size > 0) this.#position ??= position
    return this.#position ?? position
  }

  #stop(): void {
    this.#round += 1
    this.#cancel?.()
    this.#opening = undefined
    this.#position = undefined
    this.#failures = 0
  }

  #wait(round: number, ms: number): void {
    this.#cancel = this.#options.timers.after(ms, () => void this.#poll(round))
  }

  async #poll(round: number): Promise<void> {
    const { pollMs } = this.#options
    let pause = pollMs
    try {
      if (await this.#look(round)) pause = 0
      this.#failures = 0
    } catch {
      // The store is away. The position is kept: nothing is missed when it is back.
      this.#failures += 1
      pause = Math.min(pollMs * 2 ** this.#failures, LONGEST_PAUSE_MS)
    }
    if (round === this.#round) this.#wait(round, pause)
  }

  /** True when there is more at once. */
  async #look(round: number): Promise<boolean> {
    if (this.#position === undefined) {
      await this.place()
      return false
    }
    const page = await this.#options.store.readMoves(this.#position, PAGE)
    if (round !== this.#round) return false
    this.#position = page?.position
    if (page === undefined) for (const one of this.#listeners) one.lost()
    else if (page.runs.length > 0) for (const one of this.#listeners) one.moved(page.runs)
    return page === undefined || page.more
  }
}
