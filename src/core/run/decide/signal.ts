/**
 * Signals: each first-seen one adds exactly one SignalAccepted or SignalRejected, then what it causes (SIG-15).
 * The state rules of SIG-05, SIG-12, SIG-16 and X-98 stand here and nowhere else.
 */
import type { Payload } from '../../events/event.ts'
import { alertSlot, RUN_SLOT, signalSlot } from '../../events/slot.ts'
import { LIMITS } from '../../limits.ts'
import type { ProblemCode } from '../../problems/registry.ts'
import { isoFromMs } from '../../time.ts'
import type { InputBody } from '../input.ts'
import { isSignalType, SIGNALS } from '../signals.ts'
import type { Unit } from '../state.ts'
import { isTerminalRun } from '../transitions.ts'
import { stepUnit } from '../units.ts'
import { pauseRun, resumeRun } from './pause.ts'
import { isHeld } from './proceed.ts'
import { askAllToStop } from './stop.ts'
import { askHookToStop } from './undo.ts'
import { emit, type Workspace } from './workspace.ts'

type Signal = Extract<InputBody, { kind: 'signal' }>

/** Undefined: accepted and applied. `nothing`: accepted, and the state is already what it asks for. */
type Verdict = { readonly refuse: ProblemCode; readonly why: string } | 'nothing' | undefined

export function decideSignal(ws: Workspace, signal: Signal): void {
  const { authorization } = signal
  if (!authorization.allowed) {
    reject(ws, signal, authorization.reasonCode ?? 'AUTHZ_DENIED', authorization.reason ?? 'not allowed')
    return
  }
  if (!isSignalType(signal.signalType)) {
    reject(ws, signal, 'SIGNAL_INVALID_PAYLOAD', `'${signal.signalType}' is not a signal`)
    return
  }
  const verdict = RULES[signal.signalType](ws, signal)
  if (typeof verdict === 'object') {
    reject(ws, signal, verdict.refuse, verdict.why)
    return
  }
  accept(ws, signal, verdict === undefined)
  if (verdict === undefined) APPLY[signal.signalType]?.(ws, signal)
  if (SIGNALS[signal.signalType].destructive) raiseDestructive(ws, signal)
}

function common(
  signal: Signal,
): Pick<Payload<'SignalAccepted'>, 'signalId' | 'signalType' | 'policyDecisionId' | 'actorId' | 'actorRole'> {
  const { policyDecisionId, actorId, actorRole } = signal.authorization
  return {
    signalId: signal.signalId,
    signalType: signal.signalType,
    policyDecisionId,
    ...(actorId === undefined ? {} : { actorId }),
    ...(actorRole === undefined ? {} : { actorRole }),
  }
}

function reject(ws: Workspace, signal: Signal, reasonCode: string, reason: string): void {
  const payload = { ...common(signal), decision: 'REJECTED', reasonCode, reason: reason.slice(0, 1000) } as const
  emit(ws, 'SignalRejected', signalSlot(signal.signalId), 1, payload, { data: { signalPayload: signal.payload } })
}

function accept(ws: Workspace, signal: Signal, applied: boolean): void {
  const graceMs =
    signal.signalType === 'CANCEL' ? LIMITS.cancelGraceMs : signal.signalType === 'EMERGENCY_STOP' ? 0 : undefined
  const target = textField(signal, 'stepId')
  const reason = textField(signal, 'reason')
  const payload: Payload<'SignalAccepted'> = {
    ...common(signal),
    decision: 'ACCEPTED',
    applied,
    ...(reason === undefined ? {} : { reason }),
    ...(target === undefined ? {} : { target }),
    ...(graceMs === undefined || !applied ? {} : { graceUntil: isoFromMs(ws.now + graceMs) }),
    ...(signal.payload['freshKey'] === true ? { freshKey: true } : {}),
  }
  emit(ws, 'SignalAccepted', signalSlot(signal.signalId), 1, payload, { data: { signalPayload: signal.payload } })
}

function textField(signal: Signal, name: string): string | undefined {
  const value = signal.payload[name]
  return typeof value === 'string' ? value : undefined
}

const ENDED = { refuse: 'RUN_TERMINAL', why: 'the run has ended; RETRY_RUN starts a new one from its results' } as const
const ENDING = {
  refuse: 'RUN_TERMINAL',
  why: 'the run is ending and can no longer be changed; RETRY_RUN starts a new one',
} as const
const NOT_STARTED = { refuse: 'RUN_NOT_RUNNING', why: 'the run has not started' } as const

/** Once undoing, cancelling or the end's skips have begun, steps can no longer be changed (P-11). */
function isEnding(ws: Workspace): boolean {
  const { state } = ws
  const undoes = state.undo !== undefined || state.compensationOf !== ''
  return undoes || state.cancelling !== undefined || state.endSkipsFrom >= 0
}

type Rule = (ws: Workspace, signal: Signal) => Verdict

/** Rules that hold for every signal that wants to change a live run. */
function live(rule: Rule): Rule {
  return (ws, signal) => {
    if (isTerminalRun(ws.state.status)) return ENDED
    if (ws.state.endSkipsFrom >= 0) return ENDING
    return rule(ws, signal)
  }
}

const started = (rule: Rule): Rule =>
  live((ws, signal) =>
    ws.state.status === 'PENDING' || ws.state.status === 'APPROVED' ? NOT_STARTED : rule(ws, signal),
  )

const onStep = (rule: (ws: Workspace, unit: Unit) => Verdict): Rule =>
  live((ws, signal) => {
    const stepId = textField(signal, 'stepId') ?? ''
    const index = ws.state.graph.indexOf.get(stepId)
    if (index === undefined) return { refuse: 'STEP_UNKNOWN', why: `the plan has no step '${stepId}'` }
    return rule(ws, stepUnit(ws.state, index))
  })

