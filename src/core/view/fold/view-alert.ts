/**
 * Alerts of the views are values beside the view, never thrown and never written to the log; what the log itself
 * records as an alert is one of them. An alert about an event has the same id however often that event is folded, so
 * repeats can be dropped (PRJ-22).
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
export type AlertPriority = 'P1' | 'P2' | 'P3'

export interface ViewAlert {
  readonly alertId: string
  /** One of `ALERT_PRIORITIES`, or that of a recorded `AlertRaised`. */
  readonly code: string
  readonly priority: AlertPriority
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
  return { ...aboutEvent(record, code, ALERT_PRIORITIES[code]), ...states, detail }
}

/** An alert that the log records: its code and its priority are those of the event. */
export function recordedAlert(record: LogRecord): ViewAlert | undefined {
  const { code, priority, stepId } = record.payload ?? {}
  if (typeof code !== 'string' || !isPriority(priority)) return undefined
  const about = typeof stepId === 'string' ? ` about ${stepId}` : ''
  return { ...aboutEvent(record, code, priority), detail: `The log records it${about}.` }
}

/** About a run as a whole, such as numbers that are late. `about` tells it from others with the same code. */
export function runAlert(
  { runId, tenantId }: { readonly runId: string; readonly tenantId?: string | undefined },
  code: ViewAlertCode,
  about: string,
  detail: string,
): ViewAlert {
  const alert = { alertId: `${runId}:${about}:${code}`, code, priority: ALERT_PRIORITIES[code], runId, detail }
  return tenantId === undefined ? alert : { ...alert, tenantId }
}

function isPriority(value: unknown): value is AlertPriority {
  return value === 'P1' || value === 'P2' || value === 'P3'
}

function aboutEvent(record: LogRecord, code: string, priority: AlertPriority): Omit<ViewAlert, 'detail'> {
  const { runId, tenantId, eventId, eventType, runSeq, persistedAt } = record
  return {
    alertId: `${runId}:${eventId}:${code}`,
    code,
    priority,
    runId,
    tenantId,
    eventId,
    eventType,
    runSeq,
    persistedAt,
  }
}

export function noteAbout(record: LogRecord, kind: ConsumerNote['kind'], detail: string): ConsumerNote {
  const { runId, eventId, eventType, runSeq } = record
  return { kind, runId, eventId, eventType, runSeq, detail }
}
