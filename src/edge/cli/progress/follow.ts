/** Follows runs until each has ended, stopped moving or is left (interrupts.ts), and shows what happens. */
import type { EarlySignals } from './early-signals.ts'
import { listenForInterrupts } from './interrupts.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import type { Progress } from './progress.ts'
import type { RunWatch } from './run-watch.ts'
import type { DrivenWatch } from './watch-driven.ts'

const POLL_MS = 250
const GAP_MS = 25
const TICK_MS = 100

/**
 * Wakes the loop when the engine reports, and at the latest after POLL_MS: only polling shows changes by other
 * processes.
 */
export class Doorbell {
  #ring: () => void = () => undefined
  #rung = false
  readonly #heard = new Set<RunKey>()

  /** Runs for which this process has taken at least one turn. */
  get heard(): ReadonlySet<RunKey> {
    return this.#heard
  }

  ring(runKey?: RunKey): void {
    if (runKey !== undefined) this.#heard.add(runKey)
    this.#rung = true
    this.#ring()
  }

  async next(): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS)
        this.#ring = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#rung = false
    await new Promise<void>((resolve) => void setTimeout(resolve, GAP_MS))
  }
}

export interface Following {
  readonly watches: readonly DrivenWatch[]
  readonly progress: Progress
  readonly doorbell: Doorbell
  /** What the second Ctrl-C does. */
  readonly second: 'cancel' | 'leave'
  /** A server drives them, and goes on without this command. */
  readonly isServed?: boolean
  /** The listener during the start of the run. */
  readonly early?: EarlySignals
  /** True when a run that has not ended will not move any more. */
  readonly standsStill?: (watch: RunWatch) => boolean
}

export type Followed = 'ended' | 'still' | 'left'

export async function follow(following: Following): Promise<Followed> {
  const { watches, progress, doorbell, standsStill = () => false } = following
  // Inbox rows are seen only in this process's first turn; before it nothing can be said.
  const isStill = (watch: RunWatch): boolean => doorbell.heard.has(watch.handle.row.runKey) && standsStill(watch)
  const interrupts = listenForInterrupts(following)
  const ticking = setInterval(() => progress.tick(), TICK_MS)
  try {
    for (;;) {
      for (const watch of watches) {
        const records = await watch.pump()
        if (records.length > 0) progress.update(watch, records)
      }
      if (watches.every(isOver)) return 'ended'
      if (interrupts.leave) return 'left'
      if (watches.every((watch) => isOver(watch) || isStill(watch))) return 'still'
      await doorbell.next()
    }
  } finally {
    clearInterval(ticking)
    interrupts.stop()
  }
}

/** Nothing more comes: the run has ended, or nobody may drive it. */
const isOver = ({ ended, trouble }: RunWatch): boolean => ended || trouble !== undefined
