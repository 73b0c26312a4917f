/**
 * The log as lines for auditors, exporters and time-window queries. A window is cut by `persistedAt`, the store's
 * clock, so that an event of a producer with a wrong clock is found where it was stored (EVT-16); the order is `runSeq`
 * as everywhere.
 */
import type { LogRecord } from '../../events/event.ts'
import { msFromIso } from '../../time.ts'
import { inOrder } from '../project/project-run.ts'

/** One line of the journal, with both attempt counters (ATT-10). */
export interface JournalLine {
  readonly runId: string
  readonly runSeq: number
  readonly eventId: string
  readonly eventType: string
  readonly stepId?: string
  readonly parentStepId?: string
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

/** Of any version: unknown types, fields and words are passed on unchanged (UIC-08). */
export function journalOf(records: readonly LogRecord[]): readonly JournalLine[] {
  return inOrder(records).map((record) => ({
    runId: record.runId,
    runSeq: record.runSeq,
    eventId: record.eventId,
    eventType: record.eventType,
    ...(record.stepId === undefined ? {} : { stepId: record.stepId }),
    ...(record.parentStepId === undefined ? {} : { parentStepId: record.parentStepId }),
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
export function storedWithin(records: readonly LogRecord[], fromMs: number, toMs: number): readonly LogRecord[] {
  return records.filter((record) => {
    const stored = msFromIso(record.persistedAt) ?? Number.NaN
    return stored >= fromMs && stored < toMs
  })
}
