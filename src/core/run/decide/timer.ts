/**
 * A timer that came due. A backoff that is over needs nothing here: scheduling finds it by itself.
 */
import { vectorGet } from '../../collections/vector.ts'
import { alertSlot, RUN_SLOT } from '../../events/slot.ts'
import type { InputBody } from '../input.ts'
import { isDraining } from '../state/timers.ts'
import { kindOfUnit, slotOfUnit } from '../state/units.ts'
import { failStep, isStopping, waitedMs } from '../proceed/fail-step.ts'
import { CANCELLED_ERROR, EVENT_TIMEOUT_ERROR, TIMEOUT_ERROR } from '../failure/step-errors.ts'
import { askAllToStop } from '../proceed/stop.ts'
import { compensationTimedOut } from '../proceed/compensate.ts'
import { askToStop, emit, unitEngineAttempt, type Workspace } from '../proceed/workspace.ts'

export function decideTimer(ws: Workspace, input: Extract<InputBody, { kind: 'timer' }>): void {
  const { timer } = input
  if (timer === 'run-timeout') {
    timeOutRun(ws)
    return
  }
  if (timer === 'drain') {
    raiseDrainTimeout(ws)
    return
  }
  if (typeof timer === 'string') return
  if (timer.kind === 'undo-timeout') compensationTimedOut(ws)
  if (timer.kind === 'undo-timeout' || timer.kind === 'undo-retry' || timer.kind === 'retry') return
  const unit = vectorGet(ws.state.units, timer.unit)
  if (unit === undefined || unit.status !== 'RUNNING' || unit.attempt !== timer.attempt) return
  const kind = kindOfUnit(ws.state.graph, unit)
  if (timer.kind === 'wait') {
    const payload = { completedAt: ws.nowIso, artifactRefs: [], ...waitedMs(ws, unit) }
    emit(ws, 'StepCompleted', slotOfUnit(ws.state.graph, unit), unit.attempt, payload, {
      engineAttempt: unitEngineAttempt(ws, unit),
    })
    return
  }
  if (kind === 'manual') {
    failStep(ws, unit, {
      error: { code: 'MANUAL_EXPIRED', retryable: false, errorClass: 'permanent', category: 'business' },
      forced: true,
      final: true,
    })
    return
  }
  if (kind === 'wait') {
    failStep(ws, unit, { error: EVENT_TIMEOUT_ERROR, forced: true, exhausted: true })
    return
  }
  askToStop(ws, unit, false)
  // Abort wins over other errors: what times out while the run is being stopped was cancelled (CAN-11).
  failStep(ws, unit, { error: isStopping(ws.state) ? CANCELLED_ERROR : TIMEOUT_ERROR, forced: true })
}

/** The run stays paused and can be resumed; what ends later counts as always (CON-05, CON-06). */
function raiseDrainTimeout(ws: Workspace): void {
  if (!isDraining(ws.state)) return
  const code = 'PAUSE_DRAIN_TIMEOUT'
  emit(ws, 'AlertRaised', alertSlot(code, RUN_SLOT, ws.firstSeq), 1, { code, priority: 'P2', raisedAt: ws.nowIso })
}

/** The alert records the decision. After it the run stops and will fail. */
function timeOutRun(ws: Workspace): void {
  const { state } = ws
  if (
    state.status !== 'RUNNING' ||
    state.timedOutAt >= 0 ||
    state.cancelling !== undefined ||
    state.compensation !== undefined
  )
    return
  const code = 'RUN_TIMEOUT'
  emit(ws, 'AlertRaised', alertSlot(code, RUN_SLOT, ws.firstSeq), 1, { code, priority: 'P2', raisedAt: ws.nowIso })
  askAllToStop(ws)
}
