/** Is it in the log yet? The conditions of handlers and moves in a conformance entry. */
import type { LogRecord } from '../events/event.ts'
import { stepSlotOf } from '../events/slot-of.ts'
import type { Condition } from './entry.ts'

export interface PlayedRun {
  readonly planId: string
  /** The entry itself started it, not a step or a fork. */
  readonly isRoot: boolean
  readonly records: readonly LogRecord[]
}

export function holds(condition: Condition, runs: readonly PlayedRun[]): boolean {
  const { plan, times = 1 } = condition
  const asked = runs.filter((run) => (plan === undefined ? run.isRoot : run.planId === plan))
  const count = asked.reduce((sum, run) => sum + run.records.filter((record) => fits(condition, record)).length, 0)
  return count >= times
}

function fits({ event, of, attempt }: Condition, record: LogRecord): boolean {
  if (record.eventType !== event) return false
  if (attempt !== undefined && record.logicalAttemptId !== attempt) return false
  if (of === undefined) return true
  const slot = stepSlotOf(record)
  if (slot === undefined) return false
  return (record.eventType.startsWith('Compensation') ? `COMP:${slot}` : slot) === of
}
