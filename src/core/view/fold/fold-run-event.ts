/**
 * Run-level events on a view. The transition table decides; an event that it does not allow is ignored, marks the view
 * inconsistent and raises INVALID_TRANSITION. The one exception (PRJ-22): an end is applied from any state that is not
 * an end, and a later RunStarted fills in where and when the run began.
 */
import type { LogRecord } from '../../events/event.ts'
import { isImported } from '../../events/imported.ts'
import { vectorGet } from '../../collections/vector.ts'
import { parseStepSlot, slotNames, type StepSlot } from '../../events/slot.ts'
import { isTerminalRun, RUN_TRANSITIONS, runTransition, type RunStatus } from '../../run/state/transitions.ts'
import type { Folded } from './fold-step-event.ts'
import { artifactsOf, errorOf, eventMs, eventTime, fieldsOf, numberFrom, textOf } from './reading.ts'
import { numberOf } from './name-index.ts'
import type { ErrorView, RootCause } from './run-snapshot.ts'
import type { RunFold, RunView } from './run-view.ts'
import { alertAbout, type ViewAlert } from './view-alert.ts'

export function foldRunEvent(view: RunView, record: LogRecord): Folded {
  const { run } = view
  if (isRepeat(run, record)) return { view, alerts: [] }
  const keys = { ...run.keys, [record.eventType]: record.idempotencyKey }
  const seen = (fold: RunFold): RunView => ({ ...view, run: { ...fold, keys } })
  const target = runTransition(run.status, record.eventType) ?? startedUnapproved(run, record)
  if (target !== undefined) return { view: seen(applied(view, target, record)), alerts: [] }
  const attempted = stateAskedBy(record.eventType)
  const isEnd = attempted !== undefined && isTerminalRun(attempted)
  if (isEnd && !isTerminalRun(run.status)) {
    return { view: seen(applied(view, attempted, record)), alerts: [alert(record, run.status, attempted)] }
  }
  if (record.eventType === 'RunStarted' && run.begunMs === undefined) {
    return { view: seen(begun(run, record)), alerts: [alert(record, run.status, attempted)] }
  }
  return { view: seen({ ...run, inconsistent: true }), alerts: [alert(record, run.status, attempted)] }
}

/** Approval belongs to a planner: the log of an engine alone, which was imported, begins with its start. */
function startedUnapproved({ status }: RunFold, record: LogRecord): RunStatus | undefined {
  return status === 'PENDING' && record.eventType === 'RunStarted' && isImported(record) ? 'RUNNING' : undefined
}

/** Seen before: the same key, or a pause cycle that is over. */
function isRepeat(run: RunFold, record: LogRecord): boolean {
  if (run.keys[record.eventType] === record.idempotencyKey) return true
  const isCycle = record.eventType === 'RunPaused' || record.eventType === 'RunResumed'
  return isCycle && record.logicalAttemptId < run.pauseCycle
}

function applied(view: RunView, status: RunStatus, record: LogRecord): RunFold {
  const moved = { ...view.run, status }
  switch (record.eventType) {
    case 'RunQueued':
      return { ...moved, queued: queuedBy(record) }
    case 'RunStarted':
      return begun(moved, record)
    case 'RunPaused':
      return { ...moved, pauseCycle: record.logicalAttemptId, pausedSinceMs: eventMs(record) }
    case 'RunResumed':
      return resumed(moved, record)
    case 'RunFailed':
      return { ...ended(moved, record), rootCause: rootCauseOf(view, record) }
    case 'RunCompleted':
    case 'RunCancelled':
      return ended(moved, record)
    default:
      return moved
  }
}

function queuedBy(record: LogRecord): NonNullable<RunFold['queued']> {
  const payload = fieldsOf(record.payload)
  const notBefore = textOf(payload, 'notBefore')
  return {
    policy: payload['policy'] === 'DELAY' ? 'DELAY' : 'QUEUE',
    ...(notBefore === undefined ? {} : { notBefore }),
    autoApprove: payload['autoApprove'] === true,
  }
}

function begun(run: RunFold, record: LogRecord): RunFold {
  const payload = fieldsOf(record.payload)
  return {
    ...run,
    engine: textOf(payload, 'engineType') ?? run.engine,
    engineRunRef: textOf(payload, 'engineRunRef') ?? run.engineRunRef,
    startedAt: textOf(payload, 'startedAt') ?? eventTime(record),
    begunMs: eventMs(record),
  }
}

function resumed(run: RunFold, record: LogRecord): RunFold {
  const paused = run.pausedSinceMs === undefined ? 0 : Math.max(0, eventMs(record) - run.pausedSinceMs)
  return { ...run, pausedMs: run.pausedMs + paused, pausedSinceMs: undefined, drainTimedOut: undefined }
}

function ended(run: RunFold, record: LogRecord): RunFold {
  const payload = fieldsOf(record.payload)
  const when = textOf(payload, 'completedAt') ?? textOf(payload, 'failedAt') ?? textOf(payload, 'cancelledAt')
  return {
    ...resumed(run, record),
    completedAt: when ?? eventTime(record),
    endedMs: eventMs(record),
    artifacts: artifactsOf(payload),
  }
}

/** The run's error, with the text of the attempt that caused it where the run's own event has none. */
function rootCauseOf(view: RunView, record: LogRecord): RootCause {
  const cause = fieldsOf(fieldsOf(record.payload)['rootCause'])
  const slot = parseStepSlot(textOf(cause, 'slot') ?? '')
  const [attempt, runSeq] = [numberFrom(cause, 'attempt'), numberFrom(cause, 'runSeq')]
  const error = errorOf(record)
  const source = slot === undefined ? undefined : errorAt(view, slot, attempt)
  return {
    ...(error.message === error.code && source?.code === error.code
      ? { ...source, ...error, message: source.message }
      : error),
    ...(slot === undefined ? {} : slotNames(slot)),
    ...(attempt === undefined ? {} : { attempt }),
    ...(runSeq === undefined ? {} : { runSeq }),
  }
}

function errorAt(view: RunView, slot: StepSlot, attempt: number | undefined): ErrorView | undefined {
  const step = vectorGet(view.steps, numberOf(view.names, slot.stepId) ?? -1)
  const pair = slot.itemIndex === undefined ? step : step?.fan && vectorGet(step.fan.items, slot.itemIndex)
  const fold = slot.role === 'fallback' ? pair?.fallback : pair?.own
  return fold?.attempts.find((one) => one.attempt === attempt)?.error
}

/** The target state of an event, from a state that allows it. */
function stateAskedBy(eventType: string): RunStatus | undefined {
  return Object.values(RUN_TRANSITIONS).flatMap((row) => row[eventType] ?? [])[0]
}

function alert(record: LogRecord, prior: RunStatus, attempted: RunStatus | undefined): ViewAlert {
  const detail = `${record.eventType} came when the run was ${prior}.`
  return alertAbout(record, 'INVALID_TRANSITION', detail, { priorState: prior, attemptedState: attempted ?? '' })
}
