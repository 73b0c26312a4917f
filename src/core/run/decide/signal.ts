/**
 * Signals: each first-seen one adds exactly one SignalAccepted or SignalRejected, then what it causes (SIG-15). signals/rules.ts
 * decides whether the state allows a signal.
 */
import { cutText } from '../../cut-text.ts'
import type { Payload } from '../../events/event.ts'
import { alertSlot, RUN_SLOT, signalSlot } from '../../events/slot.ts'
import { LIMITS } from '../../limits.ts'
import { isoFromMs } from '../../time.ts'
import type { InputBody } from '../input.ts'
import { askAllToStop } from '../proceed/stop.ts'
import { askCompensationToStop } from '../proceed/compensate.ts'
import { emit, type Workspace } from '../proceed/workspace.ts'
import { isSignalType, SIGNALS, textField } from '../signals/catalogue.ts'
import { signalVerdict, undoes } from '../signals/rules.ts'
import { stepUnit } from '../state/units.ts'
import { pauseRun, resumeRun } from './pause.ts'

type Signal = Extract<InputBody, { kind: 'signal' }>

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
  const verdict = signalVerdict(ws.state, signal.signalType, signal)
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
  const payload = {
    ...common(signal),
    decision: 'REJECTED',
    reasonCode,
    reason: cutText(reason, LIMITS.refusalChars),
  } as const
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
    ...(applied && undoes(signal) ? { undo: true } : {}),
  }
  emit(ws, 'SignalAccepted', signalSlot(signal.signalId), 1, payload, { data: { signalPayload: signal.payload } })
}

const APPLY: { readonly [type in keyof typeof SIGNALS]?: (ws: Workspace, signal: Signal) => void } = {
  PAUSE: (ws, signal) => pauseRun(ws, { signalId: signal.signalId, reason: textField(signal, 'reason') }),
  RESUME: (ws, signal) => resumeRun(ws, { signalId: signal.signalId, reason: textField(signal, 'reason') }),
  CANCEL: askAllToStop,
  EMERGENCY_STOP: (ws) => {
    askAllToStop(ws)
    askCompensationToStop(ws)
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
