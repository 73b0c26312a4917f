/**
 * Splits a log into the decisions that wrote it: events that share `decision {firstSeq, cause}`, each with the instant
 * and the epoch it was decided under, as far as its events show (P-14, P-27).
 */
import type { LogRecord } from '../../core/events/event.ts'
import { compensationSlot, RUN_SLOT } from '../../core/events/slot.ts'
import { slotOf } from '../../core/events/slot-of.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { locate } from '../../core/run/state/units.ts'
import { msFromIso } from '../../core/time.ts'

export interface RecordedDecision {
  readonly firstSeq: number
  readonly cause: string
  readonly now: number
  readonly records: readonly LogRecord[]
  /** Events of the same instant right before it: its append cannot be longer (P-11). */
  readonly sameInstantBefore: number
}

export function recordedDecisions(records: readonly LogRecord[]): readonly RecordedDecision[] {
  const decisions: (RecordedDecision & { readonly records: LogRecord[] })[] = []
  let sameInstant = 0
  let before: LogRecord | undefined
  for (const record of records) {
    sameInstant = before?.emittedAt === record.emittedAt ? sameInstant + 1 : 0
    const last = decisions.at(-1)
    const { firstSeq, cause } = record.decision
    if (last?.firstSeq === firstSeq && last.cause === cause) last.records.push(record)
    else {
      const now = msFromIso(record.emittedAt) ?? 0
      decisions.push({ firstSeq, cause, now, records: [record], sameInstantBefore: sameInstant })
    }
    before = record
  }
  return decisions
}

/** The slot of its key; `RUN` for events about neither a step nor a signal. */
export function recordedSlot(record: LogRecord): string {
  return slotOf(record, record.decision.firstSeq) ?? RUN_SLOT
}

/** Run-level events whose engine attempt counts restarts of the engine. */
const COUNTS_EPOCHS: ReadonlySet<string> = new Set([
  'RunQueued',
  'RunValidated',
  'RunApproved',
  'RunPaused',
  'RunResumed',
  'RunCompleted',
  'RunFailed',
  'RunCancelled',
  'RulesUpgraded',
])

/** Adoption writes no event: the epoch shows in decisions made under it. Otherwise it is the previous one. */
export function epochOf(decision: RecordedDecision, state: RunState, before: number): number {
  // Written without the plan, and without an epoch.
  if (decision.cause === 'integrity') return before
  for (const record of decision.records) {
    const told = record.payload?.['epoch']
    if (typeof told === 'number') return told
    if (COUNTS_EPOCHS.has(record.eventType)) return record.engineAttemptId
  }
  for (const record of decision.records) {
    const started = startedUnder(record, decision, state)
    if (started !== undefined) return record.engineAttemptId - 1 + started
  }
  return before
}

/** The epoch of the attempt that this event ends, if the decider itself ended it. */
function startedUnder(record: LogRecord, decision: RecordedDecision, state: RunState): number | undefined {
  const slot = recordedSlot(record)
  if (decision.cause.startsWith(`outcome:${slot}:`)) return undefined
  // The first event of a child's end is the child's own outcome; a fan-out's end after it is the decider's.
  if (decision.cause.startsWith('child:') && record === decision.records[0]) return undefined
  if (record.eventType === 'CompensationFailed') {
    const current = state.compensation?.current
    return current !== undefined && compensationSlot(current.slot) === slot ? current.epoch : undefined
  }
  if (record.eventType !== 'StepFailed' && record.eventType !== 'StepCompleted') return undefined
  return locate(state, slot)?.unit.epoch
}

export type Fields = Readonly<Record<string, unknown>>

export function payloadOf(record: LogRecord | undefined): Fields {
  return record?.payload ?? {}
}

export function ofType(records: readonly LogRecord[], eventType: string): LogRecord | undefined {
  return records.find((record) => record.eventType === eventType)
}
