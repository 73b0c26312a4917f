/**
 * Ctrl-C while runs are followed. The first one lets nothing new start: what is in flight has its grace, and the runs
 * are left for `resume`. A second one cancels a single run; several are left at once. A third one, or a request to
 * terminate, always leaves.
 */
import { engineTypeOf, isOutside } from '../../../core/engine/engine-type.ts'
import { LIMITS } from '../../../core/limits.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { EarlySignals } from './early-signals.ts'
import type { Progress } from './progress.ts'
import type { RunWatch } from './run-watch.ts'
import type { DrivenWatch } from './watch-driven.ts'

/** The reason in the log; `resume` lifts a pause with it. */
export const INTERRUPTED = 'Ctrl-C'

export interface Interruptible {
  readonly watches: readonly DrivenWatch[]
  readonly progress: Progress
  readonly doorbell: { ring(): void }
  /** What the second Ctrl-C does. */
  readonly second: 'cancel' | 'leave'
  /** A server drives them, and goes on: the first Ctrl-C leaves. */
  readonly isServed?: boolean
  /** The listener during the start of the run. */
  readonly early?: EarlySignals
}

export interface Interrupts {
  /** True when the runs are to be left now. */
  readonly leave: boolean
  readonly stop: () => void
}

const GRACE_S = LIMITS.cancelGraceMs / 1000

export function listenForInterrupts(one: Interruptible): Interrupts {
  const { watches, progress, doorbell, second, isServed = false, early } = one
  let times = 0
  let isLeft = false
  let leaveAt = Infinity
  const leaving = (): void => {
    isLeft = true
    doorbell.ring()
  }
  const onInterrupt = (): void => {
    times += 1
    const busy = isServed ? [] : watches.filter(hasWork)
    if (times === 1 && busy.length > 0) {
      leaveAt = performance.now() + LIMITS.cancelGraceMs
      const next = second === 'cancel' ? 'cancels' : 'leaves at once'
      progress.note(`stopping: nothing new starts, what runs has ${GRACE_S} s; Ctrl-C again ${next}`)
      for (const watch of busy) tell(watch, 'PAUSE', leaving)
    } else if (times === 2 && second === 'cancel' && !isLeft) {
      leaveAt = Infinity
      progress.note(`cancelling, steps have ${GRACE_S} s to stop; Ctrl-C again leaves the run for later`)
      for (const watch of watches)
        tell(watch, 'CANCEL', (thrown) => {
          progress.note(`cannot be cancelled: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
        })
    } else leaving()
  }
  const tell = ({ handle }: DrivenWatch, type: 'PAUSE' | 'CANCEL', refused: (thrown: unknown) => void): void =>
    void handle.signal(type, { reason: INTERRUPTED }).then(() => doorbell.ring(), refused)
  const signals = [
    ['SIGINT', onInterrupt],
    ['SIGTERM', leaving],
    ['SIGHUP', leaving],
  ] as const
  for (const [name, react] of signals) process.on(name, react)
  const heard = early?.handOver()
  for (const [name, react] of signals) if (name === heard) react()
  return {
    get leave() {
      return isLeft || performance.now() >= leaveAt || (leaveAt < Infinity && watches.every(isDrained))
    },
    stop: () => {
      for (const [name, react] of signals) process.off(name, react)
    },
  }
}

/** Work that this command can let end: not on an outside engine, whose workers go on, and not undoing, which has no pause. */
function hasWork({ handle, view }: RunWatch): boolean {
  if (isOutside(engineTypeOf(handle.row.engineType)) || view.run.compensating || view.run.cancelling) return false
  return view.run.status === 'RUNNING' && view.tally.inFlight > 0
}

/** Paused, and nothing of it in flight any more; or over. */
function isDrained({ view }: RunWatch): boolean {
  if (isTerminalRun(view.run.status)) return true
  return view.tally.inFlight === 0 && (view.run.status === 'PAUSED' || view.run.compensating)
}
