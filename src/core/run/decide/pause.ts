/**
 * Pause and resume, by a signal or by a scope (plan, tenant, fleet). Scheduling stops with the event; work in
 * flight drains; child runs are told.
 */
import { bitMembers } from '../../collections/bit-tree.ts'
import { vectorGet } from '../../collections/vector.ts'
import { effectId } from '../effect.ts'
import type { InputBody } from '../input.ts'
import type { RunState } from '../state.ts'
import type { Effect } from '../effect.ts'
import { kindOfUnit, slotOfUnit } from '../units.ts'
import { emitRun, type Workspace } from './workspace.ts'

interface PauseBy {
  readonly signalId?: string | undefined
  readonly reason?: string | undefined
  readonly scope?: string
}

export function pauseRun(ws: Workspace, by: PauseBy): void {
  emitRun(
    ws,
    'RunPaused',
    { pausedAt: ws.nowIso, ...optionals(by) },
    { attempt: ws.state.pauseCycle + 1, causedBySignalId: by.signalId },
  )
  ws.effects.push(...childSignals(ws.state, 'PAUSE'))
}

export function resumeRun(ws: Workspace, by: PauseBy): void {
  emitRun(
    ws,
    'RunResumed',
    { resumedAt: ws.nowIso, ...optionals(by) },
    { attempt: ws.state.pauseCycle, causedBySignalId: by.signalId },
  )
  ws.effects.push(...childSignals(ws.state, 'RESUME'))
}

function optionals(by: PauseBy): { signalId?: string; reason?: string; scope?: string } {
  return {
    ...(by.signalId === undefined ? {} : { signalId: by.signalId }),
    ...(by.reason === undefined ? {} : { reason: by.reason }),
    ...(by.scope === undefined ? {} : { scope: by.scope }),
  }
}

/** A scope pause reaches each run at its next advance (P-23); a scope's end resumes only what that scope paused. */
export function decideScope(ws: Workspace, input: Extract<InputBody, { kind: 'scope' }>): void {
  const { state } = ws
  const reason = input.reason
  if (input.active) {
    const isUndoing = state.undo !== undefined || state.compensationOf !== ''
    if (state.status === 'RUNNING' && state.cancelling === undefined && !isUndoing)
      pauseRun(ws, { scope: input.scope, reason })
    return
  }
  if (state.status === 'PAUSED' && state.scopePauses.includes(input.scope))
    resumeRun(ws, { scope: input.scope, reason })
}

/** One signal per child in flight; the cycle in its id makes a repeat the same signal. */
export function childSignals(state: RunState, signalType: 'PAUSE' | 'RESUME'): Effect[] {
  const effects: Effect[] = []
  for (const index of bitMembers(state.inFlight)) {
    const unit = vectorGet(state.units, index)
    if (unit === undefined || kindOfUnit(state.graph, unit) !== 'plan') continue
    const slot = slotOfUnit(state.graph, unit)
    const cycle = state.pauseCycle
    const id = `${effectId('SignalChild', slot, unit.attempt)}:${signalType}:${cycle}`
    effects.push({ kind: 'SignalChild', id, slot, attempt: unit.attempt, signalType, cycle })
  }
  return effects
}
