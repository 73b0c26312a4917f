/**
 * Applies one record to a view: chooses its fold. Unknown types, and known types that change nothing people see, only
 * move the watermark (PRJ-08).
 */
import type { LogRecord } from '../../events/event.ts'
import { LIMITS } from '../../limits.ts'
import { isEventType } from '../../events/event.ts'
import { parseStepSlot } from '../../events/slot.ts'
import { compensationTransition, isTerminalRun } from '../../run/state/transitions.ts'
import { vectorGrow } from '../../collections/vector.ts'
import { foldRunEvent } from './fold-run-event.ts'
import { awaitPerson, openAttempt } from './fold-slot.ts'
import { changeSlot, changeStep, foldStepEvent, openFan, type Folded } from './fold-step-event.ts'
import { addressOf, errorOf, eventMs, eventTime, fieldsOf, numberFrom, textOf } from './reading.ts'
import type { RunView, SlotFold } from './run-view.ts'
import { momentOf } from './time-split.ts'
import { recordedAlert, refusalAlert, type ViewAlert } from './view-alert.ts'

export function foldEvent(view: RunView, record: LogRecord): Folded {
  if (!isEventType(record.eventType)) return { view, alerts: [] }
  switch (record.eventType) {
    case 'StepStarted':
    case 'StepCompleted':
    case 'StepFailed':
    case 'StepSkipped':
      return foldStepEvent(view, record)
    case 'RunQueued':
    case 'RunValidated':
    case 'RunApproved':
    case 'RunStarted':
    case 'RunPaused':
    case 'RunResumed':
    case 'RunCompleted':
    case 'RunFailed':
    case 'RunCancelled':
      return foldRunEvent(view, record)
    case 'SignalAccepted':
      return { view: foldSignal(view, record), alerts: [] }
    case 'SignalRejected':
      return { view, alerts: alertsOf(refusalAlert(record)) }
    case 'ManualTaskOpened':
      return { view: foldManualTask(view, record), alerts: [] }
    case 'FanOutExpanded':
      return { view: foldFanOut(view, record), alerts: [] }
    case 'CompensationStarted':
    case 'CompensationCompleted':
    case 'CompensationFailed':
      return { view: foldCompensation(view, record), alerts: [] }
    case 'AlertRaised':
      return { view: foldAlert(view, record), alerts: alertsOf(recordedAlert(record)) }
    case 'EngineHandoff':
      return { view: foldHandoff(view, record), alerts: [] }
    default:
      return { view, alerts: [] }
  }
}

/** A signal never changes a status by itself; an applied one announces what will happen (EVT-02). */
function foldSignal(view: RunView, record: LogRecord): RunView {
  const payload = fieldsOf(record.payload)
  if (payload['applied'] !== true || isTerminalRun(view.run.status)) return view
  switch (payload['signalType']) {
    case 'CANCEL':
    case 'EMERGENCY_STOP':
      return { ...view, run: { ...view.run, cancelling: true } }
    case 'RETRY_STEP': {
      const address = parseStepSlot(textOf(payload, 'target') ?? '')
      if (address === undefined) return view
      const at = momentOf(view.run, eventMs(record))
      return changeSlot(view, address, (slot) => openAttempt(slot, textOf(payload, 'signalId') ?? record.eventId, at))
    }
    default:
      return view
  }
}

function foldManualTask(view: RunView, record: LogRecord): RunView {
  const address = addressOf(record)
  if (address === undefined) return view
  const attempt = numberFrom(fieldsOf(record.payload), 'attempt')
  return changeSlot(view, address, (slot) => awaitPerson(slot, attempt, momentOf(view.run, eventMs(record))))
}

function foldFanOut(view: RunView, record: LogRecord): RunView {
  const address = addressOf(record)
  const count = numberFrom(fieldsOf(record.payload), 'count')
  // An impossible number of items would make every later loop over them endless.
  const usable = count !== undefined && Number.isInteger(count) && count >= 0 && count <= LIMITS.fanOutItems
  if (address === undefined || !usable) return view
  return changeStep(view, address.stepId, (step) => {
    if (step.fan?.since !== undefined) return step
    const fan = step.fan ?? openFan(0, undefined)
    const total = Math.max(fan.total, count)
    const since = momentOf(view.run, eventMs(record))
    return { ...step, fan: { ...fan, total, since, items: vectorGrow(fan.items, total) } }
  })
}

function foldCompensation(view: RunView, record: LogRecord): RunView {
  const address = addressOf(record)
  if (address === undefined) return view
  const after = changeSlot(view, address, (slot) => compensated(slot, record))
  return isTerminalRun(view.run.status) ? after : { ...after, run: { ...after.run, compensating: true } }
}

function compensated(slot: SlotFold, record: LogRecord): SlotFold {
  const before = slot.compensation
  const attempt = record.logicalAttemptId
  if (before !== undefined && attempt < before.attempt) return slot
  const isNew = before === undefined || attempt > before.attempt
  const status = compensationTransition(isNew ? 'PENDING' : before.status, record.eventType)
  if (status === undefined) return slot
  const payload = fieldsOf(record.payload)
  const started = record.eventType === 'CompensationStarted'
  return {
    ...slot,
    compensation: {
      status,
      attempt,
      startedAt: started ? (textOf(payload, 'startedAt') ?? eventTime(record)) : before?.startedAt,
      completedAt: started
        ? undefined
        : (textOf(payload, 'completedAt') ?? textOf(payload, 'failedAt') ?? eventTime(record)),
      error: record.eventType === 'CompensationFailed' ? errorOf(record) : undefined,
      retryAt: record.eventType === 'CompensationFailed' ? textOf(payload, 'retryAt') : undefined,
    },
  }
}

function alertsOf(alert: ViewAlert | undefined): readonly ViewAlert[] {
  return alert === undefined ? [] : [alert]
}

/** Two alerts change what is shown: the time of the run is over and it will fail, or a pause waits longer than it should. */
function foldAlert(view: RunView, record: LogRecord): RunView {
  const { run } = view
  const { code } = fieldsOf(record.payload)
  if (code === 'RUN_TIMEOUT') return { ...view, run: { ...run, timedOut: true } }
  if (code === 'PAUSE_DRAIN_TIMEOUT' && run.status === 'PAUSED')
    return { ...view, run: { ...run, drainTimedOut: true } }
  return view
}

function foldHandoff(view: RunView, record: LogRecord): RunView {
  const payload = fieldsOf(record.payload)
  const { run } = view
  const engine = textOf(payload, 'toEngine') ?? run.engine
  return { ...view, run: { ...run, engine, engineRunRef: textOf(payload, 'engineRunRef') ?? run.engineRunRef } }
}
