/** The short detail of one event in the list: what a reader of the log wants to know first. */
import { viewOf } from '../../../src/core/events/event-views.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { duration, shortId } from '../shown/words.ts'

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
const quoted = (value: unknown): string => (text(value) === '' ? '' : `"${text(value)}"`)
const by = (value: unknown): string => (text(value) === '' ? '' : `by ${text(value)}`)
const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('  ')
const took = ({ durationMs }: Fields): string => (typeof durationMs === 'number' ? duration(durationMs) : '')

function failure({ error }: Fields): string {
  const { code, message } = (error ?? {}) as Fields
  return joined(text(code), text(message))
}

function signal({ signalType, actorId, reasonCode, reason }: Fields): string {
  return joined(text(signalType), by(actorId), text(reasonCode), quoted(reason))
}

const LINES: Readonly<Record<string, (payload: Fields) => string>> = {
  RunQueued: ({ policy }) => text(policy),
  RunApproved: ({ approvedBy }) => by(approvedBy),
  RunStarted: ({ originalRunId }) => (text(originalRunId) === '' ? '' : `from ${shortId(text(originalRunId))}`),
  StepStarted: ({ waitUntil, waitForMs, forEvent }) =>
    joined(
      text(waitUntil) === '' ? '' : `waits until ${text(waitUntil)}`,
      typeof waitForMs === 'number' ? `waits ${duration(waitForMs)}` : '',
      text(forEvent) === '' ? '' : `waits for ${text(forEvent)}`,
    ),
  StepCompleted: (payload) => joined(took(payload), by(payload['actorId']), json(payload['result'])),
  StepFailed: (payload) => joined(took(payload), failure(payload)),
  StepSkipped: ({ reasonCode, reason }) => joined(text(reasonCode), quoted(reason)),
  FanOutExpanded: ({ count }) => `${String(count)} items`,
  SignalAccepted: (payload) => joined(signal(payload), payload['applied'] === false ? 'changed nothing' : ''),
  SignalRejected: signal,
  RunPaused: ({ reason }) => quoted(reason),
  RunResumed: ({ reason }) => quoted(reason),
  RunCompleted: ({ output }) => json(output),
  RunFailed: failure,
  RunCancelled: ({ cause, reason }) => joined(text(cause), quoted(reason)),
  CompensationFailed: failure,
  AlertRaised: ({ priority, code }) => joined(text(priority), text(code)),
  RunForked: ({ newRunId }) => `into ${shortId(text(newRunId))}`,
}

const LONGEST = 300

export function eventLine(record: LogRecord): string {
  return (LINES[record.eventType]?.(viewOf(record).payload) ?? '').slice(0, LONGEST)
}
