/**
 * The log as lines for auditors, exporters and time-window queries. A window is cut by `persistedAt`, the store's clock,
 * so that a producer with a wrong clock still lands where its event was stored (EVT-16); order is `runSeq` as everywhere.
 */
import type { ForeignRecord } from '../events/event.ts'
import { msFromIso } from '../time.ts'
import { inOrder } from './project-run.ts'

/** One line of the journal; both attempt counters stand in it (ATT-10). */
export interface JournalLine {
  readonly runId: string
  readonly runSeq: number
  readonly eventId: string
  readonly eventType: string
  readonly stepId?: string
  readonly itemIndex?: number
  readonly role?: string
  readonly logicalAttemptId: number
  readonly engineAttemptId: number
  readonly emittedBy: string
  readonly emittedAt: string
  readonly persistedAt: string
  readonly cause: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Of any version: types, fields and words this one does not know are passed on as they are (UIC-08). */
export function journalOf(records: readonly ForeignRecord[]): readonly JournalLine[] {
  return inOrder(records).map((record) => ({
    runId: record.runId,
    runSeq: record.runSeq,
    eventId: record.eventId,
    eventType: record.eventType,
    ...(record.stepId === undefined ? {} : { stepId: record.stepId }),
    ...(record.itemIndex === undefined ? {} : { itemIndex: record.itemIndex }),
    ...(record.role === undefined ? {} : { role: record.role }),
    logicalAttemptId: record.logicalAttemptId,
    engineAttemptId: record.engineAttemptId,
    emittedBy: record.emittedBy,
    emittedAt: record.emittedAt,
    persistedAt: record.persistedAt,
    cause: record.decision.cause,
    payload: record.payload ?? {},
  }))
}

/** Records stored at or after `fromMs` and before `toMs`. */
export function storedWithin(
  records: readonly ForeignRecord[],
  fromMs: number,
  toMs: number,
): readonly ForeignRecord[] {
  return records.filter((record) => {
    const stored = msFromIso(record.persistedAt) ?? Number.NaN
    return stored >= fromMs && stored < toMs
  })
}
