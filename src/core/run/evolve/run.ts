/**
 * How run-level events and accepted signals change the state.
 */
import type { Payload } from '../../events/event.ts'
import { fail } from '../../problems/problem.ts'
import type { FoldEvent } from '../fold-event.ts'
import type { Cancelling } from '../state/state.ts'
import { isTerminalRun, refusedMove, RUN_TRANSITIONS, runTransition } from '../state/transitions.ts'
import { locate, stepUnit } from '../state/units.ts'
import { makeReady, setUnit, type NextState } from './next-state.ts'
import { hearOf } from './people.ts'
import { instantOr, unfail, unitOf } from './steps.ts'
import { compensationMark } from '../compensation/next-compensation.ts'

/** Applies the transition table to a run-level event; undefined in the table is a broken invariant. */
export function moveRun(next: NextState, event: FoldEvent): void {
  const status = runTransition(next.status, event.eventType)
  if (status === undefined) {
    fail(
      'INVALID_TRANSITION',
      `${event.eventType} while the run is ${next.status}`,
      refusedMove(RUN_TRANSITIONS, next.status, event.eventType),
    )
  }
  next.status = status
  if (isTerminalRun(status)) next.endedAt = event.at
}

export function runStarted(next: NextState, event: FoldEvent): void {
  const payload = event.payload as Payload<'RunStarted'>
  next.startedAt = event.at
  next.rulesVersion = payload.rulesVersion
  next.engineType = payload.engineType
  next.correlationId = (payload.context as Partial<typeof payload>['context'])?.correlationId ?? ''
  next.intentLate = payload.intentLate === true
  next.limit = Math.min(next.graph.plan.policy.concurrency, payload.maxInFlight)
  next.runTimeoutAt = instantOr(payload.runTimeoutAt, -1)
  next.compensationOf = payload.compensationOf ?? ''
  next.children = payload.children ?? null
  // This run only undoes another one: no step of its plan starts.
  if (next.compensationOf !== '') return
  next.graph.dependencies.forEach((needed, step) => {
    if (needed.length === 0) makeReady(next, stepUnit(next, step))
  })
}

export function runPaused(next: NextState, event: FoldEvent): void {
  const payload = event.payload as Payload<'RunPaused'>
  next.pausedAt = event.at
  next.pauseCycle = event.attempt
  if (payload.scope !== undefined) next.scopePauses = [...next.scopePauses, payload.scope]
}

export function runResumed(next: NextState, event: FoldEvent): void {
  next.pausedMs += Math.max(0, event.at - next.pausedAt)
  next.pausedAt = -1
  next.scopePauses = []
  next.drainTimedOut = undefined
}

export function engineHandoff(next: NextState, event: FoldEvent): void {
  const payload = event.payload as Payload<'EngineHandoff'>
  next.engineType = payload.toEngine
  next.limit = Math.min(next.graph.plan.policy.concurrency, payload.maxInFlight)
}

export function alertRaised(next: NextState, event: FoldEvent): void {
  const { code } = event.payload as Payload<'AlertRaised'>
  if (code === 'PAUSE_DRAIN_TIMEOUT' && next.status === 'PAUSED') next.drainTimedOut = true
  if (code !== 'RUN_TIMEOUT' || next.timedOutAt >= 0) return
  next.timedOutAt = event.at
  next.failing = true
}

export function lateOutcomeRecorded(next: NextState, event: FoldEvent): void {
  const { attempt, compensation, people } = event.payload as Payload<'LateOutcomeRecorded'>
  if (people !== undefined) hearOf(next, people)
  const found = locate(next, event.slot)
  if (found === undefined) return
  const mark = compensation === true ? compensationMark(attempt, event.attempt) : `${attempt}:${event.attempt}`
  setUnit(next, found.index, { ...found.unit, late: [...found.unit.late, mark] })
}

export function manualTaskOpened(next: NextState, event: FoldEvent): void {
  const { index, unit } = unitOf(next, event)
  setUnit(next, index, { ...unit, opening: event.attempt })
}

export function signalAccepted(next: NextState, event: FoldEvent): void {
  const payload = event.payload as Payload<'SignalAccepted'>
  if (!payload.applied) return
  switch (payload.signalType) {
    case 'CANCEL':
    case 'EMERGENCY_STOP':
      next.cancelling = cancellingOf(next.cancelling, payload, event)
      return
    case 'RETRY_STEP':
      retryStep(next, payload)
      return
    case 'UPDATE_PARAMS':
      next.paramChanges = { value: event.runSeq, next: next.paramChanges }
      return
    case 'INJECT_OVERRIDE':
    case 'UPDATE_TARGET':
      overrideStep(next, payload.target ?? '', event.runSeq)
      return
    default:
  }
}

function cancellingOf(
  before: Cancelling | undefined,
  payload: Payload<'SignalAccepted'>,
  event: FoldEvent,
): Cancelling {
  const stop = payload.signalType === 'EMERGENCY_STOP'
  const fromParent = payload.actorRole === 'parent'
  return {
    cause: stop ? 'EMERGENCY_STOP' : fromParent ? 'parent' : payload.actorRole === 'cancelRun' ? 'cancelRun' : 'CANCEL',
    signalId: payload.signalId,
    reason: payload.reason ?? '',
    at: event.at,
    graceUntil: instantOr(payload.graceUntil, event.at),
    ...(!stop && payload.undo === true ? { undo: true } : {}),
    ...(stop && (before?.undo === true || before?.cut === true) ? { cut: true } : {}),
  }
}

/** A new attempt is open: the step is PENDING at its old number until its StepStarted (SSM-22). */
function retryStep(next: NextState, payload: Payload<'SignalAccepted'>): void {
  const found = locate(next, payload.target ?? '')
  if (found === undefined) return
  const { index, unit } = found
  unfail(next, unit)
  const reopened = {
    ...unit,
    status: 'PENDING',
    final: false,
    fallbackOpen: false,
    freshKey: payload.freshKey === true ? payload.signalId : unit.freshKey,
  } as const
  setUnit(next, index, reopened)
  makeReady(next, reopened)
}

function overrideStep(next: NextState, stepId: string, runSeq: number): void {
  const overrides = new Map(next.overrides)
  overrides.set(stepId, [...(overrides.get(stepId) ?? []), runSeq])
  next.overrides = overrides
}
