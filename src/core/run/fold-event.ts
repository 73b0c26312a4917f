/**
 * The part of an event that the fold reads. Records from a store and drafts of a decision are both reduced to it, so that a
 * decision folds its own drafts exactly as any later reader folds the log.
 */
import type { LogRecord } from '../events/event.ts'
import { compensationSlot, innerStepSlot, stepSlotText, RUN_SLOT } from '../events/slot.ts'
import { stepSlotOf } from '../events/slot-of.ts'
import { msFromIso } from '../time.ts'
import type { Draft } from './draft.ts'

export interface FoldEvent {
  readonly runSeq: number
  readonly eventType: string
  /** Step slot (`a`, `a[3]`, `FALLBACK:a`), `COMP:…` for compensation, else `RUN`. */
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  /** Index of the plain step the slot names, when the decision that wrote it knows: it spares a look-up. */
  readonly step?: number | undefined
  /** emittedAt, epoch milliseconds. */
  readonly at: number
  readonly payload: Readonly<Record<string, unknown>>
}

export function foldEventOfDraft(draft: Draft, runSeq: number, at: number, step?: number): FoldEvent {
  return {
    runSeq,
    step,
    eventType: draft.eventType,
    slot: step === undefined ? foldSlot(draft.slot) : draft.slot,
    attempt: draft.attempt,
    engineAttempt: draft.engineAttempt ?? 1,
    at,
    payload: draft.payload as Readonly<Record<string, unknown>>,
  }
}

export function foldEventOfRecord(record: LogRecord): FoldEvent {
  return {
    runSeq: record.runSeq,
    step: undefined,
    eventType: record.eventType,
    slot: slotOfRecord(record),
    attempt: record.logicalAttemptId,
    engineAttempt: record.engineAttemptId,
    at: msFromIso(record.emittedAt) ?? 0,
    payload: record.payload ?? {},
  }
}

/** A record tells only which step it is about, so a draft's longer slot is reduced to the same text. */
function foldSlot(slot: string): string {
  const colon = slot.indexOf(':')
  if (colon < 0 || slot.startsWith('FALLBACK:') || slot.startsWith('COMP:')) return slot
  const inner = innerStepSlot(slot)
  return inner === undefined ? RUN_SLOT : stepSlotText(inner)
}

/** The slot a record's key was made from, as far as the fold needs it. */
function slotOfRecord(record: LogRecord): string {
  const text = stepSlotOf(record)
  if (text === undefined) return RUN_SLOT
  return record.eventType.startsWith('Compensation') ? compensationSlot(text) : text
}
