/** Is it in the log yet? What gates of handlers and moves of a conformance entry wait for. */
import type { ForeignRecord } from '../events/event.ts'
import { stepSlotText } from '../events/slot.ts'
import type { Condition } from './entry.ts'

export interface PlayedRun {
  readonly planId: string
  /** It was started by the entry itself, not by a step or as a fork. */
  readonly isRoot: boolean
  readonly records: readonly ForeignRecord[]
}

export function holds(condition: Condition, runs: readonly PlayedRun[]): boolean {
  const { plan, times = 1 } = condition
  const asked = runs.filter((run) => (plan === undefined ? run.isRoot : run.planId === plan))
  const count = asked.reduce((sum, run) => sum + run.records.filter((record) => fits(condition, record)).length, 0)
  return count >= times
}

function fits({ event, of, attempt }: Condition, record: ForeignRecord): boolean {
  if (record.eventType !== event) return false
  if (attempt !== undefined && record.logicalAttemptId !== attempt) return false
  if (of === undefined) return true
  if (record.stepId === undefined) return false
  const slot = stepSlotText({ ...record, stepId: record.stepId })
  return (record.eventType.startsWith('Compensation') ? `COMP:${slot}` : slot) === of
}
