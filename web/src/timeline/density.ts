/** Many items on one row: how many were at work in each part of the time, and where one failed. */
import { vectorGet } from '../../../src/core/collections/vector.ts'
import { numberOf } from '../../../src/core/view/fold/name-index.ts'
import type { AttemptFold, FanFold, RunView } from '../../../src/core/view/fold/run-view.ts'
import type { TimeScale } from './time-scale.ts'

export interface Bin {
  /** From 0 to 1, of the most at once. */
  readonly level: number
  readonly hasFailed: boolean
}

export const BINS = 120

/** Read from the fold itself: a snapshot of each of many items would cost more than a move of the cursor may. */
export function densityOf(view: RunView, stepId: string, scale: TimeScale, asOf: number): readonly Bin[] {
  const fan = vectorGet(view.steps, numberOf(view.names, stepId) ?? -1)?.fan
  /** By how many more are at work in a part than in the one before: an attempt changes two of them, however long it took. */
  const changes = Array.from({ length: BINS + 1 }, () => 0)
  const failed = new Set<number>()
  const bin = (ms: number): number => Math.min(BINS - 1, Math.floor(scale.place(ms) * BINS))
  const total = fan?.total ?? 0
  for (let item = 0; item < total; item += 1)
    for (const { begunMs, endedMs, status } of attemptsOf(fan, item)) {
      if (begunMs === undefined || begunMs > scale.to || (endedMs ?? asOf) < scale.from) continue
      const [first, last] = [bin(begunMs), bin(endedMs ?? asOf)]
      if (last < first) continue
      changes[first] = (changes[first] ?? 0) + 1
      changes[last + 1] = (changes[last + 1] ?? 0) - 1
      if (status === 'FAILED') failed.add(last)
    }
  let atWork = 0
  const counts = changes.slice(0, BINS).map((change) => (atWork += change))
  const most = Math.max(1, ...counts)
  return counts.map((count, at) => ({ level: count / most, hasFailed: failed.has(at) }))
}

function attemptsOf(fan: FanFold | undefined, item: number): readonly AttemptFold[] {
  return (fan === undefined ? undefined : vectorGet(fan.items, item))?.own.attempts ?? []
}
