/**
 * Undoing finished work when a run fails: newest completion first, one hook at a time, best effort (CMP).
 */
import type { Payload } from '../../events/event.ts'
import { compensationSlot } from '../../events/slot.ts'
import { isoFromMs } from '../../time.ts'
import { vectorGet } from '../../collections/vector.ts'
import { LIMITS } from '../../limits.ts'
import type { Compensation } from '../../plan/plan.ts'
import { effectId, engineAttemptAt } from '../effect.ts'
import { hookAttempts, hookMark, nextHook } from '../evolve/undo.ts'
import type { Outcome } from '../input.ts'
import { backoffMs, retryDecision } from '../retry.ts'
import type { RunState } from '../state.ts'
import { isTerminalRun } from '../transitions.ts'
import { locate, stepAt } from '../units.ts'
import { TIMEOUT_ERROR } from './fail-step.ts'
import { emitLate } from './late.ts'
import { emit, hasRoom, type Workspace } from './workspace.ts'

/** Moves compensation on; false when there is nothing (more) to undo. */
export function undoNext(ws: Workspace): boolean {
  const current = ws.state.undo?.current
  if (current?.status === 'RUNNING') return true
  if (current !== undefined) {
    if (current.dueAt <= ws.now && hasRoom(ws)) startHook(ws, current.slot, current.unit, current.attempt + 1)
    return true
  }
  const hook = nextHook(ws.state)
  if (hook === undefined) return false
  if (hasRoom(ws)) startHook(ws, hook.value.slot, hook.value.unit, 1)
  return true
}

function hookOf(state: RunState, unitIndex: number): Compensation | undefined {
  const unit = vectorGet(state.units, unitIndex)
  return unit === undefined ? undefined : stepAt(state.graph, unit.step).compensate
}

function startHook(ws: Workspace, slot: string, unit: number, attempt: number): void {
  const timeoutMs = hookOf(ws.state, unit)?.timeoutMs
  const compSlot = compensationSlot(slot)
  const payload = { startedAt: ws.nowIso, epoch: ws.epoch }
  if (timeoutMs === undefined) {
    // A child's work: the hooks of the run that undoes it have time limits of their own.
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

export function undoOutcome(
  ws: Workspace,
  report: { slot: string; attempt: number; engineAttempt: number; outcome: Outcome; stale?: boolean },
): void {
  // An emergency stop ends the run with a hook still out; what it reports then is only noted.
  const current = isTerminalRun(ws.state.status) ? undefined : ws.state.undo?.current
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
  failHook(ws, report.outcome.error, report.engineAttempt, report.outcome.data?.errorText)
}

/** As for steps: of an attempt that was begun, and each engine attempt once. */
function recordLate(ws: Workspace, report: Parameters<typeof undoOutcome>[1]): void {
  const slot = report.slot.slice(compensationSlot('').length)
  const unit = locate(ws.state, slot)?.unit
  if (unit === undefined || report.attempt > hookAttempts(ws.state, slot, unit)) return
  if (unit.late.includes(hookMark(report.attempt, report.engineAttempt))) return
  emitLate(ws, report, { compensation: true })
}

/** As for steps: a hook that was sent out again may have run before (CMP-04). Version 1 did not say so. */
function twice({ state }: Workspace, engineAttempt: number): { readonly mayHaveRunTwice?: true } {
  return engineAttempt > 1 && state.rulesVersion >= 2 ? { mayHaveRunTwice: true } : {}
}

/** Only an emergency stop cuts compensation short; whoever runs the hook is told. */
export function askHookToStop(ws: Workspace): void {
  const current = ws.state.undo?.current
  if (current?.status !== 'RUNNING') return
  const slot = compensationSlot(current.slot)
  if (hookOf(ws.state, current.unit) === undefined) {
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

export function undoTimedOut(ws: Workspace): void {
  const current = ws.state.undo?.current
  if (current?.status !== 'RUNNING') return
  failHook(ws, TIMEOUT_ERROR, engineAttemptAt(ws.epoch, current.epoch), undefined)
}

function failHook(
  ws: Workspace,
  error: Payload<'CompensationFailed'>['error'],
  engineAttempt: number,
  errorText: { readonly message: string } | undefined,
): void {
  const current = ws.state.undo?.current
  if (current === undefined) return
  const retry = hookOf(ws.state, current.unit)?.retry
  const again = retry !== undefined && retryDecision(retry, error.errorClass, current.attempt) === 'retry'
  const payload: Payload<'CompensationFailed'> = {
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
