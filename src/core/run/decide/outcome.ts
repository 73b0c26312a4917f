/**
 * What an executor, a person or a child run reports about an attempt. The first report of a RUNNING attempt is
 * its outcome; whatever comes after the attempt or the run has ended is recorded as late, or is a repeat.
 */
import type { Payload } from '../../events/event.ts'
import { compensationSlot } from '../../events/slot.ts'
import type { Outcome } from '../input.ts'
import type { RunState, Unit } from '../state.ts'
import { isTerminalRun } from '../transitions.ts'
import { isFanParent, kindOfUnit, locate, type Located } from '../units.ts'
import { CANCELLED_ERROR, failStep, isStopping, waitedMs } from './fail-step.ts'
import { emitLate } from './late.ts'
import { undoOutcome } from './undo.ts'
import { emit, type Workspace } from './workspace.ts'

interface Report {
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  readonly outcome: Outcome
  readonly stale?: boolean
}

export function decideOutcome(ws: Workspace, report: Report): void {
  if (report.slot.startsWith(compensationSlot(''))) {
    undoOutcome(ws, report)
    return
  }
  const found = locate(ws.state, report.slot)
  if (found === undefined || !hasExecutor(ws.state, found.unit)) return
  const { unit } = found
  const open = unit.status === 'RUNNING' && unit.attempt === report.attempt && !isTerminalRun(ws.state.status)
  if (!open || report.stale === true) {
    recordLate(ws, found, report)
    return
  }
  if (report.outcome.kind === 'completed') {
    const payload: Payload<'StepCompleted'> = {
      ...report.outcome.payload,
      ...waitedMs(ws, unit),
      completedAt: ws.nowIso,
      ...(report.engineAttempt > 1 ? { mayHaveRunTwice: true } : {}),
    }
    emit(ws, 'StepCompleted', report.slot, report.attempt, payload, {
      engineAttempt: report.engineAttempt,
      data: report.outcome.data,
      unit,
    })
    return
  }
  const { kind: _kind, error, ...rest } = report.outcome
  // Abort wins over other errors: what fails while the run is being stopped was cancelled (CAN-11).
  failStep(ws, unit, {
    ...rest,
    error: isStopping(ws.state) ? CANCELLED_ERROR : error,
    engineAttempt: report.engineAttempt,
  })
}

/** A fan-out's parent and a wait are ended by the decider alone; whoever reports about one is mistaken. */
function hasExecutor(state: RunState, unit: Unit): boolean {
  return !isFanParent(state.graph, unit) && kindOfUnit(state.graph, unit) !== 'wait'
}

/** A result nobody waits for any more: on record once, without a step event and without a change of status. */
function recordLate(ws: Workspace, found: Located, report: Report): void {
  const { unit } = found
  const endedBy = unit.ends[report.attempt - 1]
  const unknownAttempt = report.attempt > unit.attempt || (endedBy === undefined && unit.status === 'PENDING')
  const repeat = endedBy === report.engineAttempt || unit.late.includes(`${report.attempt}:${report.engineAttempt}`)
  if (unknownAttempt || repeat) return
  emitLate(ws, report)
}
