/**
 * What follows from the state once an input has been taken in: schedule, stop, undo or end. It reads nothing but
 * the state, so a decision that was cut goes on from the log as if nothing had happened.
 */
import { bitNext } from '../../collections/bit-tree.ts'
import { compensationSummary } from '../compensation/summary.ts'
import { isHeld } from '../failure/held.ts'
import type { RunState } from '../state/state.ts'
import { stopDeadline } from '../state/timers.ts'
import { isTerminalRun } from '../state/transitions.ts'
import { slotOfUnit, stepUnit } from '../state/units.ts'
import { complete, failCutShort, failRun } from './finish.ts'
import { schedule } from './schedule.ts'
import { compensateNext } from './compensate.ts'
import { endCompensationRun } from './compensation-run.ts'
import { closeOpenFans, closeParked, endFan, endInFlight } from './stop.ts'
import { emit, emitRun, hasRoom, unitEngineAttempt, type Workspace } from './workspace.ts'

export function proceed(ws: Workspace): void {
  const { state } = ws
  if (isTerminalRun(state.status)) return
  if (state.cancelling !== undefined) {
    cancel(ws)
    return
  }
  if (state.status !== 'RUNNING') return
  if (state.compensationOf !== '') {
    // What was taken over as a fan-out ends with its items; items the other run never finished are left as they are.
    if (closeDoneFans(ws) && closeOpenFans(ws)) endCompensationRun(ws)
    return
  }
  if (state.failing) {
    failing(ws)
    return
  }
  if (state.compensation !== undefined || state.endSkipsFrom >= 0) {
    // No step failed, so it was the output that could not be made.
    if (isSatisfied(state) && state.failed === 0 && state.timedOutAt < 0) complete(ws)
    else failRun(ws)
    return
  }
  running(ws)
}

function isSatisfied(state: RunState): boolean {
  return state.satisfied === state.graph.steps.length
}

function running(ws: Workspace): void {
  for (;;) {
    const before = ws.drafts.length
    if (!closeDoneFans(ws)) return
    schedule(ws)
    // A fan-out that just ended may let its dependents start, and an empty one ends as soon as it starts.
    if (ws.drafts.length === before || ws.cut) break
  }
  if (ws.cut || ws.needs.length > 0) return
  if (ws.state.failing) {
    failing(ws)
    return
  }
  if (!isIdle(ws.state)) return
  if (isSatisfied(ws.state)) complete(ws)
  else if (!isHeld(ws.state)) failRun(ws)
}

function closeDoneFans(ws: Workspace): boolean {
  for (let step = bitNext(ws.state.doneFans); step >= 0; step = bitNext(ws.state.doneFans)) {
    if (!hasRoom(ws)) return false
    const parent = stepUnit(ws.state, step)
    if (parent.fan !== undefined && parent.fan.done === parent.fan.count) {
      const payload = { completedAt: ws.nowIso, artifactRefs: [] }
      emit(ws, 'StepCompleted', slotOfUnit(ws.state.graph, parent), parent.attempt, payload, {
        engineAttempt: unitEngineAttempt(ws, parent),
      })
    } else {
      endFan(ws, parent)
    }
  }
  return true
}

/** Nothing runs, waits or could start. */
function isIdle(state: RunState): boolean {
  return (
    state.inFlight.size === 0 &&
    state.parked.size === 0 &&
    state.ready.size === 0 &&
    state.readyFree.size === 0 &&
    state.openFans.size === 0 &&
    state.backoffs === 0
  )
}

/** Settle what is in flight, then undo, then fail. */
function failing(ws: Workspace): void {
  if (!closeParked(ws)) return
  const deadline = stopDeadline(ws.state)
  if (deadline >= 0 && ws.now >= deadline && !endInFlight(ws)) return
  if (ws.state.inFlight.size > 0) return
  if (!closeOpenFans(ws)) return
  if (!isHeld(ws.state)) failRun(ws)
}

function cancel(ws: Workspace): void {
  const { cancelling } = ws.state
  if (cancelling === undefined) return
  if (!closeParked(ws)) return
  if (ws.now >= cancelling.graceUntil && !endInFlight(ws)) return
  if (ws.state.inFlight.size > 0 || !closeOpenFans(ws) || !hasRoom(ws)) return
  const isUndone = cancelling.undo === true
  const isCut = cancelling.cut === true
  if (isUndone && compensateNext(ws)) return
  // A run that was undone because it failed has failed; one that was given up is cancelled all the same (SSM-06).
  if (ws.state.compensation !== undefined && !isUndone && !isCut) {
    failCutShort(ws)
    return
  }
  if (!hasRoom(ws)) return
  const summary = isUndone || isCut ? compensationSummary(ws.state, isCut ? 1 : 0) : undefined
  const payload = {
    cancelledAt: ws.nowIso,
    cause: cancelling.cause,
    ...(cancelling.signalId === '' ? {} : { signalId: cancelling.signalId }),
    ...(cancelling.reason === '' ? {} : { reason: cancelling.reason }),
    ...(summary === undefined ? {} : { compensation: summary }),
  }
  emitRun(ws, 'RunCancelled', payload, { causedBySignalId: cancelling.signalId || undefined })
}
