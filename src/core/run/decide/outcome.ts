/**
 * What an executor, a person or a child run reports about an attempt. The first report of a RUNNING attempt is
 * its outcome; whatever comes after the attempt or the run has ended is recorded as late, or is a repeat.
 */
import type { Payload } from '../../events/event.ts'
import { compensationSlot } from '../../events/slot.ts'
import { peopleNews } from '../people/duties.ts'
import type { People } from '../state/people.ts'
import type { Outcome } from '../input.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { isTerminalRun } from '../state/transitions.ts'
import { isFanParent, kindOfUnit, locate, type Located } from '../state/units.ts'
import { failStep, isStopping, waitedMs } from '../proceed/fail-step.ts'
import { CANCELLED_ERROR } from '../failure/step-errors.ts'
import { actorOf, completionRefusal, judgesPeople, rolesOf } from '../people/judge-person.ts'
import { refuseCompletion } from './refuse-person.ts'
import { emitLate } from '../proceed/late.ts'
import { compensationOutcome } from '../proceed/compensate.ts'
import { emit, type Workspace } from '../proceed/workspace.ts'

interface Report {
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  readonly outcome: Outcome
  readonly stale?: boolean
  readonly seenChanges?: number
  readonly notAssigned?: true
  /** For a child run: who did what in it. */
  readonly people?: People
}

export function decideOutcome(ws: Workspace, report: Report): void {
  if (report.slot.startsWith(compensationSlot(''))) {
    compensationOutcome(ws, report)
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
  if (kindOfUnit(ws.state.graph, unit) === 'manual' && judgesPeople(ws.state)) {
    const told = { ...report, actorRoles: rolesOf(report.outcome) }
    const refusal = completionRefusal(ws.state, unit, actorOf(report.outcome), told)
    if (refusal !== undefined) {
      refuseCompletion(ws, report, refusal)
      return
    }
  }
  const people = report.people === undefined ? undefined : peopleNews(ws.state.people, report.people)
  const told = people === undefined ? {} : { people }
  if (report.outcome.kind === 'completed') {
    const payload: Payload<'StepCompleted'> = {
      ...report.outcome.payload,
      ...waitedMs(ws, unit),
      completedAt: ws.nowIso,
      ...(report.engineAttempt > 1 ? { mayHaveRunTwice: true } : {}),
      ...told,
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
    ...told,
  })
}

/** Only the decider ends a fan-out's parent and a wait; a report about one of them is a mistake. */
function hasExecutor(state: RunState, unit: Unit): boolean {
  return !isFanParent(state.graph, unit) && kindOfUnit(state.graph, unit) !== 'wait'
}

/** A result that nobody waits for any more: recorded once, without a step event and without a change of status. */
function recordLate(ws: Workspace, found: Located, report: Report): void {
  const { unit } = found
  const endedBy = unit.ends[report.attempt - 1]
  const unknownAttempt = report.attempt > unit.attempt || (endedBy === undefined && unit.status === 'PENDING')
  const repeat = endedBy === report.engineAttempt || unit.late.includes(`${report.attempt}:${report.engineAttempt}`)
  if (unknownAttempt || repeat) return
  emitLate(ws, report)
}
