/** One event in words for a person who watches; undefined for an event that such a person need not see. */
import { childRunId } from '../../../app/log/derived-uuid.ts'
import { attemptOf } from '../terminal/attempt-text.ts'
import { viewOf } from '../../../core/events/event-views.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { stepSlotText } from '../../../core/events/slot.ts'
import { planStepOf, stepAbout } from '../../../core/events/slot-of.ts'
import type { PlanGraph } from '../../../core/plan/compile/graph.ts'
import { msFromIso } from '../../../core/time.ts'
import { duration, oneLine, plural, shortId, timeOfDay } from '../terminal/format.ts'
import { errorText, type Mark } from './picture.ts'

export interface Happening {
  readonly mark: Mark
  readonly text: string
}

type Fields = Readonly<Record<string, unknown>>
type ErrorFields = { readonly code: string; readonly message?: string }
type Teller = (payload: Fields, record: LogRecord, graph: PlanGraph) => Happening | undefined

export function happening(record: LogRecord, graph: PlanGraph): Happening | undefined {
  return TELLERS[record.eventType]?.(viewOf(record).payload, record, graph)
}

function slotName(record: LogRecord): string {
  const about = stepAbout(record)
  if (about === undefined) return ''
  const { role, ...own } = about
  return stepSlotText(own) + (role === undefined ? '' : ' (fallback)')
}

function attemptText(record: LogRecord, graph: PlanGraph): string {
  const { logicalAttemptId } = record
  const step = graph.steps[graph.indexOf.get(planStepOf(record) ?? '') ?? -1]
  const most = step?.retry.maxAttempts ?? 1
  return most === 1 && logicalAttemptId <= 1 ? '' : attemptOf(logicalAttemptId, most)
}

const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('  ')
const told = (mark: Mark, ...parts: readonly string[]): Happening => ({ mark, text: joined(...parts) })
const text = (value: unknown): string => (typeof value === 'string' ? oneLine(value, 200) : '')
const because = (value: unknown): string => (text(value) === '' ? '' : `"${text(value)}"`)

function took(payload: Fields): string {
  const ms = payload['durationMs']
  return typeof ms === 'number' && ms > 0 ? duration(ms) : ''
}

function errorOf(payload: Fields): string {
  return errorText(payload['error'] as ErrorFields)
}

/** Its id follows from the parent's, its slot and its attempt. */
function childText({ runId, stepId = '', logicalAttemptId }: LogRecord): string {
  return `child run ${shortId(childRunId(runId, stepId, logicalAttemptId))}`
}

/** For a fan-out the expansion is shown instead of its start, and for its items only their ends. */
const started: Teller = (payload, record, graph) => {
  const step = graph.steps[graph.indexOf.get(planStepOf(record) ?? '') ?? -1]
  if (step?.forEach !== undefined) return undefined
  const attempt = record.logicalAttemptId > 1 ? attemptText(record, graph) : ''
  const until = typeof payload['waitUntil'] === 'string' ? msFromIso(payload['waitUntil']) : undefined
  const forMs = payload['waitForMs']
  const wait =
    until === undefined
      ? typeof forMs === 'number'
        ? `waits ${duration(forMs)}`
        : ''
      : `waits until ${timeOfDay(until)}`
  const reused = payload['reusedFrom'] === undefined ? '' : 'taken over from the old run'
  const child = step !== undefined && 'plan' in step && reused === '' ? childText(record) : ''
  return told('running', slotName(record), attempt, wait, child, reused)
}

const failed: Teller = (payload, record, graph) => {
  const attempt = attemptText(record, graph)
  const retryAt = typeof payload['retryAt'] === 'string' ? msFromIso(payload['retryAt']) : undefined
  const failedAt = msFromIso(record.emittedAt) ?? 0
  const next = retryAt === undefined ? '' : `retries in ${duration(retryAt - failedAt)}`
  const fallback = payload['fallback'] === true ? 'its fallback runs next' : ''
  const handled = payload['handled'] === true ? 'the plan goes on' : ''
  return told('failed', slotName(record), took(payload), attempt, errorOf(payload), next, fallback, handled)
}

const SKIPPED_FOR: Readonly<Record<string, string>> = {
  CONDITION_FALSE: 'its condition is false',
  DEPENDENCY_FAILED: 'a step it needs failed',
  DEPENDENCY_SKIPPED: 'a step it needs was skipped',
}

const skipped: Teller = (payload, record) => {
  const why = SKIPPED_FOR[String(payload['reasonCode'])] ?? text(payload['reason'])
  return told('skipped', slotName(record), `skipped: ${why}`)
}

const TELLERS: Readonly<Record<string, Teller>> = {
  RunQueued: () => told('waiting', 'the run is queued'),
  StepStarted: started,
  StepCompleted: (payload, record, graph) =>
    told('done', slotName(record), took(payload), record.logicalAttemptId > 1 ? attemptText(record, graph) : ''),
  StepFailed: failed,
  StepSkipped: skipped,
  FanOutExpanded: (payload, record) => told('running', slotName(record), plural(Number(payload['count']), 'item')),
  ManualTaskOpened: (_payload, record) =>
    told('waiting', slotName(record), 'waits for a person', `keelson tasks ${shortId(record.runId)}`),
  SignalAccepted: (payload) =>
    payload['applied'] === true ? undefined : told('waiting', `${text(payload['signalType'])} changed nothing`),
  SignalRejected: (payload) =>
    told('failed', `${text(payload['signalType'])} refused`, text(payload['reasonCode']), text(payload['reason'])),
  RunPaused: (payload) => told('waiting', 'paused', because(payload['reason'])),
  RunResumed: (payload) => told('running', 'resumed', because(payload['reason'])),
  CompensationStarted: (_payload, record) => told('running', `undoing ${slotName(record)}`),
  CompensationCompleted: (_payload, record) => told('undone', `${slotName(record)} undone`),
  CompensationFailed: (payload, record) =>
    told(
      'failed',
      payload['final'] === true ? `${slotName(record)} could not be undone` : `undoing ${slotName(record)} failed`,
      errorOf(payload),
      payload['final'] === true ? '' : 'it is tried again',
    ),
  AlertRaised: (payload) => told('failed', `alert ${text(payload['priority'])}`, text(payload['code'])),
  LateOutcomeRecorded: ({ compensation }, record) => {
    const what = compensation === true ? 'a late result of undoing it' : 'a late result'
    return told('waiting', slotName(record), `${what} came and was only noted`)
  },
}
