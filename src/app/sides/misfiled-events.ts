/**
 * Columns of an event that the chain does not cover: the slot that it ends, and the time when it was stored. The slot follows
 * from the record; the events of one decision were stored at the same time.
 */
import type { LogRecord } from '../../core/events/event.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { altered, type EvidenceFinding } from './finding.ts'
import { recordedSlot } from '../rederive/recorded-decision.ts'

const ENDS_A_SLOT: ReadonlySet<string> = new Set(['StepCompleted', 'StepFailed', 'StepSkipped'])

export function misfiledEvents(
  events: readonly StoredEvent[],
  records: readonly LogRecord[],
): readonly EvidenceFinding[] {
  const findings: EvidenceFinding[] = []
  for (const [index, record] of records.entries()) {
    const stored = events[index]
    const before = records[index - 1]
    if (stored === undefined) continue
    const slot = ENDS_A_SLOT.has(record.eventType) ? `${recordedSlot(record)}#${record.logicalAttemptId}` : undefined
    const { runSeq } = record
    if (stored.terminalSlot !== slot)
      findings.push(
        altered(
          `event ${runSeq} is stored as the end of ${stored.terminalSlot ?? 'nothing'}, not of ${slot ?? 'nothing'}`,
          runSeq,
        ),
      )
    const isSame = before !== undefined && isSameDecision(before, record)
    if (isSame && stored.persistedAt !== events[index - 1]?.persistedAt)
      findings.push(
        altered(`event ${runSeq} was not stored with the event before, which the same decision made`, runSeq),
      )
  }
  return findings
}

function isSameDecision({ decision: one }: LogRecord, { decision: other }: LogRecord): boolean {
  return one.firstSeq === other.firstSeq && one.cause === other.cause
}
