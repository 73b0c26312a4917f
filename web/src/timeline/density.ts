/** Many items on one row: how many were at work in each part of the time, and where one failed. */
import { msFromIso } from '../../../src/core/time.ts'
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { TimeScale } from './time-scale.ts'

export interface Bin {
  /** From 0 to 1, of the most at once. */
  readonly level: number
  readonly hasFailed: boolean
}

export const BINS = 120

export function densityOf(items: readonly StepSnapshot[], scale: TimeScale, asOf: number): readonly Bin[] {
  const counts = Array.from({ length: BINS }, () => 0)
  const failed = new Set<number>()
  const bin = (ms: number): number => Math.min(BINS - 1, Math.floor(scale.place(ms) * BINS))
  for (const { attempts } of items)
    for (const { startedAt, completedAt, status } of attempts) {
      const from = msFromIso(startedAt ?? '')
      if (from === undefined) continue
      const last = bin(msFromIso(completedAt ?? '') ?? asOf)
      for (let at = bin(from); at <= last; at += 1) counts[at] = (counts[at] ?? 0) + 1
      if (status === 'FAILED') failed.add(last)
    }
  const most = Math.max(1, ...counts)
  return counts.map((count, at) => ({ level: count / most, hasFailed: failed.has(at) }))
}
