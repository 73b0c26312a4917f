/**
 * Undoing finished work when a run fails: newest completion first, one compensation at a time, best effort (CMP).
 */
import type { Payload } from '../../events/event.ts'
import { compensationSlot } from '../../events/slot.ts'
import { isoFromMs } from '../../time.ts'
import { vectorGet } from '../../collections/vector.ts'
import { LIMITS } from '../../limits.ts'
import type { Compensation } from '../../plan/plan.ts'
import { effectId, engineAttemptAt } from '../effect.ts'
import { compensationAttempts, compensationMark, nextCompensation } from '../compensation/next-compensation.ts'
import type { Outcome } from '../input.ts'
import { backoffMs, retryDecision } from '../failure/retry.ts'
import type { RunState } from '../state/state.ts'
import { isTerminalRun } from '../state/transitions.ts'
import { locate, stepAt } from '../state/units.ts'
import { TIMEOUT_ERROR } from '../failure/step-errors.ts'
import { emitLate } from './late.ts'
import { emit, hasRoom, type Workspace } from './workspace.ts'

/** Moves compensation on; false when there is nothing (more) to undo. */
export function compensateNext(ws: Workspace): boolean {
  const current = ws.state.compensation?.current
  if (current?.status === 'RUNNING') return true
  if (current !== undefined) {
    if (current.dueAt <= ws.now && hasRoom(ws)) startCompensation(ws, current.slot, current.unit, current.attempt + 1)
    return true
  }
  const following = nextCompensation(ws.state)
  if (following === undefined) return false
  if (hasRoom(ws)) startCompensation(ws, following.value.slot, following.value.unit, 1)
  return true
}

function plannedCompensation(state: RunState, unitIndex: number): Compensation | undefined {
  const unit = vectorGet(state.units, unitIndex)
  return unit === undefined ? undefined : stepAt(state.graph, unit.step).compensate
}

function startCompensation(ws: Workspace, slot: string, unit: number, attempt: number): void {
  const timeoutMs = plannedCompensation(ws.state, unit)?.timeoutMs
  const compSlot = compensationSlot(slot)
  const payload = { stepId: slot, startedAt: ws.nowIso, epoch: ws.epoch }
  if (timeoutMs === undefined) {
    // A child's work: the compensations of the run that undoes it have time limits of their own.
    emit(ws, 'CompensationStarted', compSlot, attempt, payload)
    ws.effects.push({ kind: 'StartChild', id: effectId('StartChild', compSlot, attempt), slot: compSlot, attempt })
    return
  }
  const timeoutAt = isoFromMs(ws.now + timeoutMs + LIMITS.queueAllowanceMs)
  emit(ws, 'CompensationStarted', compSlot, attempt, { ...payload, timeoutAt })
  ws.effects.push({
    kind: 'Compensate',
    id: effectId('Compensate', compSlot, attempt, 1),
    slot: compSlot,
    attempt,
    engineAttempt: 1,
  })
}

export function compensationOutcome(
  ws: Workspace,
  report: { slot: string; attempt: number; engineAttempt: number; outcome: Outcome; stale?: boolean },
): void {
  // An emergency stop ends the run with a compensation still out; what it reports then is only noted.
  const current = isTerminalRun(ws.state.status) ? undefined : ws.state.compensation?.current
  const open =
    report.stale !== true &&
    current?.status === 'RUNNING' &&
    compensationSlot(current.slot) === report.slot &&
    current.attempt === report.attempt
  if (!open) {
    recordLate(ws, report)
    return
  }
  if (report.outcome.kind === 'completed') {
    const { buildId } = report.outcome.payload
    const result = report.outcome.data?.result
    emit(
      ws,
      'CompensationCompleted',
      report.slot,
      report.attempt,
      {
        stepId: current.slot,
        completedAt: ws.nowIso,
        ...(buildId === undefined ? {} : { buildId }),
        ...twice(ws, report.engineAttempt),
      },
      {
        engineAttempt: report.engineAttempt,
        data: result === undefined ? undefined : { result },
      },
    )
    return
  }
  failCompensation(ws, report.outcome.error, report.engineAttempt, report.outcome.data?.errorText)
}

/** As for steps: only for an attempt that was started, and once for each engine attempt. */
function recordLate(ws: Workspace, report: Parameters<typeof compensationOutcome>[1]): void {
  const slot = report.slot.slice(compensationSlot('').length)
  const unit = locate(ws.state, slot)?.unit
  if (unit === undefined || report.attempt > compensationAttempts(ws.state, slot, unit)) return
  if (unit.late.includes(compensationMark(report.attempt, report.engineAttempt))) return
  emitLate(ws, report, { compensation: true })
}

/** As for steps: a compensation that was sent out again may have run before (CMP-04). Version 1 did not say so. */
function twice({ state }: Workspace, engineAttempt: number): { readonly mayHaveRunTwice?: true } {
  return engineAttempt > 1 && state.rulesVersion >= 2 ? { mayHaveRunTwice: true } : {}
}

/** Only an emergency stop cuts compensation short; whoever runs the compensation is told. */
export function askCompensationToStop(ws: Workspace): void {
  const current = ws.state.compensation?.current
  if (current?.status !== 'RUNNING') return
  const slot = compensationSlot(current.slot)
  if (plannedCompensation(ws.state, current.unit) === undefined) {
    const id = `${effectId('SignalChild', slot, current.attempt)}:EMERGENCY_STOP`
    const { attempt } = current
    ws.effects.push({ kind: 'SignalChild', id, slot, attempt, signalType: 'EMERGENCY_STOP', cycle: 0 })
    return
  }
  const engineAttempt = engineAttemptAt(ws.epoch, current.epoch)
  ws.effects.push({
    kind: 'CancelStep',
    id: effectId('CancelStep', slot, current.attempt, engineAttempt),
    slot,
    attempt: current.attempt,
    engineAttempt,
  })
}

export function compensationTimedOut(ws: Workspace): void {
  const current = ws.state.compensation?.current
  if (current?.status !== 'RUNNING') return
  failCompensation(ws, TIMEOUT_ERROR, engineAttemptAt(ws.epoch, current.epoch), undefined)
}

function failCompensation(
  ws: Workspace,
  error: Payload<'CompensationFailed'>['error'],
  engineAttempt: number,
  errorText: { readonly message: string } | undefined,
): void {
  const current = ws.state.compensation?.current
  if (current === undefined) return
  const retry = plannedCompensation(ws.state, current.unit)?.retry
  const again = retry !== undefined && retryDecision(retry, error.errorClass, current.attempt) === 'retry'
  const payload: Payload<'CompensationFailed'> = {
    stepId: current.slot,
    failedAt: ws.nowIso,
    error,
    final: !again,
    ...(again ? { retryAt: isoFromMs(ws.now + backoffMs(retry, current.attempt)) } : {}),
    ...twice(ws, engineAttempt),
  }
  emit(ws, 'CompensationFailed', compensationSlot(current.slot), current.attempt, payload, {
    engineAttempt,
    data: errorText === undefined ? undefined : { errorText },
  })
}
