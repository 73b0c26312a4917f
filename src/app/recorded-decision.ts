/**
 * A log cut into the decisions that wrote it: events that share `decision {firstSeq, cause}`, each with the instant and
 * the epoch it was decided under, as far as its events tell (P-14, P-27).
 */
import type { ForeignRecord } from '../core/events/event.ts'
import { compensationSlot, RUN_SLOT } from '../core/events/slot.ts'
import { slotOf } from '../core/events/slot-of.ts'
import type { RunState } from '../core/run/state.ts'
import { locate } from '../core/run/units.ts'
import { msFromIso } from '../core/time.ts'

export interface RecordedDecision {
  readonly firstSeq: number
  readonly cause: string
  readonly now: number
  readonly records: readonly ForeignRecord[]
  /** Events of the same instant right before it: no append it stands in can be longer (P-11). */
  readonly sameInstantBefore: number
}

export function recordedDecisions(records: readonly ForeignRecord[]): readonly RecordedDecision[] {
  const decisions: (RecordedDecision & { readonly records: ForeignRecord[] })[] = []
  let sameInstant = 0
  let before: ForeignRecord | undefined
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

/** The slot its key was made from; `RUN` for what is not about a step or signal. */
export function recordedSlot(record: ForeignRecord): string {
  return slotOf(record, record.decision.firstSeq) ?? RUN_SLOT
}

/** Data was there when the event was written and is gone: erased, or lost, which the chain's own check tells apart. */
export function isErased(record: ForeignRecord): boolean {
  return record.dataHash !== undefined && record.data === undefined
}

/** Run-level events that count restarts of the engine as their engine attempt. */
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

/** Adoption leaves no event of its own: the epoch shows in what was decided under it. Else it is the one before. */
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

/** The epoch of the attempt that this event ends, where the decider itself ended it. */
function startedUnder(record: ForeignRecord, decision: RecordedDecision, state: RunState): number | undefined {
  const slot = recordedSlot(record)
  if (decision.cause.startsWith(`outcome:${slot}:`)) return undefined
  // Of what a child's end decided, the first is its own outcome; a fan-out's end after it is the decider's.
  if (decision.cause.startsWith('child:') && record === decision.records[0]) return undefined
  if (record.eventType === 'CompensationFailed') {
    const current = state.undo?.current
    return current !== undefined && compensationSlot(current.slot) === slot ? current.epoch : undefined
  }
  if (record.eventType !== 'StepFailed' && record.eventType !== 'StepCompleted') return undefined
  return locate(state, slot)?.unit.epoch
}
