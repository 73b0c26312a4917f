/**
 * The rules of run events and signals: pause cycles, cancelling, ends with nothing open, and that what an
 * accepted signal asked for is all that it changes.
 */
import type { RunModel } from './oracle-model.ts'
import type { Rule } from './oracle-walk.ts'
import { GRACE_MS, isEnd, type LogEvent } from './oracle-tables.ts'

const runQueued: Rule = ({ model }, event) => {
  if (event.payload['notBefore'] !== undefined) model.notBefore = Date.parse(String(event.payload['notBefore']))
  model.asksNobody = event.payload['autoApprove'] === true
}

const runStarted: Rule = ({ model, must }, event) => {
  must(event.at >= model.notBefore, 'BPQ-04 started before its time')
  model.limit = Math.min(model.plan.policy.concurrency, Number(event.payload['maxInFlight']))
  const { runTimeoutMs } = model.plan.policy
  model.undoes = event.payload['compensationOf'] !== undefined
  if (runTimeoutMs !== undefined && !model.undoes) model.runTimeoutAt = event.at + runTimeoutMs
}

const runPaused: Rule = ({ model, must }, event) => {
  must(event.attempt === model.pauseCycle + 1, `X-06 pause cycle ${event.attempt} after ${model.pauseCycle}`)
  must(model.cancelling === undefined && !model.undoStarted && !model.undoes, 'RSM paused while the run is ending')
  model.pauseCycle = event.attempt
  model.pausedAt = event.at
}

const runResumed: Rule = ({ model, must }, event) => {
  must(event.attempt === model.pauseCycle, `X-06 resumes cycle ${event.attempt} of ${model.pauseCycle}`)
  model.pausedMs += event.at - model.pausedAt
  model.pausedAt = -1
  model.drainTold = false
}

function openNames(model: RunModel): string {
  return [...model.open()].map(({ slot }) => slot.name).join(', ')
}

/** Everything that can be undone was tried, and the summary says how it went. */
function checkUndone(model: RunModel, event: LogEvent, must: (holds: boolean, what: string) => void): void {
  const left = model.completions.filter((name) => model.canBeUndone(name))
  must(left.length === 0 || model.cancelling?.stop === true, `CMP-03 ended without undoing ${left.join(', ')}`)
  const summary = event.payload['compensation'] as { done: number; failed: number } | undefined
  must(
    (summary?.done ?? 0) === model.undone.done && (summary?.failed ?? 0) === model.undone.failed,
    'CMP-09 the summary does not count right',
  )
}

const runCompleted: Rule = ({ model, must }, event) => {
  must(openNames(model) === '', `X-57 completed while ${openNames(model)} is open`)
  if (model.undoes) {
    must(model.undone.failed === 0 && model.undo === undefined, 'CMP completed though something was not undone')
    checkUndone(model, event, must)
    return
  }
  const missing = model.order.filter((stepId) => model.standing(stepId) !== 'ok')
  must(missing.length === 0, `I5 completed without ${missing.join(', ')}`)
  must(model.cancelling === undefined && !model.isFailing(), 'I5 completed while stopping')
}

const runFailed: Rule = ({ model, must }, event) => {
  must(openNames(model) === '', `X-57 failed while ${openNames(model)} is open`)
  const isGivenUp = model.cancelling?.undo === true || model.cancelling?.cut === true
  must(!isGivenUp, 'ADR 0011 failed though it was given up to be undone')
  if (model.phase !== 'RUNNING') return
  if (model.undoes) {
    must(model.undone.failed > 0 || model.cancelling !== undefined, 'CMP failed though everything was undone')
    checkUndone(model, event, must)
    return
  }
  const error = event.payload['error'] as { code: string; errorClass: string }
  const allDone = model.order.every((stepId) => model.standing(stepId) === 'ok')
  // An output mapping that cannot be evaluated fails a run whose steps all succeeded.
  if (allDone && error.errorClass === 'validation') return
  must(model.failedSteps().length > 0 || model.timedOutAt >= 0, 'I5 failed without a failure')
  must(!model.isHeld() || model.cancelling !== undefined, 'I5 failed by itself though it is held')
  must(model.undo === undefined || model.cancelling !== undefined, 'CMP failed while undoing')
  checkUndone(model, event, must)
}

