/**
 * A stored event in the forms that other programs read: the flat contract (S0), the nested contract (S1), and CloudEvents 1.0. All
 * are views: nothing here is stored, and `log import` reads each of them back.
 */
import { isEventType, type LogRecord } from './event.ts'
import { flatErrorOf, flatViewOf, viewOf } from './event-views.ts'

export const EVENT_FORMS = ['s0', 's1', 'cloudevents'] as const
export type EventForm = (typeof EVENT_FORMS)[number]

export type FormedEvent = Readonly<Record<string, unknown>>

export function eventAs(form: EventForm, record: LogRecord): FormedEvent {
  switch (form) {
    case 's0':
      return flatViewOf(record)
    case 's1':
      return nestedViewOf(record)
    case 'cloudevents':
      return cloudEventOf(record)
  }
}

/** Its event time is required, and an error stands in the payload under names of its own (EVT-20, X-01). */
function nestedViewOf(record: LogRecord): FormedEvent {
  const { payload, decision: _decision, chainHash: _chainHash, ...envelope } = viewOf(record)
  const { error: _error, ...others } = payload
  const error = flatErrorOf(record)
  return {
    ...envelope,
    occurredAt: record.occurredAt ?? record.emittedAt,
    payload: error === undefined ? payload : { ...others, ...error },
  }
}

const SEQUENCE_DIGITS = 10

/** `sequence` sorts as text, and `partitionkey` keeps the events of a run together, as their extensions of CloudEvents ask. */
function cloudEventOf(record: LogRecord): FormedEvent {
  const { eventType, eventId, tenantId, runId, runSeq, stepId, emittedAt } = record
  return {
    specversion: '1.0',
    id: eventId,
    source: `/keelson/${encodeURIComponent(tenantId)}/runs/${encodeURIComponent(runId)}`,
    type: `keelson.${eventType}`,
    ...(stepId === undefined ? {} : { subject: stepId }),
    time: emittedAt,
    datacontenttype: 'application/json',
    ...(isEventType(eventType) ? { dataschema: `urn:keelson:event:${eventType}:record:v1` } : {}),
    sequence: String(runSeq).padStart(SEQUENCE_DIGITS, '0'),
    partitionkey: runId,
    data: viewOf(record),
  }
}