/** In the eyes of a person a step in backoff or with its fallback open is still running. */
function isBusy(unit: Unit): boolean {
  return unit.status === 'RUNNING' || unit.backoff || unit.fallbackOpen
}

const retryStep = onStep((ws, unit) => {
  if (isBusy(unit)) return { refuse: 'STEP_NOT_TERMINAL', why: 'the step is still running' }
  if (unit.status !== 'FAILED' || unit.recovered) {
    const why =
      unit.status === 'SUCCESS' ? 'the step succeeded; to run it again, fork the run' : 'the step has not failed'
    return { refuse: 'STEP_NOT_FAILED', why }
  }
  return isEnding(ws) ? ENDING : undefined
})

const skipStep = onStep((ws, unit) => {
  if (ws.state.status === 'PENDING' || ws.state.status === 'APPROVED') return NOT_STARTED
  if (isBusy(unit)) return { refuse: 'STEP_RUNNING', why: 'the step is running' }
  if (unit.status === 'SUCCESS' || unit.status === 'SKIPPED' || unit.recovered)
    return { refuse: 'STEP_TERMINAL', why: 'the step has ended' }
  if (isEnding(ws)) return ENDING
  if (unit.status === 'FAILED' && !isHeld(ws.state))
    return { refuse: 'STEP_TERMINAL', why: 'the step has failed and the run is not held' }
  return undefined
})

const retryRun: Rule = (ws) => {
  if (ws.state.compensationOf !== '')
    return { refuse: 'RUN_NOT_FORKABLE', why: `the run only undid run ${ws.state.compensationOf}; retry its parent` }
  if (ws.state.status === 'FAILED' || ws.state.status === 'CANCELLED') return undefined
  if (ws.state.status === 'COMPLETED')
    return { refuse: 'RUN_TERMINAL', why: 'the run completed; there is nothing to retry' }
  return { refuse: 'RUN_NOT_TERMINAL', why: 'the run has not ended; retry the failed step, or cancel the run first' }
}

const RULES: { readonly [type in keyof typeof SIGNALS]: Rule } = {
  PAUSE: started((ws) => (ws.state.status === 'PAUSED' || isEnding(ws) ? 'nothing' : undefined)),
  RESUME: started((ws) => (ws.state.status === 'PAUSED' ? undefined : 'nothing')),
  CANCEL: live((ws) => (isEnding(ws) ? 'nothing' : undefined)),
  EMERGENCY_STOP: live(() => undefined),
  RETRY_STEP: retryStep,
  SKIP_STEP: skipStep,
  RETRY_RUN: retryRun,
  UPDATE_PARAMS: live((ws) => (isEnding(ws) ? ENDING : undefined)),
  INJECT_OVERRIDE: onStep((ws, unit) =>
    unit.status === 'SUCCESS' || unit.status === 'SKIPPED'
      ? { refuse: 'STEP_TERMINAL', why: 'the step has ended' }
      : isEnding(ws)
        ? ENDING
        : undefined,
  ),
  UPDATE_TARGET: onStep((ws, unit) =>
    unit.status === 'SUCCESS' || unit.status === 'SKIPPED'
      ? { refuse: 'STEP_TERMINAL', why: 'the step has ended' }
      : isEnding(ws)
        ? ENDING
        : undefined,
  ),
  ESCALATE_ALERT: () => undefined,
}

const APPLY: { readonly [type in keyof typeof SIGNALS]?: (ws: Workspace, signal: Signal) => void } = {
  PAUSE: (ws, signal) => pauseRun(ws, { signalId: signal.signalId, reason: textField(signal, 'reason') }),
  RESUME: (ws, signal) => resumeRun(ws, { signalId: signal.signalId, reason: textField(signal, 'reason') }),
  CANCEL: askAllToStop,
  EMERGENCY_STOP: (ws) => {
    askAllToStop(ws)
    askHookToStop(ws)
  },
  SKIP_STEP: applySkip,
  ESCALATE_ALERT: (ws, signal) => {
    const level = signal.payload['level'] as Payload<'AlertEscalated'>['level']
    const note = textField(signal, 'note')
    const slot = alertSlot('ESCALATED', RUN_SLOT, ws.firstSeq)
    const payload = { code: 'ESCALATED', level, signalId: signal.signalId }
    emit(ws, 'AlertEscalated', slot, ws.state.escalations + 1, payload, {
      causedBySignalId: signal.signalId,
      data: note === undefined ? undefined : { notes: note },
    })
  },
}

function applySkip(ws: Workspace, signal: Signal): void {
  const stepId = textField(signal, 'stepId') ?? ''
  const unit = stepUnit(ws.state, ws.state.graph.indexOf.get(stepId) ?? -1)
  const reason = textField(signal, 'reason') || 'skipped by an operator'
  const payload = { reason, reasonCode: 'OPERATOR_SKIP', skippedAt: ws.nowIso, signalId: signal.signalId } as const
  emit(ws, 'StepSkipped', stepId, unit.attempt + 1, payload, { causedBySignalId: signal.signalId })
}

function raiseDestructive(ws: Workspace, signal: Signal): void {
  const code = 'DESTRUCTIVE_SIGNAL'
  const payload = { code, priority: 'P1', raisedAt: ws.nowIso, signalId: signal.signalId } as const
  emit(ws, 'AlertRaised', alertSlot(code, RUN_SLOT, ws.firstSeq), 1, payload, { causedBySignalId: signal.signalId })
}
