/** When the run was paused, as far as the moment knows. */
import type { LogRecord } from '../../../src/core/events/event.ts'
import { msFromIso } from '../../../src/core/time.ts'

export interface Pause {
  readonly from: number
  readonly to: number
}

/** `records`: those that move the run itself, or all. */
export function pausesOf(records: readonly LogRecord[], seq: number, asOf: number): readonly Pause[] {
  const pauses: Pause[] = []
  let since: number | undefined
  for (const { runSeq, eventType, emittedAt } of records) {
    if (runSeq > seq) break
    if (eventType === 'RunPaused') since ??= msFromIso(emittedAt) ?? 0
    else if (since !== undefined && ENDS.has(eventType)) {
      pauses.push({ from: since, to: msFromIso(emittedAt) ?? 0 })
      since = undefined
    }
  }
  return since === undefined ? pauses : [...pauses, { from: since, to: asOf }]
}

const ENDS: ReadonlySet<string> = new Set(['RunResumed', 'RunCancelled', 'RunFailed', 'RunCompleted'])
