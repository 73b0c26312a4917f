/**
 * Alerts of the views are values beside the view, never thrown and never written to the log. An alert about an event
 * has the same id however often that event is folded, so repeats can be dropped (PRJ-22).
 */
import type { LogRecord } from '../../events/event.ts'

export const ALERT_PRIORITIES = {
  PROJECTOR_CAUSAL_VIOLATION: 'P3',
  PROJECTOR_LAG_HIGH: 'P2',
  PROJECTOR_NON_CONTIGUOUS_FETCH_DETECTED: 'P2',
  INVALID_TRANSITION: 'P2',
  CLOCK_SKEW: 'P3',
} as const

export type ViewAlertCode = keyof typeof ALERT_PRIORITIES

export interface ViewAlert {
  readonly alertId: string
  readonly code: ViewAlertCode
  readonly priority: 'P1' | 'P2' | 'P3'
  readonly runId: string
  readonly tenantId?: string
  readonly eventId?: string
  readonly eventType?: string
  readonly runSeq?: number
  readonly persistedAt?: string
  readonly priorState?: string
  readonly attemptedState?: string
  readonly detail: string
}

/** Something unusual that a reader tolerates: a later version's event, or a payload that does not fit its type. */
export interface ConsumerNote {
  readonly kind: 'UNKNOWN_EVENT_TYPE' | 'MALFORMED_PAYLOAD'
  readonly runId: string
  readonly eventId: string
  readonly eventType: string
  readonly runSeq: number
  readonly detail: string
}

export function alertAbout(
  record: LogRecord,
  code: ViewAlertCode,
  detail: string,
  states: { readonly priorState?: string; readonly attemptedState?: string } = {},
): ViewAlert {
  return {
    alertId: `${record.runId}:${record.eventId}:${code}`,
    code,
    priority: ALERT_PRIORITIES[code],
    runId: record.runId,
    tenantId: record.tenantId,
    eventId: record.eventId,
    eventType: record.eventType,
    runSeq: record.runSeq,
    persistedAt: record.persistedAt,
    ...states,
    detail,
  }
}

export function noteAbout(record: LogRecord, kind: ConsumerNote['kind'], detail: string): ConsumerNote {
  const { runId, eventId, eventType, runSeq } = record
  return { kind, runId, eventId, eventType, runSeq, detail }
}