const runCancelled: Rule = ({ model, must }, event) => {
  must(openNames(model) === '', `X-57 cancelled while ${openNames(model)} is open`)
  must(model.cancelling !== undefined, 'I5 cancelled though nobody asked')
  if (model.cancelling?.undo === true || model.cancelling?.cut === true) return checkUndone(model, event, must)
  must(!model.undoStarted, 'X-76 cancelled though undoing had begun')
  must(event.payload['compensation'] === undefined, 'X-76 says what was undone though nobody asked for it')
}

/** What may still be accepted once a run has ended. */
const AFTER_THE_END = ['RETRY_RUN', 'ESCALATE_ALERT']

const signalAccepted: Rule = ({ model, must }, event) => {
  const { payload } = event
  const type = String(payload['signalType'])
  const id = String(payload['signalId'])
  const applied = payload['applied'] === true
  const target = payload['target'] as string | undefined
  must(!model.signals.has(id), 'SIG-15 decided twice')
  must(!isEnd(model.phase) || AFTER_THE_END.includes(type), `SIG-05 ${type} accepted after the end`)
  model.signals.set(id, { type, applied, target })
  if (!applied) return
  model.follows = { PAUSE: 'RunPaused', RESUME: 'RunResumed', SKIP_STEP: 'StepSkipped' }[type]
  const isGivenUp = model.cancelling !== undefined || model.undoStarted || model.undoes
  must(type !== 'CANCEL' || !isGivenUp, 'SIG-16 applied though the run is being given up or undone')
  if (type === 'CANCEL' || type === 'EMERGENCY_STOP') {
    model.cancelling = {
      graceUntil: Date.parse(String(payload['graceUntil'])),
      stop: type === 'EMERGENCY_STOP',
      undo: payload['undo'] === true,
      cut: type === 'EMERGENCY_STOP' && (model.cancelling?.undo === true || model.cancelling?.cut === true),
    }
    must(
      model.cancelling.graceUntil === event.at + (type === 'CANCEL' ? GRACE_MS : 0),
      'CAN another grace than the rule',
    )
  }
  if (type !== 'RETRY_STEP') return
  const slot = model.slot(target ?? '')
  must(
    slot !== undefined && model.standing(slot.name) === 'failed',
    `SIG-12 retries a step that is ${slot === undefined ? 'unknown' : model.standing(slot.name)}`,
  )
  if (slot === undefined) return
  slot.reopenedAt = slot.attempts.length
  slot.reopened += 1
}

const signalRejected: Rule = ({ model, must }, event) => {
  const id = String(event.payload['signalId'])
  must(!model.signals.has(id), 'SIG-15 decided twice')
  model.signals.set(id, { type: String(event.payload['signalType']), applied: false, target: undefined })
}

const alertRaised: Rule = ({ model, must }, event) => {
  if (event.payload['code'] === 'PAUSE_DRAIN_TIMEOUT') {
    must(model.drainDue() !== undefined && event.at >= (model.drainDue() ?? 0), 'CON-05 told of before its time')
    must(event.payload['priority'] === 'P2', 'X-95 another priority')
    model.drainTold = true
  }
  if (event.payload['code'] !== 'RUN_TIMEOUT') return
  must(
    model.phase === 'RUNNING' && model.runTimeoutAt >= 0 && event.at >= model.runTimeoutAt,
    'RTO timed out before its time',
  )
  model.timedOutAt = event.at
}

export const runRules: Readonly<Record<string, Rule>> = {
  RunQueued: runQueued,
  RunStarted: runStarted,
  RunPaused: runPaused,
  RunResumed: runResumed,
  RunCompleted: runCompleted,
  RunFailed: runFailed,
  RunCancelled: runCancelled,
  SignalAccepted: signalAccepted,
  SignalRejected: signalRejected,
  AlertRaised: alertRaised,
}
