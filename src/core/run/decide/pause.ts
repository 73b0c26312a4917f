/**
 * Pause and resume, by a signal or by a scope (plan, tenant, fleet). Scheduling stops with the event; work in
 * flight drains; child runs are told.
 */
import { appendAll } from '../../collections/append-all.ts'
import type { InputBody } from '../input.ts'
import { childSignals } from '../proceed/child-signals.ts'
import { emitRun, type Workspace } from '../proceed/workspace.ts'

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
  appendAll(ws.effects, childSignals(ws.state, 'PAUSE'))
}

export function resumeRun(ws: Workspace, by: PauseBy): void {
  emitRun(
    ws,
    'RunResumed',
    { resumedAt: ws.nowIso, ...optionals(by) },
    { attempt: ws.state.pauseCycle, causedBySignalId: by.signalId },
  )
  appendAll(ws.effects, childSignals(ws.state, 'RESUME'))
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
    const isUndoing = state.compensation !== undefined || state.compensationOf !== ''
    if (state.status === 'RUNNING' && state.cancelling === undefined && !isUndoing)
      pauseRun(ws, { scope: input.scope, reason })
    return
  }
  if (state.status === 'PAUSED' && state.scopePauses.includes(input.scope))
    resumeRun(ws, { scope: input.scope, reason })
}
