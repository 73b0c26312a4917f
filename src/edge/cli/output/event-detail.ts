/** The short detail of one event in a list: what a reader of the log wants to know first. */
import { viewOf } from '../../../core/events/event-views.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { duration, shortId } from '../terminal/format.ts'
import { errorText, type ToldError } from '../progress/picture.ts'

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
const quoted = (value: unknown): string => (text(value) === '' ? '' : `"${text(value)}"`)
const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('  ')
const took = (payload: Fields): string =>
  typeof payload['durationMs'] === 'number' ? duration(payload['durationMs']) : ''

function failure(payload: Fields): string {
  const error = payload['error'] as ToldError | undefined
  return error === undefined ? '' : errorText(error)
}

function signal(payload: Fields): string {
  const by = text(payload['actorId'])
  return joined(
    text(payload['signalType']),
    by === '' ? '' : `by ${by}`,
    text(payload['reasonCode']),
    quoted(payload['reason']),
  )
}

const DETAILS: Readonly<Record<string, (payload: Fields) => string>> = {
  RunApproved: (payload) => joined(text(payload['approvedBy']), json(payload['input'])),
  RunStarted: (payload) =>
    joined(
      text(payload['engineRunRef']).split('://')[0] ?? '',
      text(payload['originalRunId']) === '' ? '' : `from ${shortId(text(payload['originalRunId']))}`,
      text(payload['compensationOf']) === '' ? '' : `undoes ${shortId(text(payload['compensationOf']))}`,
    ),
  StepStarted: (payload) =>
    joined(
      text(payload['waitUntil']),
      text(payload['forEvent']) === '' ? '' : `waits for ${text(payload['forEvent'])}`,
      payload['reusedFrom'] === undefined ? '' : 'taken over',
    ),
  StepCompleted: (payload) => joined(took(payload), text(payload['actorId']), json(payload['result'])),
  StepFailed: (payload) =>
    joined(
      took(payload),
      failure(payload),
      text(payload['retryAt']) === '' ? '' : `retry at ${text(payload['retryAt']).slice(11, 23)}`,
    ),
  StepSkipped: (payload) => joined(text(payload['reasonCode']), quoted(payload['reason'])),
  FanOutExpanded: (payload) => `${String(payload['count'])} items`,
  SignalAccepted: (payload) => joined(signal(payload), payload['applied'] === false ? 'changed nothing' : ''),
  SignalRejected: signal,
  RunPaused: (payload) => quoted(payload['reason']),
  RunResumed: (payload) => quoted(payload['reason']),
  RunCompleted: (payload) => json(payload['output']),
  RunFailed: failure,
  RunCancelled: (payload) => joined(text(payload['cause']), quoted(payload['reason'])),
  CompensationFailed: failure,
  AlertRaised: (payload) => joined(text(payload['priority']), text(payload['code'])),
  RunForked: (payload) => `into ${shortId(text(payload['newRunId']))}`,
}

export function eventDetail(record: LogRecord): string {
  return DETAILS[record.eventType]?.(viewOf(record).payload) ?? ''
}
