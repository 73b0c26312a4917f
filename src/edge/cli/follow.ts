/**
 * Follows runs until each has ended or stopped moving, showing what happens. Ctrl-C cancels (or, where the runs are not
 * this command's own, leaves them); a second one, or a request to terminate, leaves them for a later `resume`.
 */
import type { RunKey } from '../../ports/run-store.ts'
import type { Progress } from './output/progress.ts'
import type { RunWatch } from './run-watch.ts'

const POLL_MS = 250
const GAP_MS = 25
const TICK_MS = 100

/** Wakes the loop when the engine reports, and at the latest after POLL_MS: others' runs are only seen by looking. */
export class Doorbell {
  #ring: () => void = () => undefined
  #rung = false
  readonly #heard = new Set<RunKey>()

  /** Runs that this process has taken at least one turn for. */
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
  readonly watches: readonly RunWatch[]
  readonly progress: Progress
  readonly doorbell: Doorbell
  /** What the first Ctrl-C does. */
  readonly interrupt: 'cancel' | 'leave'
  /** True when nothing more can be expected of a run that has not ended. */
  readonly standsStill?: (watch: RunWatch) => boolean
}

export type Followed = 'ended' | 'still' | 'left'

export async function follow(following: Following): Promise<Followed> {
  const { watches, progress, doorbell, standsStill = () => false } = following
  // What waits in an inbox is seen only in this process's first turn; before it nothing can be said.
  const isStill = (watch: RunWatch): boolean => doorbell.heard.has(watch.handle.row.runKey) && standsStill(watch)
  const interrupts = listen(following)
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

/** Nothing more comes: the run has ended, or nobody may go on with it. */
const isOver = ({ ended, trouble }: RunWatch): boolean => ended || trouble !== undefined

function listen({ watches, progress, doorbell, interrupt }: Following): {
  readonly leave: boolean
  readonly stop: () => void
} {
  let asked = interrupt === 'leave'
  let leave = false
  const leaving = (): void => {
    leave = true
    doorbell.ring()
  }
  const onInterrupt = (): void => {
    if (asked) return leaving()
    asked = true
    progress.note('cancelling, steps have 5 s to stop; Ctrl-C again leaves the run for later')
    for (const { handle } of watches) {
      handle.signal('CANCEL', { reason: 'Ctrl-C' }).then(
        () => doorbell.ring(),
        (thrown: unknown) =>
          progress.note(`cannot be cancelled: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
      )
    }
  }
  const signals = [
    ['SIGINT', onInterrupt],
    ['SIGTERM', leaving],
    ['SIGHUP', leaving],
  ] as const
  for (const [name, react] of signals) process.on(name, react)
  return {
    get leave() {
      return leave
    },
    stop: () => {
      for (const [name, react] of signals) process.off(name, react)
    },
  }
}
