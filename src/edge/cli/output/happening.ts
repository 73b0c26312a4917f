/** One event in the words of a person watching; undefined for what such a person need not see. */
import { viewOf } from '../../../core/events/event-views.ts'
import type { ForeignRecord } from '../../../core/events/event.ts'
import { stepSlotText } from '../../../core/events/slot.ts'
import type { PlanGraph } from '../../../core/plan/graph.ts'
import { msFromIso } from '../../../core/time.ts'
import { duration, oneLine, plural, shortId, timeOfDay } from './format.ts'
import { errorText, type Mark } from './picture.ts'

export interface Happening {
  readonly mark: Mark
  readonly text: string
}

type Fields = Readonly<Record<string, unknown>>
type ErrorFields = { readonly code: string; readonly message?: string }
type Teller = (payload: Fields, record: ForeignRecord, graph: PlanGraph) => Happening | undefined

export function happening(record: ForeignRecord, graph: PlanGraph): Happening | undefined {
  return TELLERS[record.eventType]?.(viewOf(record).payload, record, graph)
}

function slotName({ stepId, itemIndex, role }: ForeignRecord): string {
  if (stepId === undefined) return ''
  return (
    stepSlotText({ stepId, ...(itemIndex === undefined ? {} : { itemIndex }) }) +
    (role === undefined ? '' : ' (fallback)')
  )
}

function attemptText({ stepId, logicalAttemptId }: ForeignRecord, graph: PlanGraph): string {
  const step = graph.steps[graph.indexOf.get(stepId ?? '') ?? -1]
  const most = Math.max(logicalAttemptId, step?.retry.maxAttempts ?? 1)
  return most === 1 ? '' : `attempt ${logicalAttemptId} of ${most}`
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

/** Of a fan-out the expansion is told instead of its start, and of its items only how they end. */
const started: Teller = (payload, record, graph) => {
  const step = graph.steps[graph.indexOf.get(record.stepId ?? '') ?? -1]
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
  return told('running', slotName(record), attempt, wait, reused)
}

const failed: Teller = (payload, record, graph) => {
  const attempt = attemptText(record, graph)
  const retryAt = typeof payload['retryAt'] === 'string' ? msFromIso(payload['retryAt']) : undefined
  const failedAt = msFromIso(record.emittedAt) ?? 0
  const next = retryAt === undefined ? '' : `retries in ${duration(retryAt - failedAt)}`
  const fallback = payload['fallback'] === true ? 'its fallback runs next' : ''
  return told('failed', slotName(record), took(payload), attempt, errorOf(payload), next, fallback)
}

const skipped: Teller = (payload, record) => {
  const why =
    payload['reasonCode'] === 'CONDITION_FALSE'
      ? 'its condition is false'
      : payload['reasonCode'] === 'DEPENDENCY_FAILED'
        ? 'a step it needs failed'
        : text(payload['reason'])
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
