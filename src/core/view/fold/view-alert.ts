/**
 * Alerts of the views are values beside the view, never thrown and never written to the log; what the log itself
 * records as an alert is one of them. An alert about an event has the same id however often that event is folded, so
 * repeats can be dropped (PRJ-22).
 */
import { ALERTS, type Alert, type AlertCode, type AlertPriority } from '../../alerts/catalogue.ts'
import type { LogRecord } from '../../events/event.ts'

/** About a run. Its code is one of the catalogue, or that of a recorded `AlertRaised`. */
export interface ViewAlert extends Alert {
  readonly runId: string
  readonly eventId?: string
  readonly eventType?: string
  readonly persistedAt?: string
  readonly priorState?: string
  readonly attemptedState?: string
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
  code: AlertCode,
  detail: string,
  states: { readonly priorState?: string; readonly attemptedState?: string } = {},
): ViewAlert {
  return { ...aboutEvent(record, code, ALERTS[code].priority), ...states, detail }
}

/** An alert that the log records: its code and its priority are those of the event. */
export function recordedAlert(record: LogRecord): ViewAlert | undefined {
  const { code, priority, stepId } = record.payload ?? {}
  if (typeof code !== 'string' || !isPriority(priority)) return undefined
  const about = typeof stepId === 'string' ? ` about ${stepId}` : ''
  return { ...aboutEvent(record, code, priority), detail: `The log records it${about}.` }
}

/** Somebody may not do what they asked of the run (OBS-05); other refusals are no matter of rights. */
export function refusalAlert(record: LogRecord): ViewAlert | undefined {
  const { reasonCode, actorId, signalType } = record.payload ?? {}
  if (reasonCode !== 'AUTHZ_DENIED' && reasonCode !== 'AUTHZ_TENANT_FORBIDDEN') return undefined
  return alertAbout(
    record,
    'AUTHORIZATION_FAILED',
    `${String(actorId ?? 'somebody')} was refused ${String(signalType)}.`,
  )
}

/** About a run as a whole, such as numbers that are late. `about` tells it from others with the same code. */
export function runAlert(
  { runId, tenantId }: { readonly runId: string; readonly tenantId?: string | undefined },
  code: AlertCode,
  about: string,
  detail: string,
): ViewAlert {
  const alert = { alertId: `${runId}:${about}:${code}`, code, priority: ALERTS[code].priority, runId, detail }
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
